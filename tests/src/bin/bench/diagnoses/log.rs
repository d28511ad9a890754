//! What is asked for, in a fixed log.
//!
//! Of its queries a third is one plain word, over a quarter several, and the rest in like parts a beginning that is
//! still typed, a word with a slip, and a code, whole or begun. The proportions are a judgement, not a count of
//! anybody's log: who fills in a form starts with the name of a complaint, and says more where the list offers too
//! much. They come mixed.

use anyhow::{Context, Result, bail};

/// The file of the log, in complaints.
pub(super) const LOG: &str = "bench/diagnoses/queries.tsv";

/// A query of the log.
pub(super) struct Query {
    pub(super) kind: Kind,
    pub(super) text: &'static str,
}

/// What a query is.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Kind {
    Word,
    Words,
    Prefix,
    Typo,
    Code,
}

impl Kind {
    /// Returns whether the descriptions have all words as they are asked for.
    pub(super) fn is_plain(self) -> bool {
        matches!(self, Self::Word | Self::Words)
    }
}

/// The log, in the order in which it is asked.
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
