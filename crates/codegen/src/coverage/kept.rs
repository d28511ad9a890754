//! Counts the parts of operations that a typed document has.

use serde_json::Value;

use super::declared::{DeclaredBody, DeclaredOperation, schemes};
use super::{Coverage, Declared, Measure, Values};
use crate::document::{Content, Document, Operation, ParamLocation, Response, Type};
use crate::source::{join, target};

/// Compares a document as it was declared with what is left of it: the JSON value, and the typed document of it.
pub(crate) fn compare(declared: &Declared, values: &Values, root: &Value, document: &Document) -> Coverage {
    let mut coverage = Coverage::default();
    for wanted in &declared.operations {
        let same = |operation: &&Operation| operation.path == wanted.path && operation.method.key() == wanted.method;
        let found = document.operations.iter().find(same);
        let at = join(&join("/paths", &wanted.path), wanted.method);
        let mut missing = Missing {
            coverage: &mut coverage,
            name: format!("{} {}", wanted.method.to_uppercase(), wanted.path),
            generated: found.is_some(),
            whole: found.is_some(),
        };
        missing.count(Measure::Generated, found.is_some(), || "the operation".to_owned());
        missing.parameters(wanted, found);
        missing.bodies(wanted, found);
        missing.responses(wanted, found, root, &at);
        missing.security(wanted, root, &at);
        let whole = missing.whole;
        coverage.count(Measure::Whole, whole);
    }
    values.count(document, &mut coverage);
    coverage
}

struct Missing<'c> {
    coverage: &'c mut Coverage,
    name: String,
    generated: bool,
    whole: bool,
}

impl Missing<'_> {
    fn count(&mut self, measure: Measure, kept: bool, part: impl FnOnce() -> String) {
        // An omitted operation is one missing part.
        if !self.coverage.count(measure, kept) && (self.generated || measure == Measure::Generated) {
            self.coverage.missing.push(format!("{}: {}", self.name, part()));
        }
    }

    fn parameters(&mut self, wanted: &DeclaredOperation, found: Option<&Operation>) {
        for (location, name) in &wanted.parameters {
            let (measure, place) = match location.as_str() {
                "path" => (Measure::Path, ParamLocation::Path),
                "query" => (Measure::Query, ParamLocation::Query),
                "header" => (Measure::Header, ParamLocation::Header),
                "cookie" => (Measure::Cookie, ParamLocation::Cookie),
                _ => continue,
            };
            // A list that is sent as `name[]` may be declared without the brackets.
            let plain = |name: &str| name.trim_end_matches("[]").to_ascii_lowercase();
            let kept = found.is_some_and(|operation| {
                let conditional = operation.conditional && plain(name) == "if-none-match";
                let mut all = operation.parameters.iter();
                conditional || all.any(|known| known.location == place && plain(&known.name) == plain(name))
            });
            self.whole &= kept;
            self.count(measure, kept, || format!("the {location} parameter `{name}`"));
        }
    }

    fn bodies(&mut self, wanted: &DeclaredOperation, found: Option<&Operation>) {
        let Some(body) = wanted.body else { return };
        let kept = found.and_then(|operation| operation.request.as_ref());
        let kept = kept.is_some_and(|kept| is_typed(body, &kept.content));
        self.whole &= kept;
        self.count(Measure::Bodies, kept, || "the body of the request".to_owned());
    }

    fn responses(&mut self, wanted: &DeclaredOperation, found: Option<&Operation>, root: &Value, at: &str) {
        let rest = root.pointer(&join(at, "responses")).unwrap_or(&Value::Null);
        for declared in &wanted.successes {
            let status = &declared.status;
            let number = status.parse().unwrap_or(200);
            let same = |response: &&Response| response.status == number;
            let response = found.and_then(|operation| operation.successes().find(same));
            let kept = response.is_some_and(|response| match (declared.body, &response.body) {
                (None, _) => true,
                (Some(_), None) => false,
                (Some(body), Some(content)) => is_typed(body, content),
            });
            self.whole &= kept;
            self.count(Measure::Successes, kept, || format!("the response {status}"));
            let headers = &target(root, &rest[status])["headers"];
            for name in &declared.headers {
                let kept = response.is_some() && headers.get(name).is_some();
                self.count(Measure::Headers, kept, || {
                    format!("the header `{name}` of the response {status}")
                });
            }
        }
        for status in &wanted.errors {
            let kept = found.is_some() && rest.get(status).is_some();
            self.count(Measure::Errors, kept, || format!("the response {status}"));
        }
    }

    fn security(&mut self, wanted: &DeclaredOperation, root: &Value, at: &str) {
        let kept = root.pointer(&join(at, "security")).and_then(Value::as_array);
        let kept: Vec<_> = kept.into_iter().flatten().map(schemes).collect();
        for alternative in &wanted.security {
            let is_kept = kept.contains(alternative);
            self.whole &= is_kept;
            self.count(Measure::Security, is_kept, || match alternative.as_slice() {
                [] => "the access without credentials".to_owned(),
                names => format!("the credentials `{}`", names.join("` and `")),
            });
        }
    }
}

/// Returns whether a content has a type where the document declares one.
fn is_typed(declared: DeclaredBody, content: &Content) -> bool {
    declared.open || content.ty().is_none_or(|ty| *ty.without_null() != Type::Any)
}
