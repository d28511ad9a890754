//! Forms (`application/x-www-form-urlencoded`) of objects, lists and maps: `address[city]=Paris&items[0][price]=5`.
//!
//! All values of a form are texts. The target type decides the meaning of a text; of several types, types other than
//! text are tried last.

#![doc(hidden)]

mod texts;

use std::cell::Cell;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

pub use texts::Texts;

/// Maximum nesting of field names.
const DEPTH: usize = 16;

thread_local! {
    static IS_READ: Cell<bool> = const { Cell::new(false) };
}

/// True while values of a form are read.
pub(crate) fn is_read() -> bool {
    IS_READ.get()
}

/// A field whose name does not fit those of others, or is nested too deep.
#[derive(Debug)]
pub struct Malformed {
    /// The first part of its name.
    pub field: String,
}

/// Writes an object as a form. A list of scalars is its name several times, `tag=a&tag=b`, except for the fields that
/// are `deep`: `tag[0]=a&tag[1]=b`. Null and empty values are not sent.
///
/// # Errors
///
/// The value cannot be encoded, or is not an object.
pub fn write<T: Serialize>(value: &T, deep: &[&str]) -> Result<String, serde_json::Error> {
    let Value::Object(fields) = serde_json::to_value(value)? else {
        return Err(serde::ser::Error::custom("a form is an object"));
    };
    let mut form = form_urlencoded::Serializer::new(String::new());
    for (name, value) in &fields {
        match value {
            Value::Array(items) if !deep.contains(&name.as_str()) && items.iter().all(|item| text(item).is_some()) => {
                for text in items.iter().filter_map(text) {
                    form.append_pair(name, &text);
                }
            }
            value => append(&mut form, name, value),
        }
    }
    Ok(form.finish())
}

fn append(form: &mut form_urlencoded::Serializer<'_, String>, name: &str, value: &Value) {
    match value {
        Value::Object(members) => members
            .iter()
            .for_each(|(member, value)| append(form, &format!("{name}[{member}]"), value)),
        Value::Array(items) => items
            .iter()
            .enumerate()
            .for_each(|(index, item)| append(form, &format!("{name}[{index}]"), item)),
        scalar => {
            if let Some(text) = text(scalar) {
                form.append_pair(name, &text);
            }
        }
    }
}

/// The fields of a form: texts, lists of texts, and objects of these.
///
/// # Errors
///
/// [`Malformed`] for a name that does not fit.
pub fn parse(form: &[u8]) -> Result<Value, Malformed> {
    let mut fields = Value::Object(Map::new());
    for (name, text) in form_urlencoded::parse(form) {
        let steps = steps(&name);
        let field = || Malformed {
            field: steps.first().map(|step| (*step).to_owned()).unwrap_or_default(),
        };
        if steps.len() > DEPTH {
            return Err(field());
        }
        put(&mut fields, &steps, text.into_owned()).ok_or_else(field)?;
    }
    Ok(fields)
}

/// Reads a form as a value. None if it does not fit the type.
pub fn value<T: DeserializeOwned>(form: &[u8]) -> Option<T> {
    let fields = parse(form).ok()?;
    guarded(&fields, |texts| T::deserialize(texts).ok())
}

/// The items of a list: a repeated value, one with numbers, or a single one.
///
/// # Errors
///
/// The value, where it is an object without numbers.
pub fn list(value: Value) -> Result<Vec<Value>, Value> {
    match value {
        Value::Array(items) => Ok(items),
        Value::Object(members) => match texts::items(&members) {
            Some(items) => Ok(items.into_iter().cloned().collect()),
            None => Err(Value::Object(members)),
        },
        one => Ok(vec![one]),
    }
}

/// A part of a form as a value. None if it does not fit the type.
pub fn of<T: DeserializeOwned>(value: &Value) -> Option<T> {
    T::deserialize(Texts(value)).ok()
}

/// Reads texts that have names, such as headers.
pub fn texts<'t, R>(texts: impl Iterator<Item = (&'t str, &'t str)>, read: impl FnOnce(Texts<'_>) -> R) -> R {
    let fields = texts.map(|(name, text)| (name.to_owned(), text.into()));
    guarded(&Value::Object(fields.collect()), read)
}

