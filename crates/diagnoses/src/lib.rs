//! Diagnosis codes of ICD-10-CM, and a search in them.
//!
//! The list is part of the binary. It contains every billable code, and the words of the headings above them;
//! `data/README.md` has its source.
//!
//! ```
//! let hits = wearlab_diagnoses::search("diabetes type 2", 5);
//! assert_eq!(hits[0].diagnosis_code, "E11.9");
//! ```

mod bits;
mod counts;
mod index;
mod list;
mod matches;
mod query;
mod rank;
mod rank_key;
#[cfg(test)]
#[path = "../build/roles.rs"]
mod roles;
mod search;
mod similarity;
mod table;
mod words;

use wearlab_models::Diagnosis;

use self::index::Index;

/// Publisher and fiscal year of the list.
pub const SOURCE: &str = "ICD-10-CM, fiscal year 2026, National Center for Health Statistics (NCHS), CDC";
/// First day on which the codes are valid.
pub const VALID_FROM: &str = "2026-04-01";

static INDEX: Index = Index::new();

/// Finds the diagnoses that match a query, best first, at most `limit`.
///
/// A query is a prefix of a code, with or without its dot, or words of a description: all of them, in any order, without
/// accents, the last letters of a word optional. In a word of five or more letters, one letter may be missing, added,
/// wrong or swapped with its neighbour.
pub fn search(query: &str, limit: usize) -> Vec<Diagnosis> {
    INDEX.search(query, limit).codes.into_iter().map(diagnosis).collect()
}

/// Finds the diagnosis of a code, with or without its dot, in letters of either case.
///
/// ```
/// assert_eq!(wearlab_diagnoses::find("e119").unwrap().diagnosis_code, "E11.9");
/// assert!(wearlab_diagnoses::find("E11").is_none(), "a heading is not billable");
/// ```
pub fn find(code: &str) -> Option<Diagnosis> {
    let name = undotted(code)?;
    let mut codes = INDEX.list.beginning(&name);
    codes.find(|code| INDEX.list.name(*code) == name).map(diagnosis)
}

/// Returns the diagnoses whose codes are nearest to an invalid one, at most `limit`: those with the longest common
/// prefix.
///
/// ```
/// let nearest = wearlab_diagnoses::nearest("E11.99", 3);
/// assert_eq!(nearest[0].diagnosis_code, "E11.9");
/// ```
pub fn nearest(code: &str, limit: usize) -> Vec<Diagnosis> {
    let name = undotted(code).unwrap_or_default();
    let beginnings = (1..=name.len())
        .rev()
        .map(|length| INDEX.list.beginning(&name[..length]));
    let codes = beginnings.into_iter().find(|codes| !codes.is_empty());
    codes.into_iter().flatten().take(limit).map(diagnosis).collect()
}

/// Returns a code without its dot and in upper case, if it is made of letters and digits.
fn undotted(code: &str) -> Option<String> {
    let name: String = code.chars().filter(|character| *character != '.').collect();
    name.bytes()
        .all(|byte| byte.is_ascii_alphanumeric())
        .then(|| name.to_ascii_uppercase())
}

/// Returns every diagnosis, in the order of the codes.
pub fn all() -> impl ExactSizeIterator<Item = Diagnosis> {
    (0..INDEX.list.codes()).map(diagnosis)
}

fn diagnosis(code: usize) -> Diagnosis {
    let mut name = INDEX.list.name(code).to_owned();
    if name.len() > 3 {
        name.insert(3, '.');
    }
    Diagnosis::builder()
        .diagnosis_code(name)
        .description(INDEX.list.description(code))
        .build()
}
