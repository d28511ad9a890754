//! Finds the pagination of an operation.

use super::members::{self, Items, Member};
use super::names::{self, is_cursor, is_offset, is_page, is_size, snake};
use super::{NextPosition, Paging, PositionType, Step};
use crate::document::{Method, Operation, ParamLocation, Parameter, Schema, Type};

/// A query parameter that may be the position of a page.
struct Candidate<'d> {
    parameter: &'d Parameter,
    /// Its name in snake case.
    name: String,
    position: PositionType,
}

/// The page of an operation.
struct Page<'d> {
    candidates: Vec<Candidate<'d>>,
    members: Vec<Member<'d>>,
    items: Items<'d>,
    schemas: &'d [Schema],
    has_size: bool,
    has_link: bool,
}

/// The pagination of an operation that declares none.
pub(super) fn of(operation: &Operation, schemas: &[Schema]) -> Option<Paging> {
    if operation.method != Method::Get || operation.pagination.is_some() || operation.is_choice() {
        return None;
    }
    let body = operation.success.json()?;
    let items = members::items(body, schemas)?;
    let candidates: Vec<_> = operation
        .parameters
        .iter()
        .filter_map(|parameter| candidate(parameter, schemas))
        .collect();
    if candidates.is_empty() {
        return None;
    }
    let headers = operation.success.headers.iter().flat_map(|headers| &headers.names);
    let page = Page {
        candidates,
        members: members::all(body, schemas),
        has_size: operation
            .parameters
            .iter()
            .any(|parameter| has_size(parameter, schemas)),
        has_link: headers.into_iter().any(|name| name.eq_ignore_ascii_case("link")),
        items,
        schemas,
    };
    let found = page
        .cursor()
        .or_else(|| page.url())
        .or_else(|| page.number())
        .or_else(|| page.last_item())
        .or_else(|| page.counted());
    let (candidate, next) = found?;
    let more = page.members.iter().find(|member| is_more(member));
    Some(Paging {
        parameter: candidate.parameter.name.clone(),
        position: candidate.position,
        next,
        more: more.map(|member| member.way.clone()),
        item: page.items.item.clone(),
        items: page.items.way,
    })
}

fn candidate<'d>(parameter: &'d Parameter, schemas: &'d [Schema]) -> Option<Candidate<'d>> {
    let is_plain = parameter.separator.is_none() && parameter.structure.is_none();
    if parameter.location != ParamLocation::Query || parameter.required || !is_plain {
        return None;
    }
    let position = match members::resolved(&parameter.ty, schemas) {
        Type::String(_) => PositionType::Text,
        Type::Integer(width, _) if width.bits < 64 || width.signed => PositionType::Integer(*width),
        _ => return None,
    };
    Some(Candidate {
        parameter,
        name: snake(&parameter.name),
        position,
    })
}

fn has_size(parameter: &Parameter, schemas: &[Schema]) -> bool {
    let ty = members::resolved(&parameter.ty, schemas);
    let is_number = matches!(ty, Type::Integer(..) | Type::Number(_));
    let name = snake(&parameter.name);
    // `page[size]`, and `$top` of OData.
    let name = name.strip_prefix("page_").filter(|rest| is_size(rest)).unwrap_or(&name);
    parameter.location == ParamLocation::Query && is_number && is_size(name)
}

fn is_more(member: &Member<'_>) -> bool {
    *member.ty == Type::Boolean && names::is_more(member.name())
}

type Found<'p, 'd> = (&'p Candidate<'d>, NextPosition);

