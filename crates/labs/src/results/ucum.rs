//! Units in UCUM, which FHIR requires.
//!
//! A table, not a parser: labs write few units, in forms that no grammar of UCUM accepts (`K/uL`, `mIU/L`). Tests compare
//! its codes with a parser.

/// UCUM codes, and the notations of labs. Notations of labs ignore case.
const UNITS: &[(&str, &[&str])] = &[
    ("%", &["percent"]),
    ("mg/dL", &["mg%"]),
    ("g/dL", &["g%", "gm/dL"]),
    ("ug/dL", &["mcg/dL"]),
    ("ng/dL", &[]),
    ("pg/dL", &[]),
    ("g/L", &[]),
    ("mg/L", &[]),
    ("ug/L", &["mcg/L"]),
    ("ng/L", &[]),
    ("mg/mL", &[]),
    ("ug/mL", &["mcg/mL"]),
    ("ng/mL", &[]),
    ("pg/mL", &[]),
    ("mol/L", &[]),
    ("mmol/L", &[]),
    ("umol/L", &["mcmol/L"]),
    ("nmol/L", &[]),
    ("pmol/L", &[]),
    ("nmol/mL", &[]),
    ("meq/L", &[]),
    ("mmol/mol", &[]),
    ("mg/g", &[]),
    ("ug/g", &["mcg/g"]),
    ("mg/g{creat}", &["mg/g creat", "mg/g creatinine"]),
    ("ug/mg{creat}", &["ug/mg creat", "mcg/mg creat"]),
    ("mg/mmol", &[]),
    ("ng/mL/h", &["ng/mL/hr"]),
    ("mg/(24.h)", &["mg/24 h", "mg/24 hr", "mg/24h", "mg/day"]),
    ("U/L", &["units/L"]),
    ("U/mL", &["units/mL"]),
    ("kU/L", &[]),
    ("mU/L", &[]),
    ("mU/mL", &[]),
    ("uU/mL", &["mcU/mL"]),
    ("[IU]/L", &["IU/L"]),
    ("[IU]/mL", &["IU/mL"]),
    ("k[IU]/L", &["kIU/L"]),
    ("k[IU]/mL", &["kIU/mL"]),
    ("m[IU]/L", &["mIU/L"]),
    ("m[IU]/mL", &["mIU/mL"]),
    ("u[IU]/mL", &["uIU/mL", "mcIU/mL"]),
    (
        "10*3/uL",
        &[
            "K/uL",
            "K/mcL",
            "10^3/uL",
            "x10^3/uL",
            "x10E3/uL",
            "10E3/uL",
            "Thousand/uL",
            "Thous/uL",
            "thou/mcL",
        ],
    ),
    (
        "10*6/uL",
        &[
            "M/uL",
            "M/mcL",
            "10^6/uL",
            "x10^6/uL",
            "x10E6/uL",
            "10E6/uL",
            "Million/uL",
            "Mill/uL",
            "mill/mcL",
        ],
    ),
    ("10*9/L", &["10^9/L", "x10^9/L", "x10E9/L", "10E9/L"]),
    ("10*12/L", &["10^12/L", "x10^12/L", "x10E12/L", "10E12/L"]),
    ("/uL", &["per uL"]),
    ("{cells}/uL", &["cells/uL", "cells/mcL"]),
    ("{copies}/mL", &["copies/mL"]),
    ("/[HPF]", &["/HPF", "per HPF"]),
    ("/[LPF]", &["/LPF", "per LPF"]),
    ("/100{WBCs}", &["/100 WBC", "/100 WBCs"]),
    ("fL", &[]),
    ("pg", &[]),
    ("mm/h", &["mm/hr", "mm/1h"]),
    ("mL/min", &[]),
    ("mL/min/{1.73_m2}", &["mL/min/1.73m2", "mL/min/1.73 m2", "mL/min/1.73"]),
    ("mosm/kg", &["mOsm/kg H2O"]),
    ("mosm/L", &[]),
    ("mm[Hg]", &["mmHg", "mm Hg"]),
    ("s", &["sec", "seconds"]),
    ("min", &["minutes"]),
    ("h", &["hours"]),
    ("d", &["days"]),
    ("a", &["years"]),
    ("mL", &[]),
    ("L", &[]),
    ("kg", &[]),
    ("kg/m2", &["kg/m^2"]),
    ("cm", &[]),
    ("/min", &["bpm", "beats/min", "beats per minute"]),
    ("Cel", &["deg C", "\u{b0}C"]),
    ("[degF]", &["deg F", "\u{b0}F"]),
    ("[pH]", &["pH", "pH units"]),
    ("{ratio}", &["ratio"]),
    ("{index}", &["index", "index value"]),
    ("{score}", &["score"]),
    ("{titer}", &["titer"]),
    ("{INR}", &["INR"]),
    ("{s_co_ratio}", &["s/co", "s/co ratio"]),
];

