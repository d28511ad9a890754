//! Which codes answer a reading, and how well.

use crate::bits::{Bits, Numbered};
use crate::index::{Index, Kind};
use crate::matches::{Known, Matches};
use crate::place::{Best, Place};
use crate::query::Reading;
use crate::tally::{Has, Tally};

// What things are worth, in thousandths. They were set by looking at answers; `tests/queries.tsv` holds them in place.

/// Beside a title.
const TERM: u32 = 960;
const MENTION: u32 = 760;
/// What is said of a heading, for the codes below it, and the less the more they say themselves.
const BELOW: u32 = 950;
/// At most, for a short title.
const SHORT: u32 = 200;
/// How far, of codes that differ in the seventh character alone, the others come after the first.
const LATER_EXTENSION: u32 = 150;
const NEXT_EXTENSION: u32 = 10;
/// How far codes for special circumstances come after others.
const SPECIAL: u32 = 50;
/// What further words weigh that halve something.
const HALF: u32 = 16;

/// What the texts of an entry are worth.
struct Worth {
    /// What its best text is worth.
    best: u32,
    /// The nearest heading above it that is worth more, by its number: what stands between is never worth more.
    above: Option<u32>,
    /// What the titles from its own up to below that heading say further.
    further: u32,
}

impl Index {
    /// Adds the codes that answer a reading to the best, unless they were seen; says how many these are.
    pub(crate) fn rank(
        &self,
        reading: &Reading,
        typos: bool,
        known: &mut Known,
        seen: &Bits,
        best: &mut Best,
    ) -> usize {
        let mut all = Vec::with_capacity(reading.asked.len());
        let mut codes: Option<Bits> = None;
        for asked in &reading.asked {
            let at = self.look_up(asked, typos, known);
            all.push(at);
            if asked.optional {
                continue;
            }
            let with = &known.words[at].codes;
            match &mut codes {
                Some(codes) => codes.keep(with),
                None => codes = Some(with.clone()),
            }
            if codes.as_ref().is_some_and(Bits::is_empty) {
                return 0;
            }
        }
        let Some(mut codes) = codes else { return 0 };
        codes.remove(seen);
        if codes.is_empty() {
            return 0;
        }
        let all: Vec<&Matches> = all.into_iter().map(|at| &known.words[at]).collect();
        self.place(&all, &codes, best);
        codes.len()
    }

    /// Adds codes to the best, by what their texts have.
    fn place(&self, all: &[&Matches], codes: &Bits, best: &mut Best) {
        let (entries, texts) = self.texts_for(codes);
        let tally = self.tally(all, &texts);
        let mut worth: Vec<Worth> = Vec::with_capacity(entries.len());
        let mut texts = &tally.has[self.list.extensions()..];
        for entry in entries.members() {
            let (own, rest) = texts.split_at(self.texts_of(entry).len());
            texts = rest;
            let above = self.heading(entry).and_then(|heading| entries.number(heading));
            let of_entry = self.worth(entry, own, above, &worth, tally.weight);
            // No code is of a heading itself.
            if self.list.entry(self.list.codes_of(entry).start) == entry {
                self.place_entry(entry, codes, &own[0], &tally, of_entry.whole(&worth), best);
            }
            worth.push(of_entry);
        }
    }

    /// The entries of codes, with the headings above them, and their texts, with those of all extensions.
    fn texts_for(&self, codes: &Bits) -> (Numbered, Numbered) {
        let (mut entries, mut texts) = (Bits::new(self.list.entries()), Bits::new(self.texts()));
        texts.fill(0..self.list.extensions());
        for entry in self.list.entries_of(codes) {
            let mut next = Some(entry);
            while let Some(entry) = next.filter(|&entry| entries.insert(entry)) {
                texts.fill(self.texts_of(entry));
                next = self.heading(entry);
            }
        }
        (Numbered::new(entries), Numbered::new(texts))
    }

    /// What the texts of an entry are worth, which have this of words of a weight.
    fn worth(&self, entry: usize, has: &[Has], above: Option<usize>, worth: &[Worth], weight: u32) -> Worth {
        let best = self.texts_of(entry).zip(has).map(|(text, has)| {
            let kind = match self.kind(text) {
                Kind::Title | Kind::Extension => 1000,
                Kind::Term => TERM,
                Kind::Mention => MENTION,
            };
            has.worth(self.weight_of_text(text), weight) * kind / 1000
        });
        let best = best.max().unwrap_or(0);
        let (mut above, mut further) = (above.map(|heading| heading as u32), self.further(entry));
        while let Some(heading) = above
            .map(|heading| &worth[heading as usize])
            .filter(|heading| heading.best <= best)
        {
            above = heading.above;
            further += heading.further;
        }
        Worth { best, above, further }
    }

    /// Adds the codes of an entry to the best: its title has this, and its texts and headings are worth so much.
    fn place_entry(&self, entry: usize, codes: &Bits, title: &Has, tally: &Tally, of_entry: u32, best: &mut Best) {
        let own = self.list.codes_of(entry);
        let said = self.weight_of_text(self.texts_of(entry).start);
        let short = SHORT * HALF / (HALF + said);
        let special = if self.list.is_special(own.start) { SPECIAL } else { 0 };
        let place = |worth: u32, later, code| {
            let worth = (worth + short).saturating_sub(later + special);
            Place::new(worth, self.list.length(code), code)
        };
        // Seventh characters say nothing that the title does not, and no code comes before the first.
        let alike = tally.of_extensions & !title.asked == 0;
        if alike && !best.takes(place(of_entry, 0, own.start)) {
            return;
        }
        for code in own.filter(|&code| codes.contains(code)) {
            let worth = match self.list.extension(code) {
                Some(extension) if !alike => of_entry.max(tally.whole(title, said, extension)),
                _ => of_entry,
            };
            let later = match self.list.nth(code) {
                0 => 0,
                nth => LATER_EXTENSION + NEXT_EXTENSION * nth,
            };
            best.add(place(worth, later, code));
        }
    }
}

impl Worth {
    /// What the best of an entry's texts is worth, or of those of the headings above it.
    fn whole(&self, worth: &[Self]) -> u32 {
        let (mut best, mut above, mut further) = (self.best, self.above, self.further);
        while let Some(heading) = above.map(|heading| &worth[heading as usize]) {
            let below = heading.best * BELOW / 1000;
            // To divide takes long.
            if below > best {
                best = best.max(below * HALF / (HALF + further));
            }
            above = heading.above;
            further += heading.further;
        }
        best
    }
}
