//! Lists in parameters: each item is read separately, and violations have its index.

use crate::field::{At, Field, Found, Value};
use crate::schema_rules::Size;

/// The texts of a list.
pub struct List<'r> {
    at: At<'r>,
    items: Option<Vec<String>>,
    bad: bool,
}

impl<'r> Field<'r> {
    /// A list, with a character between the items.
    pub fn split(self, separator: char) -> List<'r> {
        let items = self.text.map(|text| text.split(separator).map(str::to_owned).collect());
        List::new(self.at, items, self.bad)
    }
}

impl<'r> List<'r> {
    pub fn new(at: At<'r>, items: Option<Vec<String>>, bad: bool) -> Self {
        Self { at, items, bad }
    }

    /// Reads each item by `read`.
    pub fn each<T>(mut self, read: impl for<'i> Fn(Field<'i>) -> Value<'i, T>) -> Value<'r, Vec<T>> {
        let Some(texts) = self.items else {
            let found = if self.bad { Found::Bad } else { Found::Nothing };
            return Value::new(self.at, found);
        };
        // All are read, to collect all violations.
        let mut values = Vec::with_capacity(texts.len());
        for (index, text) in texts.into_iter().enumerate() {
            values.push(read(Field::item(self.at.item(index), text)).required());
        }
        let found = match values.into_iter().collect() {
            Some(values) => Found::Good(values),
            None => Found::Bad,
        };
        Value::new(self.at, found)
    }
}

impl<'r, T> Value<'r, Vec<T>> {
    /// Checks the number of items.
    pub fn sized(self, min: Option<u64>, max: Option<u64>) -> Self {
        self.check(|list| {
            let size = Size { min, max, ..Size::ANY };
            size.check(list.len(), "items")
        })
    }

    /// Checks that the items differ.
    pub fn unique(self) -> Self
    where
        T: PartialEq,
    {
        self.check(|list| {
            let repeated = |(index, item)| list.iter().take(index).any(|other| other == item);
            match list.iter().enumerate().any(repeated) {
                true => Err(("repeated", "must not repeat an item".to_owned())),
                false => Ok(()),
            }
        })
    }
}