/// Returns the UCUM code of a unit in the notation of labs or of UCUM. None if it is not in the table. `(calc)` after a
/// unit is ignored: it describes the method.
pub fn ucum(unit: &str) -> Option<&'static str> {
    // The micro sign and the Greek letter; UCUM writes u.
    let unit = unit.trim().replace(['\u{b5}', '\u{3bc}'], "u");
    let unit = unit.strip_suffix("(calc)").unwrap_or(&unit).trim_end();
    // These two are case-sensitive: giga and tera a litre, as labs outside of the United States count cells.
    match unit {
        "G/L" => return Some("10*9/L"),
        "T/L" => return Some("10*12/L"),
        _ => {}
    }
    let code = UNITS.iter().find(|(code, _)| *code == unit);
    let other = |(code, forms): &&(&str, &[&str])| {
        code.eq_ignore_ascii_case(unit) || forms.iter().any(|form| form.eq_ignore_ascii_case(unit))
    };
    code.or_else(|| UNITS.iter().find(other)).map(|(code, _)| *code)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::{UNITS, ucum};

    #[test]
    fn the_codes_are_of_ucum() {
        for (code, _) in UNITS {
            assert!(ucum_parser::validate(code).is_ok(), "{code}");
        }
    }

    #[test]
    fn no_two_codes_have_the_same_form() {
        let mut forms = BTreeMap::new();
        for (code, others) in UNITS {
            for form in others.iter().chain([code]) {
                assert_eq!(forms.insert(form.to_lowercase(), code), None, "{form}");
            }
        }
    }

    /// The catalogue of the service uses UCUM.
    #[test]
    fn the_units_of_the_catalogue_are_codes() {
        let catalogue = concat!(env!("CARGO_MANIFEST_DIR"), "/../sample/data/loinc.tsv");
        let catalogue = std::fs::read_to_string(catalogue).expect("the catalogue");
        for unit in catalogue.lines().filter_map(|line| line.split('\t').nth(2)) {
            assert_eq!(
                ucum(unit),
                Some(unit)
                    .filter(|unit| !unit.is_empty())
                    .map(ToOwned::to_owned)
                    .as_deref()
            );
        }
    }

    #[test]
    fn what_labs_write_is_known() {
        for (unit, code) in [
            ("mg/dL", Some("mg/dL")),
            ("MG/DL", Some("mg/dL")),
            (" mIU/mL ", Some("m[IU]/mL")),
            ("\u{b5}g/dL", Some("ug/dL")),
            ("\u{3bc}IU/mL", Some("u[IU]/mL")),
            ("x10E3/uL", Some("10*3/uL")),
            ("mEq/L", Some("meq/L")),
            ("mg/dL (calc)", Some("mg/dL")),
            ("(calc)", None),
            ("", None),
            ("bananas", None),
        ] {
            assert_eq!(ucum(unit), code, "{unit}");
        }
    }
}
