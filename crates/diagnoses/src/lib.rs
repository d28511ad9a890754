//! The diagnosis codes of ICD-10-CM, and the search among them.
//!
//! The list is part of the program, and the same for everyone. It holds every code that a form can name, with the
//! headings above them as words to find them by; `data/README.md` says where it is from.
//!
//! ```
//! let hits = wearlab_diagnoses::search("diabetes type 2", 5);
//! assert_eq!(hits[0].diagnosis_code, "E11.9");
//! ```

mod bits;
mod index;
mod likeness;
mod list;
mod matches;
mod place;
mod query;
mod rank;
#[cfg(test)]
#[path = "../build/roles.rs"]
mod roles;
mod search;
mod table;
mod tally;
mod words;

use wearlab_models::Diagnosis;

use self::index::Index;

/// Whose list it is, and of which fiscal year.
pub const SOURCE: &str = "ICD-10-CM, fiscal year 2026, National Center for Health Statistics (NCHS), CDC";
/// The day from which the codes are valid.
pub const VALID_FROM: &str = "2026-04-01";

static INDEX: Index = Index::new();

/// The diagnoses that fit a query, best first, at most `limit`.
///
/// A query is the beginning of a code, with its dot or without, or words of the description: all of them, in any order.
/// The last letters of a word may be missing, accents too, and in a word of five or more letters one letter may be
/// missing, too much, wrong or in its neighbour's place.
pub fn search(query: &str, limit: usize) -> Vec<Diagnosis> {
    INDEX.search(query, limit).codes.into_iter().map(diagnosis).collect()
}

/// Every diagnosis, in the order of the codes.
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
