//! Conversion of the texts of a form to JSON values.

use serde_json::Value as JsonValue;
use wearlab_kit_types::form;

use super::{Rule, violations};

impl Rule {
    /// The JSON value of a value of a form, whose scalars are texts and whose lists may be objects with
    /// numbers. A text that does not fit its rule stays one. Of several types, texts come first.
    pub fn of_texts(&self, value: JsonValue) -> JsonValue {
        let fits = |value: &JsonValue, rule: &Self| violations(value, rule).is_empty();
        match (self, value) {
            (Self::See(rule) | Self::Nullable(rule) | Self::Aliased(_, rule), value) => rule.of_texts(value),
            (Self::Any, value) => form::of(&value).unwrap_or(value),
            (Self::Map(_, values, _), JsonValue::Object(found)) => {
                let members = found.into_iter().map(|(name, value)| (name, values.of_texts(value)));
                JsonValue::Object(members.collect())
            }
            (Self::Object(..), JsonValue::Object(found)) => {
                let members = found.into_iter().map(|(name, value)| {
                    let value = self.member(&name).unwrap_or(&Self::Any).of_texts(value);
                    (name, value)
                });
                JsonValue::Object(members.collect())
            }
            (Self::List(items, _), value) => match form::list(value) {
                Ok(list) => list.into_iter().map(|item| items.of_texts(item)).collect(),
                Err(value) => value,
            },
            (Self::Tagged(property, choices), value) => {
                let tag = value[*property].as_str().unwrap_or_default();
                match choices.iter().find(|(tags, _)| tags.contains(&tag)) {
                    Some((_, rule)) => rule.of_texts(value),
                    None => value,
                }
            }
            (Self::OneOf(rules) | Self::ExactlyOne(rules), value) if !rules.iter().any(|rule| fits(&value, rule)) => {
                let mut typed = rules.iter().map(|rule| (rule, rule.of_texts(value.clone())));
                let found = typed.find(|(rule, typed)| fits(typed, rule));
                found.map_or(value, |(_, typed)| typed)
            }
            (rule, JsonValue::String(text)) => rule.of_text(&text),
            (_, value) => value,
        }
    }

    /// The value of a text, by a rule for texts alone. Without one, the text itself.
    fn of_text(&self, text: &str) -> JsonValue {
        let value = match self {
            Self::See(rule) | Self::Nullable(rule) | Self::Aliased(_, rule) => return rule.of_text(text),
            Self::Boolean => text.parse::<bool>().ok().map(JsonValue::from),
            Self::Integer(_) => text
                .parse::<i64>()
                .ok()
                .map(JsonValue::from)
                .or_else(|| text.parse::<u64>().ok().map(JsonValue::from)),
            Self::Number(_) => text
                .parse::<f64>()
                .ok()
                .filter(|number| number.is_finite())
                .map(JsonValue::from),
            _ => None,
        };
        value.unwrap_or_else(|| text.into())
    }
}
