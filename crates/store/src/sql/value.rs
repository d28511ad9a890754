//! Parameters and columns of statements.

use crate::StoreError;

/// A value in an engine. Points in time and booleans are integers, ids bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Value<'a> {
    Null,
    Integer(i64),
    Text(&'a str),
    Bytes(&'a [u8]),
}

impl Value<'_> {
    /// Copies the value, to outlive its row.
    pub(crate) fn to_owned_value(self) -> OwnedValue {
        match self {
            Self::Null => OwnedValue::Null,
            Self::Integer(number) => OwnedValue::Integer(number),
            Self::Text(text) => OwnedValue::Text(text.into()),
            Self::Bytes(bytes) => OwnedValue::Bytes(bytes.into()),
        }
    }
}

/// A [`Value`] that outlives its row.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) enum OwnedValue {
    Null,
    Integer(i64),
    Text(Box<str>),
    Bytes(Box<[u8]>),
}

impl Bind for OwnedValue {
    fn bind(&self) -> Value<'_> {
        match self {
            Self::Null => Value::Null,
            Self::Integer(number) => Value::Integer(*number),
            Self::Text(text) => Value::Text(text),
            Self::Bytes(bytes) => Value::Bytes(bytes),
        }
    }
}

/// Parameter of a statement.
pub(crate) trait Bind {
    fn bind(&self) -> Value<'_>;
}

macro_rules! integers {
    ($($ty:ty),*) => {
        $(impl Bind for $ty {
            fn bind(&self) -> Value<'_> {
                Value::Integer(i64::from(*self))
            }
        }

        impl Column for $ty {
            fn of(value: Value<'_>) -> Option<Self> {
                match value {
                    Value::Integer(number) => number.try_into().ok(),
                    _ => None,
                }
            }
        })*
    };
}
integers!(i64, u32);

impl Bind for str {
    fn bind(&self) -> Value<'_> {
        Value::Text(self)
    }
}

impl Bind for String {
    fn bind(&self) -> Value<'_> {
        Value::Text(self)
    }
}

impl Bind for [u8] {
    fn bind(&self) -> Value<'_> {
        Value::Bytes(self)
    }
}

impl<const N: usize> Bind for [u8; N] {
    fn bind(&self) -> Value<'_> {
        Value::Bytes(self)
    }
}

impl<T: Bind> Bind for Option<T> {
    fn bind(&self) -> Value<'_> {
        self.as_ref().map_or(Value::Null, Bind::bind)
    }
}

impl<T: Bind + ?Sized> Bind for &T {
    fn bind(&self) -> Value<'_> {
        (**self).bind()
    }
}

/// Parameters of a statement, in their order.
pub(crate) type Params<'a> = &'a [&'a dyn Bind];

/// Builds [`Params`].
macro_rules! params {
    ($($value:expr),* $(,)?) => {
        &[$(&$value as &dyn $crate::sql::value::Bind),*]
    };
}
pub(crate) use params;

/// A row of an engine.
pub(crate) trait Columns {
    /// The value of a column, counted from 0. None if there is no such column, or its type is not one of the store.
    fn value(&self, index: usize) -> Option<Value<'_>>;
}

/// A row of a statement.
pub(crate) struct Row<'a>(pub(super) &'a dyn Columns);

impl Row<'_> {
    /// The raw value of a column, counted from 0.
    pub(super) fn raw(&self, index: usize) -> Result<Value<'_>, StoreError> {
        let value = self.0.value(index);
        value.ok_or_else(|| StoreError::Engine(format!("column {index} of a row is of no known type").into()))
    }

    /// The value of a column, counted from 0.
    pub(crate) fn get<T: Column>(&self, index: usize) -> Result<T, StoreError> {
        let value = self.0.value(index).and_then(T::of);
        value.ok_or_else(|| StoreError::Engine(format!("column {index} of a row is of another type").into()))
    }
}

/// Type that a column can be read as.
pub(crate) trait Column: Sized {
    fn of(value: Value<'_>) -> Option<Self>;
}

impl Column for bool {
    fn of(value: Value<'_>) -> Option<Self> {
        match value {
            Value::Integer(number) => Some(number != 0),
            _ => None,
        }
    }
}

impl Column for String {
    fn of(value: Value<'_>) -> Option<Self> {
        match value {
            Value::Text(text) => Some(text.to_owned()),
            _ => None,
        }
    }
}

impl Column for Vec<u8> {
    fn of(value: Value<'_>) -> Option<Self> {
        match value {
            Value::Bytes(bytes) => Some(bytes.to_owned()),
            _ => None,
        }
    }
}

impl<const N: usize> Column for [u8; N] {
    fn of(value: Value<'_>) -> Option<Self> {
        match value {
            Value::Bytes(bytes) => bytes.try_into().ok(),
            _ => None,
        }
    }
}

impl<T: Column> Column for Option<T> {
    fn of(value: Value<'_>) -> Option<Self> {
        match value {
            Value::Null => Some(None),
            value => T::of(value).map(Some),
        }
    }
}
