//! Samples of time series, in their normal form.

mod number;
mod time;

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;
use std::sync::Arc;

use chrono::{DateTime, FixedOffset};

pub use self::number::Number;
pub(crate) use self::time::is_leap_second;
use self::time::push_time;
use crate::{ExactObject, ExactValue, LineError, SampleForm};

/// Type of a sample whose provider has none.
const UNKNOWN: &str = "unknown";
/// Names of the ends of a span, in JSON.
const ENDS: [&str; 2] = ["\"start\"", "\"end\""];

/// Value of a time series with its time. `Debug` shows no values.
///
/// [`read`](Self::read) and [`write`](Self::write) are inverse up to the normal form: times have microseconds at most and
/// the offset of the timestamp, numbers no trailing zeros, and members with the value null are omitted.
#[derive(Clone, PartialEq)]
pub struct Sample {
    /// Time of the measurement, in µs since 1970, UTC.
    pub time: i64,
    /// Offset from UTC of its times, in s to the east.
    pub offset: i32,
    /// Start and end of the span that it covers, in µs since 1970, UTC.
    pub span: Option<(i64, i64)>,
    /// `type`: what distinguishes samples of the same time.
    pub kind: Option<Arc<str>>,
    /// Value of the sample.
    pub value: SampleValue,
    /// Unit of the value.
    pub unit: Option<Arc<str>>,
    /// `timezone_offset`, in s.
    pub timezone_offset: Option<i32>,
    /// All other members, as the text of a JSON object.
    pub rest: Option<Arc<str>>,
}

/// Numbers of a sample.
#[derive(Clone, PartialEq)]
pub enum SampleValue {
    /// No number: its content is in the other members.
    None,
    /// `value`.
    One(Number),
    /// `systolic` and `diastolic`.
    Pressure(Number, Number),
}

impl Sample {
    /// Removes the type `unknown`, if samples of the resource are shown with one.
    pub fn normalize(&mut self, form: SampleForm) {
        if form.typed && self.kind.as_deref() == Some(UNKNOWN) {
            self.kind = None;
        }
    }

    /// Reads a sample whose times have their offsets.
    ///
    /// # Errors
    ///
    /// Returns an error with the invalid member, without its value.
    pub fn read(value: &ExactObject) -> Result<Self, LineError> {
        let timestamp = read_time(value, "timestamp")?;
        let timestamp = timestamp.ok_or_else(|| LineError::new("", "missing field `timestamp`"))?;
        let span = match (read_time(value, "start")?, read_time(value, "end")?) {
            (Some(start), Some(end)) if end < start => {
                return Err(LineError::new("end", "must not be before start"));
            }
            (Some(start), Some(end)) => Some((start, end)),
            _ => None,
        };
        let offset = timestamp.offset().local_minus_utc() / 60 * 60;
        let time = micros("timestamp", timestamp, offset)?;
        let span = match span {
            None => None,
            Some((start, end)) => Some((micros("start", start, offset)?, micros("end", end, offset)?)),
        };
        let numbers = ["value", "systolic", "diastolic"].map(|name| match value.get(name) {
            Some(ExactValue::Number(number)) => Some(Number::read(number.as_str())),
            _ => None,
        });
        let sample_value = match numbers {
            [Some(one), None, None] => SampleValue::One(one),
            [None, Some(systolic), Some(diastolic)] => SampleValue::Pressure(systolic, diastolic),
            _ => SampleValue::None,
        };
        let mut rest = ExactObject::default();
        for (name, member) in value.iter() {
            let has_own = match name {
                "timestamp" | "type" | "unit" | "timezone_offset" => true,
                "start" | "end" => span.is_some(),
                "value" => matches!(sample_value, SampleValue::One(_)),
                "systolic" | "diastolic" => matches!(sample_value, SampleValue::Pressure(..)),
                _ => false,
            };
            if !has_own {
                rest.push(name.to_owned(), member.clone());
            }
        }
        rest.remove_nulls();
        let rest: Option<Arc<str>> = match rest.is_empty() {
            true => None,
            false => serde_json::to_string(&rest).ok().map(Arc::from),
        };
        let (kind, unit) = (read_text(value, "type")?, read_text(value, "unit")?);
        Ok(Self {
            time,
            offset,
            span,
            kind,
            value: sample_value,
            unit,
            timezone_offset: read_seconds(value, "timezone_offset")?,
            rest,
        })
    }

    /// Appends the sample as JSON, in its stored form.
    pub fn write(&self, json: &mut Vec<u8>) {
        self.write_as(SampleForm::default(), json);
    }

