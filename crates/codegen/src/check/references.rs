//! Checks that every `$ref` refers to a component of the right kind.

use serde_json::Value;

use crate::Code;
use crate::source::{Report, Source, join};
use crate::suggest;

/// Checks the `$ref` of the object at `pointer`, which must refer to a component of the kind `wanted`.
pub(super) fn check(source: &Source<'_>, report: &mut Report<'_>, pointer: &str, target: &Value, wanted: &str) {
    let at = join(pointer, "$ref");
    let Some(target) = target.as_str() else {
        return report.value_error(Code::WrongKind, &at, "`$ref` must be a string", "write a string");
    };
    let path = target
        .strip_prefix("#/components/")
        .and_then(|rest| rest.split_once('/'));
    let Some((kind, name)) = path else {
        let name = target.rsplit('/').next().unwrap_or_default();
        // Another file has components of its own.
        let here = target.starts_with('#') || target == name;
        let known = component(source, wanted, name).filter(|_| here);
        return report.value_error(
            Code::ReferenceOutside,
            &at,
            format!("`{target}` does not refer to a component of this document"),
            match known {
                Some(known) => format!("write `{known}`"),
                None => format!("copy its target to `components.{wanted}`, and write `#/components/{wanted}/Name`"),
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
            None => format!("write `#/components/{wanted}/Name`"),
        };
        return report.value_error(
            Code::ReferenceKind,
            &at,
            format!("`{target}` is not in `components.{wanted}`"),
            help,
        );
    }
    if name.contains('/') && source.value.pointer(&target[1..]).is_some() {
        return report.value_error(
            Code::ReferenceInside,
            &at,
            format!("`{target}` refers to a part of a component"),
            format!("make that part a component of its own, `#/components/{wanted}/Name`, and refer to it"),
        );
    }
    if !names.clone().any(|known| known == name) {
        report.value_error(
            Code::ReferenceMissing,
            &at,
            format!("`{target}` does not exist"),
            suggest::advice(name, names.map(String::as_str)),
        );
        return report.unless_rejected(&format!("/components/{wanted}"));
    }
    if is_component(pointer) {
        alias(source, report, &at, target, wanted);
    }
}

/// The reference to a component, if one has this name.
pub(super) fn component(source: &Source<'_>, kind: &str, name: &str) -> Option<String> {
    let known = source.value["components"][kind].get(name);
    known.map(|_| format!("#/components/{kind}/{name}"))
}

/// Returns whether the pointer is that of a component rather than of a part of one.
pub(super) fn is_component(pointer: &str) -> bool {
    pointer.starts_with("/components/") && pointer.matches('/').count() == 3
}

/// Rejects a component that is only a reference: reported here once, not at each use.
fn alias(source: &Source<'_>, report: &mut Report<'_>, at: &str, target: &str, kind: &str) {
    let mut passed = vec![target];
    let mut last = target;
    loop {
        let component = last.strip_prefix('#').and_then(|at| source.value.pointer(at));
        let Some(next) = component.and_then(|component| component["$ref"].as_str()) else {
            if kind == "schemas" {
                return;
            }
            return report.error(
                Code::ReferenceChain,
                at,
                "this component is only an alias of another one",
                format!("refer to `{last}` instead of this one, or copy it here"),
            );
        };
        if passed.contains(&next) {
            return report.error(
                Code::ReferenceCircular,
                at,
                format!("`{next}` refers to itself"),
                "define the component without `$ref`",
            );
        }
        passed.push(next);
        last = next;
    }
}