fn guarded<R>(fields: &Value, read: impl FnOnce(Texts<'_>) -> R) -> R {
    let before = IS_READ.replace(true);
    let value = read(Texts(fields));
    IS_READ.set(before);
    value
}

/// The text of a scalar.
fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// `a[b][0]` as `a`, `b`, `0`. A name of another form is one step.
fn steps(name: &str) -> Vec<&str> {
    let Some((first, rest)) = name.strip_suffix(']').and_then(|name| name.split_once('[')) else {
        return vec![name];
    };
    std::iter::once(first).chain(rest.split("][")).collect()
}

/// Puts a text below the steps of its name. None if another value is there already. A repeated name, or one
/// that ends in `[]`, is a list.
fn put(into: &mut Value, steps: &[&str], text: String) -> Option<()> {
    let Some((step, rest)) = steps.split_first() else {
        match into {
            Value::Null => *into = Value::String(text),
            Value::String(first) => *into = Value::Array(vec![Value::String(std::mem::take(first)), text.into()]),
            Value::Array(texts) => texts.push(text.into()),
            _ => return None,
        }
        return Some(());
    };
    if into.is_null() {
        *into = match *step {
            "" => Value::Array(Vec::new()),
            _ => Value::Object(Map::new()),
        };
    }
    match into {
        Value::Object(members) if !step.is_empty() => put(members.entry(*step).or_insert(Value::Null), rest, text),
        // `a[][b]` does not say which item it is of.
        Value::Array(items) if step.is_empty() && rest.is_empty() => {
            items.push(text.into());
            Some(())
        }
        _ => None,
    }
}

/// The number or boolean that a text is.
pub(crate) fn scalar(text: &str) -> Option<Value> {
    serde_json::from_str(text)
        .ok()
        .filter(|value: &Value| value.is_number() || value.is_boolean())
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use serde::{Deserialize, Serialize};
    use serde_json::json;

    use super::{parse, steps, value, write};

    #[derive(Debug, PartialEq, Deserialize, Serialize)]
    struct Order {
        count: i64,
        #[serde(default)]
        tags: Vec<String>,
        #[serde(default)]
        items: Vec<Item>,
        #[serde(default)]
        notes: BTreeMap<String, String>,
        paid: Option<bool>,
    }

    #[derive(Debug, PartialEq, Deserialize, Serialize)]
    struct Item {
        price: f64,
        to: Option<Box<Item>>,
    }

    #[test]
    fn what_is_written_is_read() {
        let order = Order {
            count: -2,
            tags: vec!["a&b".to_owned(), "[c]".to_owned()],
            items: (0..12)
                .map(|price| Item {
                    price: f64::from(price),
                    to: None,
                })
                .collect(),
            notes: [("a b".to_owned(), "5".to_owned())].into(),
            paid: Some(true),
        };
        for deep in [&[][..], &["tags"]] {
            let form = write(&order, deep).expect("an object");
            assert_eq!(value::<Order>(form.as_bytes()).as_ref(), Some(&order), "{form}");
        }
        let small = json!({ "count": 1, "tags": ["a", "b"], "items": [{ "price": 1.5 }], "paid": null });
        let pairs = |deep: &[&str]| {
            let form = write(&small, deep).expect("an object");
            let pairs = form_urlencoded::parse(form.as_bytes()).into_owned();
            pairs
                .map(|(name, text)| format!("{name}={text}"))
                .collect::<BTreeSet<_>>()
        };
        let nested = pairs(&["tags"]);
        let all = ["count=1", "items[0][price]=1.5", "tags[0]=a", "tags[1]=b"];
        assert_eq!(nested.iter().map(String::as_str).collect::<Vec<_>>(), all);
        let repeated = pairs(&[]);
        let all = ["count=1", "items[0][price]=1.5", "tags=a", "tags=b"];
        assert_eq!(repeated.iter().map(String::as_str).collect::<Vec<_>>(), all);
    }

    #[test]
    fn lists_are_read_in_each_form() {
        for form in [
            "count=1&tags=a&tags=b",
            "count=1&tags[]=a&tags[]=b",
            "count=1&tags[1]=b&tags[0]=a",
        ] {
            let order: Order = value(form.as_bytes()).expect("an order");
            assert_eq!(order.tags, ["a", "b"], "{form}");
        }
        assert_eq!(steps("a[b][]"), ["a", "b", ""]);
        assert_eq!(steps("a]"), ["a]"]);
    }

    #[test]
    fn names_that_do_not_fit_are_refused() {
        let deep = format!("count{}=1", "[a]".repeat(40));
        for form in ["count=1&count[a]=2", "tags[a]=1&tags[]=2", "items[][price]=1", &deep] {
            let refused = parse(form.as_bytes());
            assert!(
                refused.is_err_and(|name| ["count", "tags", "items"].contains(&name.field.as_str())),
                "{form}"
            );
        }
        for form in [
            "count=x",
            "tags=a",
            "count=1&items=5",
            "count=1&items[a][price]=5",
            "count[a]=1",
        ] {
            assert_eq!(value::<Order>(form.as_bytes()), None, "{form}");
        }
    }
}
