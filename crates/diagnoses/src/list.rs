//! Codes of the list and their entries: headings, and codes without their seventh character.

use std::iter;
use std::ops::Range;

use crate::bits::Bits;
use crate::table::{Column, Texts, table, texts};

/// Maximum characters of a code without its dot.
const MAX_NAME_LENGTH: usize = 7;
/// "None" in a byte.
const NONE: usize = 0xff;

/// Codes and entries, in the order of codes, so that the entries below a heading follow it.
pub(crate) struct List {
    /// Codes without their dots, filled with zeros at the end.
    names: Column<MAX_NAME_LENGTH>,
    code_entry: Column<2>,
    code_nth: Column<1>,
    code_extension: Column<1>,
    /// Meanings of seventh characters, such as "initial encounter".
    extensions: Texts,
    titles: Texts,
    /// First code below an entry, or itself.
    entry_first: Column<4>,
    /// End of the last code below it.
    entry_end: Column<4>,
}

impl List {
    pub(crate) const fn new() -> Self {
        Self {
            names: Column::new(table!("codes")),
            code_entry: Column::new(table!("codes.entry")),
            code_nth: Column::new(table!("codes.nth")),
            code_extension: Column::new(table!("codes.extension")),
            extensions: texts!("extensions"),
            titles: texts!("titles"),
            entry_first: Column::new(table!("entries.first")),
            entry_end: Column::new(table!("entries.end")),
        }
    }

    /// Returns the number of codes.
    pub(crate) fn codes(&self) -> usize {
        self.names.len()
    }

    pub(crate) fn entries(&self) -> usize {
        self.titles.len()
    }

    /// Returns the number of meanings of seventh characters.
    pub(crate) fn extensions(&self) -> usize {
        self.extensions.len()
    }

    /// Returns the entry of a code.
    pub(crate) fn entry(&self, code: usize) -> usize {
        self.code_entry.get(code)
    }

    /// Returns the codes below an entry, or itself.
    pub(crate) fn codes_of(&self, entry: usize) -> Range<usize> {
        self.entry_first.get(entry)..self.entry_end.get(entry)
    }

    /// Returns the entries of some codes.
    pub(crate) fn entries_of<'a>(&'a self, codes: &'a Bits) -> impl Iterator<Item = usize> + 'a {
        let mut from = 0;
        iter::from_fn(move || {
            let first = codes.next(from)?;
            let entry = self.entry(first);
            from = self.codes_of(entry).end;
            Some(entry)
        })
    }

    /// Returns the number of the meaning of a code's seventh character, if it has one.
    pub(crate) fn extension(&self, code: usize) -> Option<usize> {
        Some(self.code_extension.get(code)).filter(|extension| *extension != NONE)
    }

    /// Returns the number of codes before it that only differ in the seventh character.
    pub(crate) fn nth(&self, code: usize) -> u32 {
        self.code_nth.get(code) as u32
    }

    /// Returns a code without its dot, padded with X before its seventh character.
    pub(crate) fn name(&self, code: usize) -> &'static str {
        let name = &self.names.rows()[code][..self.length(code)];
        str::from_utf8(name).expect("codes are of letters and digits")
    }

    /// Returns the length of a code without its dot.
    pub(crate) fn length(&self, code: usize) -> usize {
        let name = &self.names.rows()[code];
        name.iter().position(|byte| *byte == 0).unwrap_or(MAX_NAME_LENGTH)
    }

    /// Returns whether a code is of a chapter for special circumstances: pregnancy and birth, the newborn,
    /// malformations, and external causes.
    pub(crate) fn is_special(&self, code: usize) -> bool {
        matches!(
            self.names.rows()[code][0],
            b'O' | b'P' | b'Q' | b'V' | b'W' | b'X' | b'Y'
        )
    }

    pub(crate) fn description(&self, code: usize) -> String {
        let title = self.titles.get(self.entry(code));
        match self.extension(code) {
            Some(extension) => [title, ", ", self.extensions.get(extension)].concat(),
            None => title.to_owned(),
        }
    }

    /// Returns the range of codes with a prefix.
    pub(crate) fn beginning(&self, beginning: &str) -> Range<usize> {
        let (beginning, names) = (beginning.as_bytes(), self.names.rows());
        let first = names.partition_point(|name| &name[..] < beginning);
        first..first + names[first..].partition_point(|name| name.starts_with(beginning))
    }
}

#[cfg(test)]
mod tests {
    use crate::INDEX;

    #[test]
    fn codes_are_sorted_below_their_headings() {
        let list = &INDEX.list;
        let codes: Vec<_> = (0..list.codes()).map(|code| list.name(code)).collect();
        assert!(codes.is_sorted_by(|a, b| a < b), "sorted, and none twice");
        for entry in 0..list.entries() {
            let own = list.codes_of(entry);
            assert!(!own.is_empty(), "{entry} has no code");
            let Some(heading) = INDEX.heading(entry) else { continue };
            let (above, first) = (list.codes_of(heading), codes[own.start]);
            assert!(heading < entry && above.start <= own.start && own.end <= above.end);
            assert!(first[..3] == codes[above.start][..3], "{first}");
        }
        for (code, name) in codes.iter().enumerate() {
            let entry = list.entry(code);
            let own = list.codes_of(entry);
            assert!(
                own.contains(&code) && own.clone().all(|code| list.entry(code) == entry),
                "{name}"
            );
            assert_eq!(own.start + list.nth(code) as usize, code, "{name}");
        }
    }
}
