//! Checks values against their types: for defaults and examples.

use serde_json::Value;

use super::limits::{NumberLimits, SizeLimits, TextLimits};
use super::numbers::{is_multiple, range, whole, within};
use super::pattern;
use super::text_formats::{is_date, is_ipv4, is_ipv6, is_time, is_uuid};
use super::{Members, Schema, SchemaKind, Type};
use crate::source::join;
use crate::suggest;

/// A mismatch between a value and its type.
pub(super) struct Mismatch {
    /// The pointer of the part that does not match.
    pub(super) at: String,
    /// The message, such as `1.5 is not a whole number`.
    pub(super) message: String,
    pub(super) help: String,
}

/// All mismatches between `value` and the type `ty`.
pub(super) fn mismatches(value: &Value, ty: &Type, schemas: &[Schema], at: &str) -> Vec<Mismatch> {
    let mut list = Vec::new();
    Walk {
        schemas,
        list: &mut list,
    }
    .value(value, ty, at);
    list
}

/// All mismatches between `value` and the named schema.
pub(super) fn schema_mismatches(value: &Value, schema: &Schema, schemas: &[Schema], at: &str) -> Vec<Mismatch> {
    let mut list = Vec::new();
    Walk {
        schemas,
        list: &mut list,
    }
    .schema(value, schema, at);
    list
}

struct Walk<'w> {
    schemas: &'w [Schema],
    list: &'w mut Vec<Mismatch>,
}