impl<'d> Page<'d> {
    fn texts(&self) -> impl Iterator<Item = &Candidate<'d>> {
        self.candidates
            .iter()
            .filter(|candidate| candidate.position == PositionType::Text)
    }

    fn numbers(&self) -> impl Iterator<Item = &Candidate<'d>> {
        self.candidates
            .iter()
            .filter(|candidate| candidate.position != PositionType::Text)
    }

    /// A text of the response, which is sent as it is.
    fn cursor(&self) -> Option<Found<'_, 'd>> {
        let tokens = self.members.iter().filter(|member| member.is_text());
        let tokens = tokens.filter(|member| names::is_token(&member.names, &member.description()));
        tokens.into_iter().find_map(|member| {
            let same = self
                .texts()
                .find(|candidate| names::fits(&candidate.name, &member.names));
            let candidate = same.or_else(|| only(self.texts().filter(|candidate| is_cursor(&candidate.name))))?;
            let next = match names::is_url(&member.names) {
                true => NextPosition::Url(member.way.clone()),
                false => NextPosition::Cursor(member.way.clone()),
            };
            Some((candidate, next))
        })
    }

    /// A URL of the next page, in the response or the header `Link`.
    fn url(&self) -> Option<Found<'_, 'd>> {
        let mut urls = self.members.iter().filter(|member| member.is_text());
        let next = match urls.find(|member| names::is_url(&member.names)) {
            Some(member) => NextPosition::Url(member.way.clone()),
            None if self.has_link => NextPosition::Link,
            None => return None,
        };
        // The one that URLs have, if there are several.
        let cursors = self
            .texts()
            .filter(|candidate| is_cursor(&candidate.name) || candidate.name == "after");
        let cursor = only(cursors);
        let page = || self.candidates.iter().find(|candidate| is_page(&candidate.name));
        let offset = || self.candidates.iter().find(|candidate| is_offset(&candidate.name));
        Some((cursor.or_else(page).or_else(offset)?, next))
    }

    /// A number of the response, which is sent as it is.
    fn number(&self) -> Option<Found<'_, 'd>> {
        let mut counted = self
            .numbers()
            .filter(|candidate| is_page(&candidate.name) || is_offset(&candidate.name));
        counted.find_map(|candidate| {
            let mut numbers = self.members.iter().filter(|member| member.is_number());
            let next = numbers.find(|member| names::is_next_number(&member.names, &candidate.name))?;
            Some((candidate, NextPosition::Number(next.way.clone())))
        })
    }

    /// The id of the last item, where a boolean ends the list.
    fn last_item(&self) -> Option<Found<'_, 'd>> {
        self.members.iter().find(|member| is_more(member))?;
        let last = self
            .members
            .iter()
            .find(|member| member.is_text() && member.name() == "last_id");
        let after = |candidate: &&Candidate<'_>| {
            let names: &[&str] = match last {
                Some(_) => &["after", "after_id", "start_after", "starting_after"],
                None => &["after_id", "start_after", "starting_after"],
            };
            names.contains(&candidate.name.as_str())
        };
        let candidate = only(self.texts().filter(after))?;
        if let Some(last) = last {
            return Some((candidate, NextPosition::Cursor(last.way.clone())));
        }
        let mut properties = members::properties(self.items.item, self.schemas).iter();
        let id = properties.find(|property| property.name == "id" && matches!(property.ty, Type::String(_)))?;
        let is_item = !matches!(self.items.item, Type::Nullable(_));
        let id = members::step(id);
        (is_item && !id.optional).then_some((candidate, NextPosition::LastItem(id)))
    }

    /// The number of items, or of pages.
    fn counted(&self) -> Option<Found<'_, 'd>> {
        if !self.has_size {
            return None;
        }
        if let Some(candidate) = only(self.numbers().filter(|candidate| is_offset(&candidate.name))) {
            let first = candidate.parameter.default.as_ref().and_then(serde_json::Value::as_i64);
            // An index of items that begins at one is no offset.
            let is_offset = first.is_none_or(|first| first == 0) && candidate.name != "start_index";
            let total = self.way_of_number(names::is_total);
            return is_offset.then_some((candidate, NextPosition::Offset { first: 0, total }));
        }
        let candidate = only(self.numbers().filter(|candidate| is_page(&candidate.name)))?;
        let first = first_page(candidate.parameter, self.schemas)?;
        // Numbers of the last page count from one.
        let last = match first {
            1 => self.way_of_number(names::is_last_page),
            _ => None,
        };
        Some((candidate, NextPosition::Page { first, last }))
    }

    fn way_of_number(&self, is_it: fn(&str) -> bool) -> Option<Vec<Step>> {
        let mut numbers = self.members.iter().filter(|member| member.is_number());
        numbers
            .find(|member| is_it(member.name()))
            .map(|member| member.way.clone())
    }
}

/// The number of the first page, if the document has it: 0 or 1.
fn first_page(parameter: &Parameter, schemas: &[Schema]) -> Option<i64> {
    if let Some(default) = &parameter.default {
        return default.as_i64().filter(|first| [0, 1].contains(first));
    }
    if let Type::Integer(_, limits) = members::resolved(&parameter.ty, schemas)
        && limits.min == Some(1)
    {
        return Some(1);
    }
    let description = parameter.docs.paragraphs().join(" ").to_lowercase();
    let says = |texts: &[&str]| texts.iter().any(|text| description.contains(text));
    if says(&[
        "1-based",
        "one-based",
        "starts at 1",
        "starting at 1",
        "starting from 1",
        "starts from 1",
    ]) {
        return Some(1);
    }
    says(&[
        "0-based",
        "zero-based",
        "starts at 0",
        "starting at 0",
        "starting from 0",
        "starts from 0",
    ])
    .then_some(0)
}

/// The only one.
fn only<T>(mut all: impl Iterator<Item = T>) -> Option<T> {
    let first = all.next();
    first.filter(|_| all.next().is_none())
}
