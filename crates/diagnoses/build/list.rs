//! The list in the data file: headings and codes, with their titles, terms and mentions.

use std::fs::File;
use std::io::{self, Read};
use std::iter::repeat;
use std::ops::Range;

use flate2::read::GzDecoder;

use crate::tables::Tables;

/// Maximum characters of a code without its dot.
const MAX_NAME_LENGTH: usize = 7;

/// "None" in a byte.
const NONE: usize = 0xff;

/// Headings and codes in the order of their codes, so that the entries below a heading follow it.
#[derive(Default)]
pub(crate) struct List<'a> {
    pub(crate) entries: Vec<Entry<'a>>,
    pub(crate) codes: Vec<Code>,
    /// Meanings of seventh characters, such as "initial encounter".
    pub(crate) extensions: Vec<&'a str>,
}

/// Heading, or a code without its seventh character.
pub(crate) struct Entry<'a> {
    /// Code without its dot.
    code: &'a str,
    pub(crate) title: &'a str,
    pub(crate) terms: Vec<&'a str>,
    /// Names of the entry in "excludes" notes of other entries.
    pub(crate) mentions: Vec<&'a str>,
    pub(crate) parent: Option<usize>,
    /// Range of the codes below it, or itself.
    pub(crate) codes: Range<usize>,
}

/// Billable code.
pub(crate) struct Code {
    entry: usize,
    /// Index of the meaning of its seventh character in `extensions`, if it has one.
    pub(crate) extension: Option<usize>,
    /// Number of codes before it that only differ in the seventh character.
    nth: usize,
    /// Code without its dot, padded with X before the seventh character.
    name: String,
}

/// Unpacks the text of the data file.
pub(crate) fn unpack(file: &str) -> io::Result<String> {
    let mut text = String::new();
    GzDecoder::new(File::open(file)?).read_to_string(&mut text)?;
    Ok(text)
}

impl<'a> List<'a> {
    /// Reads the text; `data/README.md` describes its format.
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
                list.codes
                    .extend(set.iter().enumerate().map(|(nth, &(character, meaning))| Code {
                        entry,
                        extension: Some(meaning),
                        nth,
                        name: format!("{code:X<6}{character}"),
                    }));
            } else if !heading {
                list.codes.push(Code {
                    entry,
                    extension: None,
                    nth: 0,
                    name: code.to_owned(),
                });
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

    /// Returns seventh characters, each with its meaning.
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

    pub(crate) fn write(&self, tables: &Tables) -> io::Result<()> {
        let codes = self.codes.iter();
        let names = codes
            .clone()
            .flat_map(|code| code.name.bytes().chain(repeat(0)).take(MAX_NAME_LENGTH));
        tables.column::<1>("codes", names.map(usize::from))?;
        tables.column::<2>("codes.entry", codes.clone().map(|code| code.entry))?;
        tables.column::<1>("codes.nth", codes.clone().map(|code| code.nth))?;
        tables.column::<1>("codes.extension", codes.map(|code| code.extension.unwrap_or(NONE)))?;
        tables.texts("extensions", self.extensions.iter().copied())?;
        let entries = self.entries.iter();
        tables.texts("titles", entries.clone().map(|entry| entry.title))?;
        tables.column::<4>("entries.first", entries.clone().map(|entry| entry.codes.start))?;
        tables.column::<4>("entries.end", entries.map(|entry| entry.codes.end))
    }
}

fn split(field: &str) -> Vec<&str> {
    field.split('|').filter(|part| !part.is_empty()).collect()
}
