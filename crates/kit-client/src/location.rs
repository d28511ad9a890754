//! Location of a value in a body that is not of its type.
//!
//! A reader that keeps the path (`serde_path_to_error`) is compiled once more for each type of a response, a seventh of
//! the size of the client. So responses are read without it. The path of an error is the end of the JSON that precedes
//! it, found by one reader for all types.

use serde_json::Value;
use serde_json::error::Category;
use serde_path_to_error::Segment;

/// Byte that begins no JSON value.
const BREAK: u8 = b'!';

/// The path to the location of an error, such as `users[0].user_id`; `.` is the whole body.
pub(crate) fn path(body: &[u8], error: &serde_json::Error) -> String {
    let until = &body[..offset(body, error)];
    let found = match error.classify() {
        // The value is well-formed, but not of its type.
        Category::Data => end(&broken(until)),
        // So it may be here, where an enum is not even a text.
        _ => end(body).or_else(|| end(&[until.split_last().map_or(until, |(_, open)| open), &[BREAK]].concat())),
    };
    // Without a mistake within the value, something follows it.
    found.unwrap_or_else(|| ".".to_owned())
}

/// The path at which JSON that is broken ends.
fn end(json: &[u8]) -> Option<String> {
    let mut json = serde_json::Deserializer::from_slice(json);
    let error = serde_path_to_error::deserialize::<_, Value>(&mut json).err()?;
    let path = error.path().to_string();
    // The end of an object with a missing member is where another key could be.
    Some(match error.path().iter().next_back() {
        Some(Segment::Unknown) => match path.trim_end_matches('?').trim_end_matches('.') {
            "" => ".".to_owned(),
            object => object.to_owned(),
        },
        _ => path,
    })
}

/// The bytes before the position of an error: its column counts those of its line.
fn offset(body: &[u8], error: &serde_json::Error) -> usize {
    let lines = body.split_inclusive(|byte| *byte == b'\n');
    let before: usize = lines.take(error.line().saturating_sub(1)).map(<[u8]>::len).sum();
    (before + error.column()).min(body.len())
}

/// A body that goes up to the end of a value, broken off within that value. It may also only begin there, which objects and
/// arrays do in place of text and numbers.
fn broken(body: &[u8]) -> Vec<u8> {
    if let Some((b'"' | b'}' | b']', open)) = body.split_last() {
        return open.to_vec();
    }
    let in_word = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-.".contains(byte);
    let word = body.iter().rev().take_while(|byte| in_word(byte)).count();
    [&body[..body.len() - word], &[BREAK]].concat()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde::Deserialize;
    use serde::de::DeserializeOwned;
    use serde_json::json;

    use super::*;

    #[derive(Debug, Deserialize)]
    #[expect(dead_code, reason = "it is only read")]
    struct Everything {
        text: String,
        number: u8,
        switch: bool,
        nothing: (),
        list: Vec<Vec<i64>>,
        map: BTreeMap<String, Option<f64>>,
        choice: Choice,
        day: days::Day,
        inner: Box<Option<Everything>>,
    }

    #[derive(Debug, Deserialize)]
    #[serde(rename_all = "lowercase")]
    enum Choice {
        One,
        Two,
    }

    mod days {
        //! A type that reads a text and then rejects it.
        #[derive(Debug, serde::Deserialize)]
        #[serde(try_from = "String")]
        pub(super) struct Day;

        impl TryFrom<String> for Day {
            type Error = &'static str;

            fn try_from(text: String) -> Result<Self, Self::Error> {
                (text.len() == 10).then_some(Self).ok_or("no day")
            }
        }
    }

    /// All values that are one alteration away: another value or none at each place.
    fn altered(value: &Value) -> Vec<Value> {
        let mut all: Vec<_> = [
            json!(null),
            json!(true),
            json!(300),
            json!(-1.5e3),
            json!("x \"y\\"),
            json!([[1]]),
            json!({"k": [2]}),
            json!([]),
            json!({}),
        ]
        .into();
        match value {
            Value::Object(members) => {
                for (key, member) in members {
                    let with = |member: Option<Value>| {
                        let mut changed = members.clone();
                        match member {
                            Some(member) => drop(changed.insert(key.clone(), member)),
                            None => drop(changed.shift_remove(key)),
                        }
                        Value::Object(changed)
                    };
                    all.push(with(None));
                    all.extend(altered(member).into_iter().map(|member| with(Some(member))));
                }
            }
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    all.extend(altered(item).into_iter().map(|item| {
                        let mut changed = items.clone();
                        changed[index] = item;
                        Value::Array(changed)
                    }));
                }
            }
            _ => {}
        }
        all
    }

    /// The path of the reader that keeps it, without the key that is not whole, and the path that is found.
    fn both<T: DeserializeOwned>(text: &str) -> Option<(String, String)> {
        let error = serde_json::from_str::<T>(text).err()?;
        let mut json = serde_json::Deserializer::from_str(text);
        let kept = serde_path_to_error::deserialize::<_, T>(&mut json);
        let kept = kept.map_or_else(|error| error.path().to_string(), |_| ".".to_owned());
        let kept = match kept.strip_suffix('?').map(|object| object.trim_end_matches('.')) {
            Some("") => ".".to_owned(),
            object => object.unwrap_or(&kept).to_owned(),
        };
        Some((kept, path(text.as_bytes(), &error)))
    }

    fn agree<T: DeserializeOwned>(value: &Value) {
        assert!(serde_json::from_value::<T>(value.clone()).is_ok(), "{value}");
        let mut wrong = 0;
        for altered in altered(value) {
            let pretty = serde_json::to_string_pretty(&altered).expect("JSON");
            for text in [altered.to_string(), pretty] {
                if let Some((kept, found)) = both::<T>(&text) {
                    assert_eq!(found, kept, "{text}");
                    wrong += 1;
                }
            }
        }
        assert!(wrong > 50, "only {wrong} alterations are mistakes");
    }

    fn everything() -> Value {
        let inner = json!({
            "text": "t", "number": 1, "switch": false, "nothing": null, "list": [[1, 2], [], [3]],
            "map": {"é \" k": 1.5, "l": null}, "choice": "one", "day": "2024-08-19", "inner": null,
        });
        let mut outer = inner.clone();
        outer["choice"] = json!("two");
        outer["inner"] = inner;
        outer
    }

    #[test]
    fn it_is_that_of_a_reader_that_keeps_it() {
        agree::<Everything>(&everything());
    }

    #[test]
    fn a_body_may_be_cut_anywhere_and_go_on_after_its_end() {
        let text = everything().to_string();
        for end in (0..text.len()).filter(|end| text.is_char_boundary(*end)) {
            let (kept, found) = both::<Everything>(&text[..end]).expect("a mistake");
            assert_eq!(found, kept, "{}", &text[..end]);
        }
        assert_eq!(both::<Everything>(&format!("{text} 1")), Some((".".into(), ".".into())));
    }
}
