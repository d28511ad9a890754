//! Every `$ref` leads to a component of the kind that belongs there.

use serde_json::Value;

use crate::Code;
use crate::source::{Report, Source, join};
use crate::suggest;

/// Checks the `$ref` of the object at `pointer`, where a component of the kind `wanted` belongs.
pub(super) fn check(source: &Source<'_>, report: &mut Report<'_>, pointer: &str, target: &Value, wanted: &str) {
    let at = join(pointer, "$ref");
    let Some(target) = target.as_str() else {
        return report.value_error(Code::WrongKind, &at, "`$ref` must be a string", "write a string");
    };
    let place = target
        .strip_prefix("#/components/")
        .and_then(|rest| rest.split_once('/'));
    let Some((kind, name)) = place else {
        let name = target.rsplit('/').next().unwrap_or_default();
        // Another file has components of its own.
        let here = target.starts_with('#') || target == name;
        let known = component(source, wanted, name).filter(|_| here);
        return report.value_error(
            Code::ReferenceOutside,
            &at,
            format!("`{target}` leads out of the document's components"),
            match known {
                Some(known) => format!("write `{known}`"),
                None => format!("copy what it names to `components.{wanted}`, and write `#/components/{wanted}/Name`"),
            },
        );
    };
    let components = source.value.pointer(&format!("/components/{wanted}"));
    let names = components
        .and_then(Value::as_object)
        .into_iter()
        .flat_map(|all| all.keys());
    if kind != wanted {
        let help = match names.clone().find(|known| *known == name) {
            Some(_) => format!("write `#/components/{wanted}/{name}`"),
            None => format!("here belongs `#/components/{wanted}/Name`"),
        };
        return report.value_error(
            Code::ReferenceKind,
            &at,
            format!("`{target}` is not among the {wanted} of the components"),
            help,
        );
    }
    if name.contains('/') && source.value.pointer(&target[1..]).is_some() {
        return report.value_error(
            Code::ReferenceInside,
            &at,
            format!("`{target}` leads into a component"),
            format!("name that part as a component of its own, `#/components/{wanted}/Name`, and refer to it"),
        );
    }
    if !names.clone().any(|known| known == name) {
        report.value_error(
            Code::ReferenceMissing,
            &at,
            format!("`{target}` does not exist"),
            suggest::advice(name, names.map(String::as_str)),
        );
        return report.unless_refused(&format!("/components/{wanted}"));
    }
    if is_component(pointer) {
        alias(source, report, &at, target);
    }
}

/// The reference to a component, if there is one of this name.
pub(super) fn component(source: &Source<'_>, kind: &str, name: &str) -> Option<String> {
    let known = source.value["components"][kind].get(name);
    known.map(|_| format!("#/components/{kind}/{name}"))
}

/// Whether a component stands here, and no part of one.
pub(super) fn is_component(pointer: &str) -> bool {
    pointer.starts_with("/components/") && pointer.matches('/').count() == 3
}

/// Refuses a component that is only a reference: said here once, not wherever it is used.
fn alias(source: &Source<'_>, report: &mut Report<'_>, at: &str, target: &str) {
    let mut passed = vec![target];
    let mut last = target;
    loop {
        let component = last.strip_prefix('#').and_then(|at| source.value.pointer(at));
        let Some(next) = component.and_then(|component| component["$ref"].as_str()) else {
            return report.error(
                Code::ReferenceChain,
                at,
                "this component is only another name for a second one",
                format!("refer to `{last}` where this one is used, or write it out here"),
            );
        };
        if passed.contains(&next) {
            return report.error(
                Code::ReferenceCircular,
                at,
                format!("`{next}` leads back to itself"),
                "write the component out, without `$ref`",
            );
        }
        passed.push(next);
        last = next;
    }
}
