//! Formats a failed call as one line for an operator.

use wearlab_client::Error;
use wearlab_client::models::Violation;
use wearlab_service::with_causes;

/// Detail of a 404 for a path without an operation.
const NO_PATH: &str = "Nothing has this path.";

/// Details of a 404 for a wrong organisation or team.
const NO_OWNER: [&str; 3] = [
    "No such organisation.",
    "No such team.",
    "No such organisation, or no such team.",
];

/// Returns whether the requested object does not exist, at a service that has the operation, the organisation and the
/// team.
pub(in crate::cli) fn is_absent(error: &Error) -> bool {
    let detail = error.failure().and_then(|failure| failure.problem()?.detail.as_deref());
    let is_known = detail.is_none_or(|detail| !NO_OWNER.contains(&detail));
    matches!(error, Error::NotFound(_)) && is_known && !is_unknown_operation(error)
}

/// Returns whether a service does not have the operation: it is older, or another service.
pub(super) fn is_unknown_operation(error: &Error) -> bool {
    let Some(failure) = error.failure() else { return false };
    let detail = failure.problem().map(|problem| problem.detail.as_deref());
    match failure.status().as_u16() {
        404 => detail.is_none_or(|detail| detail == Some(NO_PATH)),
        405 | 501 => true,
        _ => false,
    }
}

/// Returns the reason of a failure: that of the problem document, or else the error with its causes.
pub(super) fn reason(error: &Error) -> String {
    let Some(failure) = error.failure() else {
        return with_causes(error);
    };
    if !failure.violations().is_empty() {
        let violations = failure.violations().iter().map(violation);
        return violations.collect::<Vec<_>>().join("; ");
    }
    let Some(detail) = failure.problem().and_then(|problem| problem.detail.as_deref()) else {
        return error.to_string();
    };
    let detail = uncapitalised(detail.trim_end_matches('.'));
    match failure.conflict().and_then(|conflict| conflict.id.as_deref()) {
        Some(id) => format!("{detail}: {id}"),
        None => detail,
    }
}

fn violation(violation: &Violation) -> String {
    let place = violation.location.trim_start_matches("/body/");
    format!("{place} {}", violation.message)
}

/// Makes a sentence part of another one. A word in capitals, such as API, is kept.
fn uncapitalised(sentence: &str) -> String {
    let mut letters = sentence.chars();
    match (letters.next(), letters.clone().next()) {
        (Some(first), Some(second)) if !second.is_uppercase() => first.to_lowercase().chain(letters).collect(),
        _ => sentence.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::uncapitalised;

    #[test]
    fn sentences_become_parts_of_others() {
        for (sentence, part) in [
            ("No such team", "no such team"),
            ("API key", "API key"),
            ("", ""),
            ("A", "A"),
        ] {
            assert_eq!(uncapitalised(sentence), part);
        }
    }
}
