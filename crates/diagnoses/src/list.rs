//! The list as the data file has it: headings and codes, what they are called, and what else they cover.

use std::io::{self, Read};
use std::ops::Range;

use flate2::read::GzDecoder;

/// `data/README.md` says how this is made.
const PACKED: &[u8] = include_bytes!("../data/icd10cm.gz");

/// The most characters of a code without its dot.
const LONGEST: usize = 7;

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
    /// Where the meaning of its seventh character stands in `extensions`, if it has one.
    pub(crate) extension: Option<u32>,
    /// How many stand before it that differ in the seventh character alone.
    pub(crate) nth: u8,
    /// Without its dot; what is short of the seventh character is filled with X.
    name: [u8; LONGEST],
    length: u8,
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
                list.codes.extend((0..).zip(set).map(|(nth, &(character, meaning))| {
                    let name = format!("{code:X<6}{character}");
                    Code::new(entry, Some((meaning as u32, nth)), &name)
                }));
            } else if !heading {
                list.codes.push(Code::new(entry, None, code));
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

    pub(crate) fn description(&self, code: &Code) -> String {
        let title = self.entries[code.entry].title;
        match code.extension {
            Some(meaning) => [title, ", ", self.extensions[meaning as usize]].concat(),
            None => title.to_owned(),
        }
    }

    /// The codes that begin so, which stand together.
    pub(crate) fn beginning(&self, beginning: &str) -> Range<usize> {
        let beginning = beginning.as_bytes();
        let first = self.codes.partition_point(|code| code.name() < beginning);
        let rest = &self.codes[first..];
        first..first + rest.partition_point(|code| code.name().starts_with(beginning))
    }
}

impl Code {
    fn new(entry: usize, extension: Option<(u32, u8)>, name: &str) -> Self {
        let mut code = Self {
            entry,
            extension: extension.map(|(meaning, _)| meaning),
            nth: extension.map_or(0, |(_, nth)| nth),
            name: [0; LONGEST],
            length: name.len() as u8,
        };
        code.name[..name.len()].copy_from_slice(name.as_bytes());
        code
    }

    fn name(&self) -> &[u8] {
        &self.name[..self.length()]
    }

    /// The code without its dot; what is short of its seventh character is filled with X.
    pub(crate) fn compact(&self) -> String {
        self.name().iter().copied().map(char::from).collect()
    }

    /// Whether the code is of a chapter for special circumstances: pregnancy and birth, the newborn, malformations, and
    /// external causes.
    pub(crate) fn is_special(&self) -> bool {
        matches!(self.name[0], b'O' | b'P' | b'Q' | b'V' | b'W' | b'X' | b'Y')
    }

    /// The characters of the code without its dot.
    pub(crate) fn length(&self) -> usize {
        self.length.into()
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
        let codes: Vec<String> = list.codes.iter().map(Code::compact).collect();
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