impl Walk<'_> {
    fn add(&mut self, at: &str, message: String, help: &str) {
        self.list.push(Mismatch {
            at: at.to_owned(),
            message,
            help: help.to_owned(),
        });
    }

    fn kind(&mut self, value: &Value, wanted: &str, at: &str) {
        self.add(
            at,
            format!("{} is not {wanted}", shown(value)),
            &format!("write {wanted}"),
        );
    }

    fn value(&mut self, value: &Value, ty: &Type, at: &str) {
        match ty {
            Type::Nullable(inner) => {
                if !value.is_null() {
                    self.value(value, inner, at);
                }
            }
            Type::Ref(name) => {
                // A rejected schema is missing here.
                if let Some(schema) = self.schemas.iter().find(|schema| schema.name == *name) {
                    self.schema(value, schema, at);
                }
            }
            Type::String(limits) => match value.as_str() {
                Some(text) => {
                    let TextLimits { min, max, pattern, .. } = limits;
                    let matches = |pattern: &String| pattern::is_match(pattern, text);
                    if let Some(pattern) = pattern.as_ref().filter(|pattern| !matches(pattern)) {
                        let message = format!("{} does not match `{pattern}`, as its schema requires", shown(value));
                        self.add(at, message, "change the value or the pattern");
                    }
                    let length = text.chars().count() as u64;
                    if !within(length, *min, *max) {
                        let noun = if length == 1 { "character" } else { "characters" };
                        let message = format!(
                            "{} has {length} {noun}, but its schema requires {}",
                            shown(value),
                            range(*min, *max)
                        );
                        self.add(at, message, "change the value or the bound");
                    }
                }
                None => self.kind(value, "a string", at),
            },
            Type::File(size) => match value.as_str() {
                Some(text) => self.size(text.len(), size, "bytes", at),
                None => self.kind(value, "a string", at),
            },
            Type::Secret(_) if value.is_string() => {}
            // The value may be a secret, so the message does not contain it.
            Type::Secret(_) => self.add(at, "a secret must be a string".to_owned(), "write a string"),
            Type::Uuid => self.text(value, "a UUID", "00000000-0000-4000-8000-000000000000", is_uuid, at),
            Type::Date => self.text(value, "a date", "2025-01-31", is_date, at),
            Type::DateTime => self.text(value, "a date-time with an offset", "2025-01-31T08:00:00Z", is_time, at),
            Type::Integer(width, limits) => match whole(value) {
                Some(number) if !(width.range().0..=width.range().1).contains(&number) => {
                    let sign = if width.signed { "a" } else { "an unsigned" };
                    let message = format!("{number} is not {sign} {}-bit integer", width.bits);
                    self.add(at, message, "write another one, or `format: int64` in the schema");
                }
                Some(number) => self.number(number, limits, |number, multiple| number % multiple == 0, at),
                None => self.kind(value, "a whole number", at),
            },
            Type::Number(limits) => match value.as_f64() {
                Some(number) => self.number(number, limits, is_multiple, at),
                None => self.kind(value, "a number", at),
            },
            Type::Any => {}
            Type::Ipv4 => self.text(value, "an IPv4 address", "192.0.2.1", is_ipv4, at),
            Type::Ipv6 => self.text(value, "an IPv6 address", "2001:db8::1", is_ipv6, at),
            Type::Boolean if value.is_boolean() => {}
            Type::Boolean => self.kind(value, "true or false", at),
            Type::Open(size) => match value.as_object() {
                Some(members) => self.size(members.len(), size, "members", at),
                None => self.kind(value, "an object", at),
            },
            Type::Array(items, size) => match value.as_array() {
                Some(list) => {
                    self.size(list.len(), size, "items", at);
                    let repeated = (1..list.len()).find(|index| list[..*index].contains(&list[*index]));
                    if let Some(index) = repeated.filter(|_| size.unique) {
                        let message = "an item is repeated, which its schema does not allow".to_owned();
                        self.add(&format!("{at}/{index}"), message, "remove it, or `uniqueItems`");
                    }
                    for (index, item) in list.iter().enumerate() {
                        self.value(item, items, &format!("{at}/{index}"));
                    }
                }
                None => self.kind(value, "a list", at),
            },
            Type::Map { values, size, .. } => match value.as_object() {
                Some(members) => {
                    self.size(members.len(), size, "members", at);
                    for (key, member) in members {
                        self.value(member, values, &join(at, key));
                    }
                }
                None => self.kind(value, "an object", at),
            },
        }
    }

    fn size(&mut self, count: usize, limits: &SizeLimits, noun: &str, at: &str) {
        if !within(count as u64, limits.min, limits.max) {
            let wanted = range(limits.min, limits.max);
            let message = format!("there are {count} {noun}, but its schema requires {wanted}");
            self.add(at, message, "change the value or the bound");
        }
    }

    fn number<T: PartialOrd + Copy + ToString>(
        &mut self,
        number: T,
        limits: &NumberLimits<T>,
        is_multiple: fn(T, T) -> bool,
        at: &str,
    ) {
        let rules = [
            limits.min.filter(|min| number < *min).map(|min| ("at least", min)),
            limits.max.filter(|max| number > *max).map(|max| ("at most", max)),
            limits
                .above
                .filter(|above| number <= *above)
                .map(|above| ("more than", above)),
            limits
                .below
                .filter(|below| number >= *below)
                .map(|below| ("less than", below)),
            limits
                .multiple_of
                .filter(|of| !is_multiple(number, *of))
                .map(|of| ("a multiple of", of)),
        ];
        if let Some((rule, bound)) = rules.into_iter().flatten().next() {
            let wanted = match (limits.min, limits.max, rule) {
                (Some(min), Some(max), "at least" | "at most") => format!("{} to {}", min.to_string(), max.to_string()),
                _ => format!("{rule} {}", bound.to_string()),
            };
            let message = format!("{} is out of bounds: its schema requires {wanted}", number.to_string());
            self.add(at, message, "change the value or the bound");
        }
    }

    fn text(&mut self, value: &Value, wanted: &str, such_as: &str, fits: fn(&str) -> bool, at: &str) {
        if !value.as_str().is_some_and(fits) {
            let message = format!("{} is not {wanted}", shown(value));
            self.add(at, message, &format!("write a valid one, such as `{such_as}`"));
        }
    }

    fn schema(&mut self, value: &Value, schema: &Schema, at: &str) {
        match &schema.kind {
            SchemaKind::OpenEnum(_) if value.is_string() => {}
            SchemaKind::OpenEnum(_) => self.kind(value, "a string", at),
            SchemaKind::ClosedEnum(values) => {
                let text = value.as_str();
                if !values.iter().any(|known| Some(known.as_str()) == text) {
                    let help = suggest::advice(text.unwrap_or_default(), values.iter().map(String::as_str));
                    self.add(
                        at,
                        format!("{} is not a value of `{}`", shown(value), schema.name),
                        &help,
                    );
                }
            }
            SchemaKind::IntegerEnum(_) if value.is_i64() => {}
            SchemaKind::IntegerEnum(_) => self.kind(value, "a whole number", at),
            SchemaKind::Alias(ty) => self.value(value, ty, at),
            SchemaKind::Union(union) => {
                let fits = |ty: &Type| mismatches(value, ty, self.schemas, at).is_empty();
                let fitting = union.variants.iter().filter(|variant| fits(&variant.ty)).count();
                if fitting > 1 && union.exclusive && union.discriminator.is_none() {
                    let message = format!("{} is of several of the types of `{}`", shown(value), schema.name);
                    self.add(
                        at,
                        message,
                        "write a value of one of them alone, or `anyOf` in the schema",
                    );
                }
                if fitting == 0 {
                    let message = format!("{} is of none of the types of `{}`", shown(value), schema.name);
                    self.add(at, message, "write a value of one of them");
                }
            }
            SchemaKind::Object {
                properties,
                members: others,
            } => {
                let Some(members) = value.as_object() else {
                    let message = format!("{} is not an object, as `{}` requires", shown(value), schema.name);
                    return self.add(at, message, "write an object");
                };
                self.size(members.len(), &schema.size, "members", at);
                let is_property = |key: &str| properties.iter().any(|property| property.name == key);
                if *others == Members::Refused
                    && let Some(key) = members.keys().find(|key| !is_property(key))
                {
                    let message = format!("`{key}` is no property of `{}`, which allows no others", schema.name);
                    let names = properties.iter().map(|property| property.name.as_str());
                    self.add(&join(at, key), message, &suggest::advice_or(key, names, "remove it"));
                }
                for property in properties {
                    match members.get(&property.name) {
                        Some(member) => self.value(member, &property.ty, &join(at, &property.name)),
                        None if property.sent => {
                            let message = format!("`{}` is missing; `{}` requires it", property.name, schema.name);
                            let free = members.keys().map(String::as_str).filter(|key| !is_property(key));
                            let help = match suggest::nearest(&property.name, free) {
                                Some(key) => format!("did you mean `{}` instead of `{key}`?", property.name),
                                None => "add it, or remove it from the schema's `required`".to_owned(),
                            };
                            self.add(at, message, &help);
                        }
                        None => {}
                    }
                }
            }
        }
    }
}

/// A value in a message, shortened.
fn shown(value: &Value) -> String {
    match value {
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
        Value::String(text) if text.chars().count() > 40 => "this string".to_owned(),
        other => format!("`{other}`"),
    }
}
