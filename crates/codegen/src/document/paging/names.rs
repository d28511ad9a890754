//! Names of parameters and members of pagination, in snake case.

use heck::ToSnakeCase;

/// The positions of cursors, without those that are often something else.
const CURSORS: [&str; 20] = [
    "after_cursor",
    "bookmark",
    "continuation",
    "continuation_token",
    "continue",
    "continue_token",
    "cursor",
    "marker",
    "next",
    "next_cursor",
    "next_page",
    "next_page_token",
    "next_token",
    "page_after",
    "page_cursor",
    "page_token",
    "pagination_token",
    "paging_token",
    "start_cursor",
    "starting_token",
];

/// Members whose text is the position of the next page.
const TOKENS: [&str; 17] = [
    "bookmark",
    "continuation",
    "continuation_token",
    "continue",
    "end_cursor",
    "next",
    "next_bookmark",
    "next_continuation_token",
    "next_cursor",
    "next_key",
    "next_marker",
    "next_page",
    "next_page_cursor",
    "next_page_id",
    "next_page_token",
    "next_token",
    "pagination_token",
];

/// Members within an object of the next page, or of cursors, whose text is the position of the next page.
const TOKENS_WITHIN: [&str; 6] = ["after", "cursor", "marker", "offset", "page_token", "token"];

/// Members whose text may be the URL of the next page.
const URLS: [&str; 9] = [
    "next",
    "next_href",
    "next_link",
    "next_page",
    "next_page_link",
    "next_page_uri",
    "next_page_url",
    "next_uri",
    "next_url",
];

/// Objects about a page.
const HOLDERS: [&str; 20] = [
    "cursors",
    "links",
    "list_info",
    "meta",
    "metadata",
    "next",
    "next_page",
    "page",
    "page_details",
    "page_info",
    "page_metadata",
    "pager",
    "pages",
    "paging",
    "pagination",
    "pagination_info",
    "response_metadata",
    "result_info",
    "search_metadata",
    "search_meta",
];

/// Objects that hold the items.
const ENVELOPES: [&str; 7] = [
    "collection",
    "content",
    "data",
    "embedded",
    "response",
    "result",
    "results",
];

/// Positions that are a number of items.
const OFFSETS: [&str; 5] = ["offset", "page_offset", "skip", "start_at", "start_index"];

/// Positions that are a number of a page.
const PAGES: [&str; 6] = ["page", "page_index", "page_no", "page_num", "page_number", "pagenumber"];

/// Parameters with the size of a page.
const SIZES: [&str; 19] = [
    "count",
    "items_per_page",
    "limit",
    "max",
    "max_items",
    "max_results",
    "page_limit",
    "page_size",
    "pagelen",
    "pagesize",
    "per_page",
    "perpage",
    "results_per_page",
    "rows",
    "size",
    "take",
    "top",
    "num_results",
    "number_of_results",
];

/// Booleans that are false in the last page.
const MORE: [&str; 9] = [
    "has_more",
    "has_more_items",
    "has_more_results",
    "has_next",
    "has_next_page",
    "is_truncated",
    "more",
    "more_available",
    "more_results",
];

/// Numbers of all items.
const TOTALS: [&str; 6] = [
    "total",
    "total_count",
    "total_entries",
    "total_items",
    "total_records",
    "total_results",
];

/// Numbers of the last page.
const LAST_PAGES: [&str; 5] = ["last_page", "num_pages", "page_count", "total_pages", "pages_count"];

/// The name in snake case: `page[after]` is `page_after`.
pub(super) fn snake(name: &str) -> String {
    name.to_snake_case()
}

/// Returns whether a parameter is the cursor of a page.
pub(super) fn is_cursor(parameter: &str) -> bool {
    CURSORS.contains(&parameter)
}

/// Returns whether a parameter is a number of items.
pub(super) fn is_offset(parameter: &str) -> bool {
    OFFSETS.contains(&parameter)
}

/// Returns whether a parameter is a number of a page.
pub(super) fn is_page(parameter: &str) -> bool {
    PAGES.contains(&parameter)
}

/// Returns whether a parameter is the size of a page.
pub(super) fn is_size(parameter: &str) -> bool {
    SIZES.contains(&parameter)
}

/// Returns whether an object is about the page.
pub(super) fn is_holder(member: &str) -> bool {
    HOLDERS.contains(&member)
}

/// Returns whether an object may hold the items.
pub(super) fn is_envelope(member: &str) -> bool {
    ENVELOPES.contains(&member)
}

/// Returns whether a text is the position of the next page.
pub(super) fn is_token(way: &[String], description: &str) -> bool {
    let (name, parent) = last_two(way);
    if TOKENS.contains(&name) {
        return true;
    }
    // Alone, it may be the position of this page.
    let says_next = ["next", "subsequent", "following"]
        .iter()
        .any(|word| description.contains(word));
    (name == "cursor" && parent.is_none_or(is_holder) && says_next)
        || (TOKENS_WITHIN.contains(&name) && parent.is_some_and(is_about_next))
}

/// Returns whether a text may be the URL of the next page.
pub(super) fn is_url(way: &[String]) -> bool {
    let (name, parent) = last_two(way);
    URLS.contains(&name) || (["href", "uri", "url"].contains(&name) && parent.is_some_and(|parent| parent == "next"))
}

/// Returns whether a number is that of the next page, or of its first item.
pub(super) fn is_next_number(way: &[String], parameter: &str) -> bool {
    let name = last_two(way).0;
    match is_offset(parameter) {
        true => name.strip_prefix("next_") == Some(parameter),
        false => ["next_page", "next_page_number"].contains(&name),
    }
}

/// Returns whether a parameter has the position that a text of this name has: `after` and `paging.next.after`.
pub(super) fn fits(parameter: &str, way: &[String]) -> bool {
    let name = last_two(way).0;
    // A parameter `key` is most likely a credential.
    parameter != "key" && (name == parameter || name.strip_prefix("next_") == Some(parameter))
}

/// Returns whether a boolean is false in the last page.
pub(super) fn is_more(member: &str) -> bool {
    MORE.contains(&member)
}

/// Returns whether a number is that of all items.
pub(super) fn is_total(member: &str) -> bool {
    TOTALS.contains(&member)
}

/// Returns whether a number is that of the last page.
pub(super) fn is_last_page(member: &str) -> bool {
    LAST_PAGES.contains(&member)
}

/// Returns whether an object is about the next page.
fn is_about_next(member: &str) -> bool {
    ["cursors", "next", "next_page"].contains(&member)
}

/// The name at the end of a way, and the one before it.
fn last_two(way: &[String]) -> (&str, Option<&str>) {
    match way {
        [.., parent, name] => (name, Some(parent)),
        [name] => (name, None),
        [] => ("", None),
    }
}