    /// Appends the sample as JSON, in a form of reads and events.
    pub fn write_as(&self, form: SampleForm, json: &mut Vec<u8>) {
        let (span, rest) = match self.span {
            None if form.spans => self.whole_span(),
            span => (span, self.rest.as_deref().map(Cow::Borrowed)),
        };
        let kind = self.kind.as_deref().or(form.typed.then_some(UNKNOWN));
        json.extend_from_slice(br#"{"timestamp":"#);
        push_time(json, self.time, self.offset);
        match &self.value {
            SampleValue::None => {}
            SampleValue::One(value) => match value.rounded().filter(|_| form.integers) {
                Some(rounded) => push_number(json, "value", &Number::decimal(rounded, 0)),
                None => push_number(json, "value", value),
            },
            SampleValue::Pressure(systolic, diastolic) => {
                push_number(json, "systolic", systolic);
                push_number(json, "diastolic", diastolic);
            }
        }
        if let Some(unit) = &self.unit {
            json.extend_from_slice(br#","unit":"#);
            push_text(json, unit);
        }
        if let Some(kind) = kind {
            json.extend_from_slice(br#","type":"#);
            push_text(json, kind);
        }
        if let Some(seconds) = self.timezone_offset {
            json.extend_from_slice(br#","timezone_offset":"#);
            json.extend_from_slice(itoa::Buffer::new().format(seconds).as_bytes());
        }
        if let Some((start, end)) = span {
            json.extend_from_slice(br#","start":"#);
            push_time(json, start, self.offset);
            json.extend_from_slice(br#","end":"#);
            push_time(json, end, self.offset);
        }
        if let Some(members) = rest.as_deref().and_then(|rest| rest.strip_prefix('{')) {
            json.push(b',');
            json.extend_from_slice(members.as_bytes());
        } else {
            json.push(b'}');
        }
    }

    /// Returns whether two samples have the same content: other members in any order, and numbers of the same value in
    /// them.
    pub fn says_the_same(&self, other: &Self) -> bool {
        let canonical = |rest: &str| {
            let mut text = String::new();
            ExactValue::read(rest).ok()?.push_canonical(&mut text);
            Some(text)
        };
        let has_same_rest = match (&self.rest, &other.rest) {
            (Some(rest), Some(other)) => rest == other || canonical(rest) == canonical(other),
            (rest, other) => rest == other,
        };
        has_same_rest
            && (self.time, self.offset, self.span, &self.kind) == (other.time, other.offset, other.span, &other.kind)
            && (&self.value, &self.unit, self.timezone_offset) == (&other.value, &other.unit, other.timezone_offset)
    }

    /// Returns a span for a sample without one, up to or from the end that it may name, and its other members.
    fn whole_span(&self) -> (Option<(i64, i64)>, Option<Cow<'_, str>>) {
        let instant = Some((self.time, self.time));
        let Some(rest) = self.rest.as_deref() else {
            return (instant, None);
        };
        let object = ExactValue::read(rest);
        let (Ok(ExactValue::Object(mut object)), true) = (object, ENDS.iter().any(|end| rest.contains(end))) else {
            return (instant, Some(Cow::Borrowed(rest)));
        };
        let mut named = |name: &str| {
            let time = read_time(&object, name)
                .ok()
                .flatten()
                .map(|time| time.timestamp_micros());
            object.remove(name);
            time.unwrap_or(self.time)
        };
        let (start, end) = (named("start"), named("end"));
        let rest = serde_json::to_string(&object).ok().filter(|_| !object.is_empty());
        (Some((start.min(end), end.max(start))), rest.map(Cow::Owned))
    }

    /// Returns whether it has a number as its value.
    pub fn has_value(&self) -> bool {
        matches!(self.value, SampleValue::One(_))
    }

    /// Compares samples for the order of a series. Equal ones replace each other.
    pub fn order(&self, other: &Self) -> Ordering {
        (self.time, self.kind.as_deref()).cmp(&(other.time, other.kind.as_deref()))
    }
}

fn push_number(json: &mut Vec<u8>, name: &str, number: &Number) {
    json.extend_from_slice(b",\"");
    json.extend_from_slice(name.as_bytes());
    json.extend_from_slice(b"\":");
    number.write(json);
}

fn push_text(json: &mut Vec<u8>, text: &str) {
    // Writing into memory cannot fail.
    drop(serde_json::to_writer(json, text));
}

fn read_time(value: &ExactObject, name: &str) -> Result<Option<DateTime<FixedOffset>>, LineError> {
    const EXPECTED: &str = "expected a time of ISO 8601 with its offset, such as 2026-01-31T10:00:00Z";
    match value.get(name) {
        None | Some(ExactValue::Null) => Ok(None),
        Some(ExactValue::String(text)) => {
            let time = time::read_time(text);
            time.map(Some).ok_or_else(|| LineError::new(name, EXPECTED))
        }
        Some(_) => Err(LineError::new(name, EXPECTED)),
    }
}

/// Returns a time in µs since 1970, if its year has four digits with its offset.
fn micros(name: &str, time: DateTime<FixedOffset>, offset: i32) -> Result<i64, LineError> {
    const YEARS: std::ops::RangeInclusive<i64> = -62_167_219_200_000_000..=253_402_300_799_999_999;
    // A leap second belongs to the next day.
    let micros = time.timestamp_micros();
    match YEARS.contains(&(micros + i64::from(offset) * 1_000_000)) {
        true => Ok(micros),
        false => Err(crate::years::beyond(name)),
    }
}

fn read_text(value: &ExactObject, name: &str) -> Result<Option<Arc<str>>, LineError> {
    match value.get(name) {
        None | Some(ExactValue::Null) => Ok(None),
        Some(ExactValue::String(text)) => Ok(Some(Arc::from(text.as_str()))),
        Some(_) => Err(LineError::new(name, "expected a string")),
    }
}

fn read_seconds(value: &ExactObject, name: &str) -> Result<Option<i32>, LineError> {
    const EXPECTED: &str = "expected an integer";
    match value.get(name) {
        None | Some(ExactValue::Null) => Ok(None),
        Some(ExactValue::Number(number)) => {
            let seconds = number.as_str().parse().map(Some);
            seconds.map_err(|_| LineError::new(name, EXPECTED))
        }
        Some(_) => Err(LineError::new(name, EXPECTED)),
    }
}

impl fmt::Debug for Sample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sample").finish_non_exhaustive()
    }
}

impl fmt::Debug for SampleValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SampleValue")
    }
}

#[cfg(test)]
mod tests;
