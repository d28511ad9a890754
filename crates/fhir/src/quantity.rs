//! Quantities: a number, its comparator, and its unit, by UCUM if it has a code there.

use serde_json::{Number, Value, json};
use wearlab_labs::results::ucum;

use crate::decimal::Decimal;
use crate::prune::is_blank;

const PRECISION: &str = "http://hl7.org/fhir/StructureDefinition/quantity-precision";
const UCUM: &str = "http://unitsofmeasure.org";

/// Unit as the lab states it, and its UCUM code.
#[derive(Clone, Copy)]
pub(crate) struct Unit<'a> {
    pub(crate) text: Option<&'a str>,
    pub(crate) code: Option<&'static str>,
}

impl<'a> Unit<'a> {
    pub(crate) fn new(text: Option<&'a str>) -> Self {
        let text = text.map(str::trim).filter(|text| !is_blank(text));
        Self {
            text,
            code: text.and_then(ucum),
        }
    }

    /// Creates the quantity of a number in this unit.
    pub(crate) fn quantity(self, value: Option<Number>) -> Value {
        value.map_or(Value::Null, |value| {
            json!({
                "value": value,
                "unit": self.text,
                "system": self.code.map(|_| UCUM),
                "code": self.code,
            })
        })
    }

    fn decimal(self, decimal: Decimal) -> Value {
        let mut quantity = self.quantity(Some(decimal.value));
        if let Some(places) = decimal.decimal_places {
            quantity["extension"] = json!([{"url": PRECISION, "valueInteger": places}]);
        }
        quantity
    }
}

/// Creates the quantity of a text such as `5.1` or `<0.5`.
pub(crate) fn quantity(text: &str, unit: Unit<'_>) -> Option<Value> {
    let text = text.trim();
    let (comparator, number) = [
        ("<=", "<="),
        (">=", ">="),
        ("≤", "<="),
        ("≥", ">="),
        ("<", "<"),
        (">", ">"),
    ]
    .into_iter()
    .find_map(|(sign, comparator)| Some((Some(comparator), text.strip_prefix(sign)?)))
    .unwrap_or((None, text));
    let mut quantity = unit.decimal(Decimal::parse(number.trim_start())?);
    if let Some(comparator) = comparator {
        quantity["comparator"] = json!(comparator);
    }
    Some(quantity)
}

/// Creates the range of a text such as `5-10`: two numbers, the lower one first.
pub(crate) fn range(text: &str, unit: Unit<'_>) -> Option<Value> {
    let (low, high) = text.trim().split_once(['-', '–'])?;
    let (low, high) = (Decimal::parse(low.trim_end())?, Decimal::parse(high.trim_start())?);
    let ascends = low.value.as_f64()? <= high.value.as_f64()?;
    ascends.then(|| json!({"low": unit.decimal(low), "high": unit.decimal(high)}))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prune::prune;

    const PLAIN: Unit<'_> = Unit { text: None, code: None };

    #[test]
    fn comparators_are_apart_from_the_number() {
        for (text, comparator, value) in [
            ("<0.5", json!("<"), json!(0.5)),
            ("> 90", json!(">"), json!(90)),
            ("<=3", json!("<="), json!(3)),
            ("≥ .1", json!(">="), json!(0.1)),
            (" 4 ", Value::Null, json!(4)),
        ] {
            let quantity = quantity(text, PLAIN).expect(text);
            assert_eq!(
                (&quantity["comparator"], &quantity["value"]),
                (&comparator, &value),
                "{text}"
            );
        }
        for text in ["", "<", "<>5", "< 5 mg/dL", "negative", "=5", "1,200"] {
            assert_eq!(quantity(text, PLAIN), None, "{text}");
        }
    }

    #[test]
    fn a_unit_has_a_system_only_with_a_code() {
        let of = |text| quantity("1", Unit::new(text)).map(prune);
        let coded = json!({"value": 1, "unit": "mg/dl", "system": "http://unitsofmeasure.org", "code": "mg/dL"});
        assert_eq!(of(Some(" mg/dl ")), Some(coded));
        assert_eq!(of(Some("bananas")), Some(json!({"value": 1, "unit": "bananas"})));
        assert_eq!(of(Some(" ")), Some(json!({"value": 1})));
        assert_eq!(of(None), Some(json!({"value": 1})));
    }

    #[test]
    fn zeros_at_the_end_are_a_precision() {
        let quantity = quantity("5.10", PLAIN).map(prune);
        let extension = json!([{"url": PRECISION, "valueInteger": 2}]);
        assert_eq!(quantity, Some(json!({"value": 5.1, "extension": extension})));
    }

    #[test]
    fn ranges_ascend() {
        let range = |text| range(text, PLAIN).map(prune);
        let expected = json!({"low": {"value": 5}, "high": {"value": 10.5}});
        assert_eq!(range("5 - 10.5"), Some(expected.clone()));
        assert_eq!(range("5–10.5"), Some(expected));
        for text in ["10-5", "5", "-5", "a-b", "1-2-3", ""] {
            assert_eq!(range(text), None, "{text}");
        }
    }
}
