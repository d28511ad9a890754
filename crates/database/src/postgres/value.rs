//! Conversion of parameters and columns.

use std::error::Error;
use std::fmt;

use tokio_postgres::Row;
use tokio_postgres::types::private::BytesMut;
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, to_sql_checked};

use crate::value::{Bind, Columns, OwnedValue, Value};

impl ToSql for Value<'_> {
    fn to_sql(&self, ty: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        match *self {
            Self::Null => Ok(IsNull::Yes),
            Self::Integer(number) => match *ty {
                Type::INT4 => i32::try_from(number)?.to_sql(ty, out),
                _ => number.to_sql(ty, out),
            },
            Self::Text(text) => text.to_sql(ty, out),
            Self::Bytes(bytes) => bytes.to_sql(ty, out),
        }
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

/// Omits the value, which may be personal data.
impl fmt::Debug for OwnedValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OwnedValue")
    }
}

impl ToSql for OwnedValue {
    fn to_sql(&self, ty: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        self.bind().to_sql(ty, out)
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

/// A column as received, with its type.
struct Raw<'a>(Option<Value<'a>>);

impl<'a> FromSql<'a> for Raw<'a> {
    fn from_sql(ty: &Type, raw: &'a [u8]) -> Result<Self, Box<dyn Error + Sync + Send>> {
        Ok(Self(match *ty {
            Type::INT8 => Some(Value::Integer(i64::from_sql(ty, raw)?)),
            Type::INT4 => Some(Value::Integer(i32::from_sql(ty, raw)?.into())),
            Type::BOOL => Some(Value::Integer(bool::from_sql(ty, raw)?.into())),
            Type::TEXT => Some(Value::Text(<&str>::from_sql(ty, raw)?)),
            Type::BYTEA => Some(Value::Bytes(raw)),
            _ => None,
        }))
    }

    fn from_sql_null(_: &Type) -> Result<Self, Box<dyn Error + Sync + Send>> {
        Ok(Self(Some(Value::Null)))
    }

    fn accepts(_: &Type) -> bool {
        true
    }
}

impl Columns for Row {
    fn value(&self, index: usize) -> Option<Value<'_>> {
        self.try_get::<_, Raw<'_>>(index).ok()?.0
    }
}
