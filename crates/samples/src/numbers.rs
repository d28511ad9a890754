//! Columns of exact numbers.

use std::collections::HashMap;

use wearlab_ingest::Number;

use super::columns::{Decoder, Encoder};
use super::error::DamagedChunk;

/// Writes a column of decimals at one scale. Numbers that do not fit the scale are written as texts.
pub(super) fn write<'a>(out: &mut Encoder, column: impl Iterator<Item = Option<&'a Number>> + Clone) {
    let scales = column.clone().flatten().map(|number| match number {
        Number::Decimal { scale, .. } => *scale,
        Number::Text(_) => 0,
    });
    let scale = scales.max().unwrap_or(0);
    let mut mantissas = Vec::new();
    let mut exceptions = Vec::new();
    for (row, number) in column.enumerate() {
        let at_scale = match number {
            None => Some(0),
            Some(Number::Decimal { mantissa, scale: own }) => 10_i64
                .checked_pow(u32::from(scale - own))
                .and_then(|by| mantissa.checked_mul(by)),
            Some(Number::Text(_)) => None,
        };
        if at_scale.is_none()
            && let Some(number) = number
        {
            exceptions.push((row, number));
        }
        mantissas.push(at_scale.unwrap_or(0));
    }
    out.count(scale.into());
    out.column(&mantissas);
    out.count(exceptions.len());
    for (row, number) in exceptions {
        let mut text = Vec::new();
        number.write(&mut text);
        out.count(row);
        out.bytes(&text);
    }
}

/// A column of exact numbers. An absent number is 0, and the form of the value marks it.
pub(super) struct Numbers {
    scale: u8,
    mantissas: Vec<i64>,
    /// Numbers that do not fit the scale, by row.
    others: HashMap<usize, Number>,
}

impl Numbers {
    pub(super) fn read(from: &mut Decoder<'_>, count: usize) -> Result<Self, DamagedChunk> {
        let scale = u8::try_from(from.count(18)?).map_err(|_| DamagedChunk)?;
        let mantissas = from.column(count)?;
        let mut others = HashMap::new();
        for _ in 0..from.count(count)? {
            let row = from.count(count)?;
            let text = from.text()?;
            if row >= count {
                return Err(DamagedChunk);
            }
            others.insert(row, Number::read(text));
        }
        Ok(Self {
            scale,
            mantissas,
            others,
        })
    }

    pub(super) fn number(&self, row: usize) -> Number {
        let other = match self.others.is_empty() {
            true => None,
            false => self.others.get(&row).cloned(),
        };
        other.unwrap_or_else(|| Number::decimal(self.mantissas[row], self.scale))
    }
}
