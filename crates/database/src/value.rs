//! Parameters and columns of statements.

use std::marker::PhantomData;

use crate::error::DatabaseError;

/// A value in an engine. Points in time and booleans are integers, ids bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value<'a> {
    /// No value.
    Null,
    /// A number.
    Integer(i64),
    /// A text.
    Text(&'a str),
    /// Bytes.
    Bytes(&'a [u8]),
}

impl Value<'_> {
    /// Copies the value, to outlive its row.
    pub fn to_owned_value(self) -> OwnedValue {
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
pub enum OwnedValue {
    /// No value.
    Null,
    /// A number.
    Integer(i64),
    /// A text.
    Text(Box<str>),
    /// Bytes.
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
pub trait Bind {
    /// The value to bind.
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
pub type Params<'a> = &'a [&'a dyn Bind];

/// Builds [`Params`].
#[macro_export]
macro_rules! params {
    ($($value:expr),* $(,)?) => {
        &[$(&$value as &dyn $crate::Bind),*]
    };
}

/// A row of an engine.
pub trait Columns {
    /// The value of a column, counted from 0. None if there is no such column, or its type is not one of the store.
    fn value(&self, index: usize) -> Option<Value<'_>>;
}

/// A row of a statement. Errors are those of the work that reads it.
pub struct Row<'a, E = DatabaseError> {
    columns: &'a dyn Columns,
    error: PhantomData<fn() -> E>,
}

impl<'a, E: From<DatabaseError>> Row<'a, E> {
    /// Wraps the row of an engine.
    #[inline]
    pub(crate) fn new(columns: &'a dyn Columns) -> Self {
        Self {
            columns,
            error: PhantomData,
        }
    }

    /// The raw value of a column, counted from 0.
    ///
    /// # Errors
    ///
    /// If there is no such column, or its type is not one of [`Value`].
    pub fn raw(&self, index: usize) -> Result<Value<'_>, E> {
        let value = self.columns.value(index);
        value.ok_or_else(|| unfit(index, "no known type"))
    }

    /// The value of a column, counted from 0.
    ///
    /// # Errors
    ///
    /// If there is no such column, or it is of another type.
    #[inline]
    pub fn get<T: Column>(&self, index: usize) -> Result<T, E> {
        let value = self.columns.value(index).and_then(T::of);
        value.ok_or_else(|| unfit(index, "another type"))
    }
}

#[cold]
fn unfit<E: From<DatabaseError>>(index: usize, of: &str) -> E {
    DatabaseError::Engine(format!("column {index} of a row is of {of}").into()).into()
}

/// Type that a column can be read as.
pub trait Column: Sized {
    /// Converts a value. None if it is of another type.
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
