//! Normalises equivalent spellings in requests: aliases of members, and times without an offset, which are in UTC.

use serde_json::{Map, Value};

use super::{Member, Rule, violations};
use crate::parameter::is_without_offset;

/// Replaces other spellings by the document's own. Returns whether there was one.
///
/// An alias beside the member itself is removed if it has the same value; one with another value stays, and is one of
/// the [`violations`].
pub(crate) fn normalise(value: &mut Value, rule: &Rule) -> bool {
    match rule {
        Rule::See(rule) | Rule::Nullable(rule) | Rule::Aliased(_, rule) => normalise(value, rule),
        Rule::DateTime => add_offset(value),
        Rule::List(items, _) => each(value.as_array_mut().into_iter().flatten(), items),
        Rule::Map(_, values, _) => {
            let members = value.as_object_mut().into_iter().flat_map(Map::values_mut);
            each(members, values)
        }
        Rule::Object(members, ..) => match value {
            Value::Object(found) => object(found, members),
            _ => false,
        },
        Rule::Tagged(property, choices) => {
            let tag = value[*property].as_str().unwrap_or_default().to_owned();
            let chosen = choices.iter().find(|(tags, _)| tags.contains(&tag.as_str()));
            chosen.is_some_and(|(_, rule)| normalise(value, rule))
        }
        Rule::OneOf(choices) | Rule::ExactlyOne(choices) => union(value, choices),
        _ => false,
    }
}

fn each<'v>(values: impl Iterator<Item = &'v mut Value>, rule: &Rule) -> bool {
    values.fold(false, |changed, value| normalise(value, rule) | changed)
}

fn object(found: &mut Map<String, Value>, members: &[Member]) -> bool {
    let mut changed = false;
    for Member(name, _, rule) in members {
        for alias in rule.aliases() {
            let Some(value) = found.get(*alias) else { continue };
            match found.get(*name) {
                Some(own) if own != value => continue,
                Some(_) => drop(found.remove(*alias)),
                None => {
                    let value = found.remove(*alias).unwrap_or_default();
                    found.insert((*name).to_owned(), value);
                }
            }
            changed = true;
        }
        if let Some(value) = found.get_mut(*name) {
            changed |= normalise(value, rule);
        }
    }
    changed
}

/// A value that is of no type as it is written becomes that of the first one that it is in another spelling.
fn union(value: &mut Value, choices: &[Rule]) -> bool {
    let fits = |value: &Value, rule: &Rule| violations(value, rule).is_empty();
    if choices.iter().any(|rule| fits(value, rule)) {
        return false;
    }
    let found = choices.iter().find_map(|rule| {
        let mut value = value.clone();
        (normalise(&mut value, rule) && fits(&value, rule)).then_some(value)
    });
    match found {
        Some(found) => {
            *value = found;
            true
        }
        None => false,
    }
}

fn add_offset(value: &mut Value) -> bool {
    match value {
        Value::String(text) if is_without_offset(text) => {
            text.push('Z');
            true
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::normalise;
    use crate::schema_rules::{Member, Others, Presence, Rule, Size, TextRule, violations};

    static TEXT: Rule = Rule::Text(TextRule::ANY);
    static AGREED: Rule = Rule::Object(
        &[
            Member(
                "agreed_on",
                Presence::OrNull,
                Rule::Aliased(&["agreedOn"], &Rule::DateTime),
            ),
            Member("about", Presence::Required, Rule::Aliased(&["subject", "topic"], &TEXT)),
        ],
        Others::Refused,
        Size::ANY,
    );
    static LISTED: Rule = Rule::List(&Rule::Nullable(&Rule::See(&AGREED)), Size::ANY);

    fn normal(mut value: Value, rule: &Rule) -> (Value, bool) {
        let changed = normalise(&mut value, rule);
        (value, changed)
    }

    #[test]
    fn other_spellings_become_those_of_the_document() {
        for (sent, expected) in [
            (
                json!([{"agreedOn": "2026-05-01T08:00:00", "topic": "a"}]),
                json!([{"agreed_on": "2026-05-01T08:00:00Z", "about": "a"}]),
            ),
            (
                json!([null, {"about": "a", "subject": "a"}]),
                json!([null, {"about": "a"}]),
            ),
            (
                json!([{"about": "a", "agreed_on": "2026-05-01T08:00:00.25"}]),
                json!([{"about": "a", "agreed_on": "2026-05-01T08:00:00.25Z"}]),
            ),
        ] {
            assert_eq!(normal(sent.clone(), &LISTED), (expected.clone(), true), "{sent}");
            assert_eq!(normal(expected.clone(), &LISTED), (expected, false));
        }
    }

    #[test]
    fn an_alias_with_another_value_is_a_violation() {
        let (value, _) = normal(json!({"about": "a", "topic": "b"}), &AGREED);
        let all = violations(&value, &AGREED);
        let all: Vec<_> = all.iter().map(|found| (found.pointer.as_str(), found.code)).collect();
        assert_eq!(all, [("/topic", "conflicting")]);
    }

    #[test]
    fn what_is_no_time_stays() {
        for text in [
            "2026-05-01",
            "2026-05-01T08:00:00Z",
            "2026-05-01T08:00:00+02:00",
            "08:00:00",
            "soon",
        ] {
            assert_eq!(normal(json!(text), &Rule::DateTime), (json!(text), false));
        }
    }

    #[test]
    fn of_several_types_the_one_that_fits_decides() {
        static CHOICES: Rule = Rule::OneOf(&[Rule::Boolean, Rule::See(&AGREED)]);
        assert_eq!(normal(json!({"topic": "a"}), &CHOICES), (json!({"about": "a"}), true));
        assert_eq!(normal(json!(true), &CHOICES), (json!(true), false));
        assert_eq!(normal(json!({"other": 1}), &CHOICES), (json!({"other": 1}), false));
    }
}
