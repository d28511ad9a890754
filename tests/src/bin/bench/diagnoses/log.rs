//! Fixed log of queries.
//!
//! A third of the queries are one plain word, over a quarter are several words, and the rest are in equal parts a
//! prefix, a word with a typo, and a whole or partial code. The proportions are an assumption, not measured from a real
//! log: people who fill in a form start with the name of a complaint, and add words if the list is too long. The kinds
//! are mixed.

use anyhow::{Context, Result, bail};

/// File of the log, for errors.
pub(super) const LOG: &str = "bench/diagnoses/queries.tsv";

/// Query of the log.
pub(super) struct Query {
    pub(super) kind: Kind,
    pub(super) text: &'static str,
}

/// Kind of a query.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Kind {
    Word,
    Words,
    Prefix,
    Typo,
    Code,
}

impl Kind {
    /// Returns whether the descriptions contain all words unchanged.
    pub(super) fn is_plain(self) -> bool {
        matches!(self, Self::Word | Self::Words)
    }
}

/// Returns the log in order.
pub(super) fn read() -> Result<Vec<Query>> {
    let lines = include_str!("queries.tsv")
        .lines()
        .filter(|line| !line.starts_with('#'));
    lines.map(query).collect()
}

fn query(line: &'static str) -> Result<Query> {
    let (kind, text) = line
        .split_once('\t')
        .with_context(|| format!("{LOG}: no kind: {line}"))?;
    let kind = match kind {
        "word" => Kind::Word,
        "words" => Kind::Words,
        "prefix" => Kind::Prefix,
        "typo" => Kind::Typo,
        "code" => Kind::Code,
        _ => bail!("{LOG}: no such kind: {line}"),
    };
    Ok(Query { kind, text })
}
