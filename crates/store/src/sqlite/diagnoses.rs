//! Diagnoses, and the search for them.

use rusqlite::params;
use wearlab_models::{Diagnosis, Encoded};

use super::document::{encode, rows};
use super::{Engine, Writer};
use crate::StoreError;

impl Engine {
    pub(crate) fn search_diagnoses(&self, query: &str, limit: usize) -> Result<Vec<Encoded<Diagnosis>>, StoreError> {
        let code = compact(query.trim());
        let words = expression(query);
        self.read_together(|connection| {
            // The code itself sorts before the longer codes that begin with it.
            let by_code = "SELECT id, document FROM diagnoses
                WHERE ?1 <> '' AND compact >= ?1 AND compact < ?1 || char(0x10FFFF) ORDER BY compact, code LIMIT ?2";
            let by_words = "SELECT diagnoses.id, document FROM diagnosis_words
                JOIN diagnoses ON diagnoses.id = diagnosis_words.rowid
                WHERE diagnosis_words MATCH ?1 ORDER BY bm25(diagnosis_words), code LIMIT ?2";
            let mut found: Vec<(i64, String)> = connection
                .prepare_cached(by_code)?
                .query_map(params![code, rows(limit)], |row| Ok((row.get(0)?, row.get(1)?)))?
                .collect::<rusqlite::Result<_>>()?;
            if let Some(words) = words.filter(|_| found.len() < limit) {
                let seen: Vec<i64> = found.iter().map(|(id, _)| *id).collect();
                let mut statement = connection.prepare_cached(by_words)?;
                let more = statement.query_map(params![words, rows(limit)], |row| Ok((row.get(0)?, row.get(1)?)))?;
                for hit in more {
                    let hit: (i64, String) = hit?;
                    if !seen.contains(&hit.0) {
                        found.push(hit);
                    }
                }
                found.truncate(limit);
            }
            Ok(found
                .into_iter()
                .map(|(_, document)| Encoded::from_stored(document))
                .collect())
        })
    }
}

impl Writer<'_> {
    pub(crate) fn put_diagnosis(&self, diagnosis: &Diagnosis) -> Result<(), StoreError> {
        let sql = "INSERT INTO diagnoses (code, compact, description, document) VALUES (?1, ?2, ?3, ?4)
            ON CONFLICT (code) DO UPDATE SET description = excluded.description, document = excluded.document
            WHERE diagnoses.document IS NOT excluded.document";
        self.connection.prepare_cached(sql)?.execute(params![
            diagnosis.diagnosis_code,
            compact(&diagnosis.diagnosis_code),
            diagnosis.description,
            encode("diagnosis", diagnosis)?,
        ])?;
        Ok(())
    }
}

/// A code without its dot and in capitals, as it is compared.
fn compact(code: &str) -> String {
    code.chars()
        .filter(|c| *c != '.')
        .map(|c| c.to_ascii_uppercase())
        .collect()
}

/// The query in the engine's language, or nothing if it has no words.
///
/// Every word is quoted and holds letters, digits and accents only, so that nothing in it is an operator.
fn expression(query: &str) -> Option<String> {
    let mut terms = Vec::new();
    for chunk in query.split_whitespace() {
        // "E11.4" is one code, not two words.
        let code = compact(chunk);
        if looks_like_code(&code) {
            terms.push(format!("({{description compact}} : \"{code}\" *)"));
        } else {
            let words = chunk
                .split(|c| !is_word(c))
                .filter(|word| word.contains(char::is_alphanumeric));
            terms.extend(words.map(|word| format!("(description : \"{word}\" *)")));
        }
    }
    (!terms.is_empty()).then(|| terms.join(" AND "))
}

/// A letter and a digit, and then what else a code may hold.
fn looks_like_code(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() >= 2
        && bytes[0].is_ascii_alphabetic()
        && bytes[1].is_ascii_digit()
        && bytes.iter().all(u8::is_ascii_alphanumeric)
}

/// Letters, digits, and the accents that may stand behind them as characters of their own.
fn is_word(c: char) -> bool {
    c.is_alphanumeric() || ('\u{300}'..='\u{36f}').contains(&c)
}

#[cfg(test)]
mod tests {
    use super::expression;

    #[test]
    fn a_query_is_never_an_operator() {
        let of = |query| expression(query).unwrap_or_default();
        assert_eq!(
            of("type-2 AND"),
            r#"(description : "type" *) AND (description : "2" *) AND (description : "AND" *)"#
        );
        assert_eq!(
            of(r#"a" OR b*"#),
            r#"(description : "a" *) AND (description : "OR" *) AND (description : "b" *)"#
        );
        assert_eq!(of("e11.4"), r#"({description compact} : "E114" *)"#);
        assert_eq!(of(" \" * ^ ( ) . \u{301} \0 "), "");
    }
}
