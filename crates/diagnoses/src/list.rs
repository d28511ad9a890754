//! The list as the data file has it: headings and codes, what they are called, and what else they cover.

use std::io::{self, Read};
use std::ops::Range;

use flate2::read::GzDecoder;

/// `data/README.md` says how this is made.
const PACKED: &[u8] = include_bytes!("../data/icd10cm.gz");

/// Headings and codes in the order of their codes, so that what stands below a heading follows it.
#[derive(Default)]
pub(crate) struct List<'a> {
    pub(crate) entries: Vec<Entry<'a>>,
    pub(crate) codes: Vec<Code>,
    /// What seventh characters mean: "initial encounter".
    pub(crate) extensions: Vec<&'a str>,
}

/// A heading, or a code before its seventh character.
pub(crate) struct Entry<'a> {
    /// Without its dot.
    code: &'a str,
    pub(crate) title: &'a str,
    pub(crate) terms: Vec<&'a str>,
    /// What other entries call it when they send the reader here.
    pub(crate) mentions: Vec<&'a str>,
    pub(crate) parent: Option<usize>,
    /// The codes below it, or itself.
    pub(crate) codes: Range<usize>,
}

/// A code that a form can hold.
pub(crate) struct Code {
    pub(crate) entry: usize,
    /// The seventh character, and where its meaning stands in `extensions`.
    pub(crate) extension: Option<(char, usize)>,
}

/// The text of the data file.
pub(crate) fn unpack() -> io::Result<String> {
    let mut text = String::with_capacity(4 << 20);
    GzDecoder::new(PACKED).read_to_string(&mut text)?;
    Ok(text)
}

impl<'a> List<'a> {
    pub(crate) fn read(text: &'a str) -> Self {
        let mut list = Self::default();
        let mut lines = text.lines();
        let sets: Vec<Vec<(char, usize)>> = lines
            .by_ref()
            .take_while(|line| !line.is_empty())
            .map(|line| list.set(line))
            .collect();
        let mut lines = lines.peekable();
        let mut above: Vec<usize> = Vec::new();
        while let Some(line) = lines.next() {
            let mut fields = line.split('\t');
            let mut field = || fields.next().unwrap_or_default();
            let (code, set, title) = (field(), field(), field());
            let (terms, mentions) = (split(field()), split(field()));
            while above
                .pop_if(|last| !code.starts_with(list.entries[*last].code))
                .is_some()
            {}
            let (entry, first) = (list.entries.len(), list.codes.len());
            let heading = lines.peek().is_some_and(|next| next.starts_with(code));
            if let Some(set) = set.parse().ok().and_then(|set: usize| sets.get(set)) {
                list.codes.extend(set.iter().map(|&extension| Code {
                    entry,
                    extension: Some(extension),
                }));
            } else if !heading {
                list.codes.push(Code { entry, extension: None });
            }
            list.entries.push(Entry {
                code,
                title,
                terms,
                mentions,
                parent: above.last().copied(),
                codes: first..first,
            });
            above.push(entry);
            for &entry in &above {
                list.entries[entry].codes.end = list.codes.len();
            }
        }
        list
    }

    /// Seventh characters, each before its meaning.
    fn set(&mut self, line: &'a str) -> Vec<(char, usize)> {
        let mut set = Vec::new();
        for extension in split(line) {
            let mut rest = extension.chars();
            let Some(character) = rest.next() else { continue };
            let known = self.extensions.iter().position(|known| *known == rest.as_str());
            let meaning = known.unwrap_or_else(|| {
                self.extensions.push(rest.as_str());
                self.extensions.len() - 1
            });
            set.push((character, meaning));
        }
        set
    }

    /// The code without its dot; what is short of its seventh character is filled with X.
    pub(crate) fn compact(&self, code: &Code) -> String {
        let stem = self.entries[code.entry].code;
        match code.extension {
            Some((character, _)) => format!("{stem:X<6}{character}"),
            None => stem.to_owned(),
        }
    }

    /// The characters of the code without its dot.
    pub(crate) fn length(&self, code: &Code) -> usize {
        code.extension.map_or(self.entries[code.entry].code.len(), |_| 7)
    }

    /// Whether the code is of a chapter for special circumstances: pregnancy and birth, the newborn, malformations, and
    /// external causes.
    pub(crate) fn is_special(&self, code: &Code) -> bool {
        self.entries[code.entry]
            .code
            .starts_with(['O', 'P', 'Q', 'V', 'W', 'X', 'Y'])
    }

    pub(crate) fn description(&self, code: &Code) -> String {
        let title = self.entries[code.entry].title;
        match code.extension {
            Some((_, meaning)) => format!("{title}, {}", self.extensions[meaning]),
            None => title.to_owned(),
        }
    }

    /// The codes that begin so, which stand together.
    pub(crate) fn beginning(&self, beginning: &str) -> Range<usize> {
        let first = self
            .codes
            .partition_point(|code| self.compact(code).as_str() < beginning);
        let rest = &self.codes[first..];
        first..first + rest.partition_point(|code| self.compact(code).starts_with(beginning))
    }
}

fn split(field: &str) -> Vec<&str> {
    field.split('|').filter(|part| !part.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_stand_in_order_below_their_headings() {
        let text = unpack().expect("the file is whole");
        let list = List::read(&text);
        let codes: Vec<String> = list.codes.iter().map(|code| list.compact(code)).collect();
        assert!(codes.is_sorted_by(|a, b| a < b), "sorted, and none twice");
        for entry in &list.entries {
            assert!(!entry.codes.is_empty(), "{} has no code", entry.code);
            assert!(
                codes[entry.codes.clone()]
                    .iter()
                    .all(|code| code.starts_with(entry.code))
            );
            let parent = entry.parent.map(|parent| &list.entries[parent]);
            assert_eq!(parent.is_none(), entry.code.len() == 3, "{}", entry.code);
            assert!(parent.is_none_or(|parent| entry.code.starts_with(parent.code)));
        }
    }
}
