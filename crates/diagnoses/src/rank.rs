//! Codes that match a reading, and their scores.

use crate::bits::{Bits, Numbered};
use crate::counts::{Counts, TextCounts};
use crate::index::{Index, Kind};
use crate::matches::{Lookups, Matches};
use crate::query::Reading;
use crate::rank_key::{Best, RankKey};

// Factors of scores, in thousandths. They were tuned on results; `tests/queries.tsv` keeps them.

/// Factor of a term, where a title has 1000.
const TERM: u32 = 960;
const MENTION: u32 = 760;
/// Factor of a heading for the codes below it; their own further words reduce it.
const BELOW: u32 = 950;
/// Maximum bonus for a short title.
const SHORT: u32 = 200;
/// Penalty of codes that only differ in the seventh character, after the first.
const LATER_EXTENSION: u32 = 150;
const NEXT_EXTENSION: u32 = 10;
/// Penalty of codes for special circumstances.
const SPECIAL: u32 = 50;
/// Weight of further words that halves a score.
const HALF: u32 = 16;

/// Score of the texts of an entry.
struct Score {
    /// Score of its best text.
    best: u32,
    /// Nearest heading above it with a higher score, by its number: those between never have one.
    above: Option<u32>,
    /// Further words of the titles from its own up to that heading.
    further: u32,
}

impl Index {
    /// Adds the codes that match a reading to the best ones, unless they were seen; returns their number.
    pub(crate) fn rank(
        &self,
        reading: &Reading,
        typos: bool,
        lookups: &mut Lookups,
        seen: &Bits,
        best: &mut Best,
    ) -> usize {
        let mut all = Vec::with_capacity(reading.tokens.len());
        let mut codes: Option<Bits> = None;
        for token in &reading.tokens {
            let at = self.look_up(token, typos, lookups);
            all.push(at);
            if token.optional {
                continue;
            }
            let with = &lookups.words[at].codes;
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
        let all: Vec<&Matches> = all.into_iter().map(|at| &lookups.words[at]).collect();
        self.rank_codes(&all, &codes, best);
        codes.len()
    }

    /// Adds codes to the best, by the counts of their texts.
    fn rank_codes(&self, all: &[&Matches], codes: &Bits, best: &mut Best) {
        let (entries, texts) = self.texts_for(codes);
        let counts = self.counts(all, &texts);
        let mut score: Vec<Score> = Vec::with_capacity(entries.len());
        let mut texts = &counts.has[self.list.extensions()..];
        for entry in entries.members() {
            let (own, rest) = texts.split_at(self.texts_of(entry).len());
            texts = rest;
            let above = self.heading(entry).and_then(|heading| entries.number(heading));
            let of_entry = self.score(entry, own, above, &score, counts.weight);
            // A heading has no code of its own.
            if self.list.entry(self.list.codes_of(entry).start) == entry {
                self.rank_entry(entry, codes, &own[0], &counts, of_entry.whole(&score), best);
            }
            score.push(of_entry);
        }
    }

    /// Returns the entries of codes and the headings above them, and their texts and those of all extensions.
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

    /// Returns the score of the texts of an entry, with these counts of tokens of a total weight.
    fn score(&self, entry: usize, has: &[TextCounts], above: Option<usize>, score: &[Score], weight: u32) -> Score {
        let best = self.texts_of(entry).zip(has).map(|(text, has)| {
            let kind = match self.kind(text) {
                Kind::Title | Kind::Extension => 1000,
                Kind::Term => TERM,
                Kind::Mention => MENTION,
            };
            has.score(self.weight_of_text(text), weight) * kind / 1000
        });
        let best = best.max().unwrap_or(0);
        let (mut above, mut further) = (above.map(|heading| heading as u32), self.further(entry));
        while let Some(heading) = above
            .map(|heading| &score[heading as usize])
            .filter(|heading| heading.best <= best)
        {
            above = heading.above;
            further += heading.further;
        }
        Score { best, above, further }
    }

    /// Adds the codes of an entry to the best ones, given the counts of its title and the scores of its texts and
    /// headings.
    fn rank_entry(
        &self,
        entry: usize,
        codes: &Bits,
        title: &TextCounts,
        counts: &Counts,
        of_entry: u32,
        best: &mut Best,
    ) {
        let own = self.list.codes_of(entry);
        let message = self.weight_of_text(self.texts_of(entry).start);
        let short = SHORT * HALF / (HALF + message);
        let special = if self.list.is_special(own.start) { SPECIAL } else { 0 };
        let key = |score: u32, later, code| {
            let score = (score + short).saturating_sub(later + special);
            RankKey::new(score, self.list.length(code), code)
        };
        // If seventh characters add no token to the title, no code ranks before the first.
        let alike = counts.of_extensions & !title.tokens == 0;
        if alike && !best.accepts(key(of_entry, 0, own.start)) {
            return;
        }
        for code in own.filter(|&code| codes.contains(code)) {
            let score = match self.list.extension(code) {
                Some(extension) if !alike => of_entry.max(counts.whole(title, message, extension)),
                _ => of_entry,
            };
            let later = match self.list.nth(code) {
                0 => 0,
                nth => LATER_EXTENSION + NEXT_EXTENSION * nth,
            };
            best.add(key(score, later, code));
        }
    }
}

impl Score {
    /// Returns the score of the best of an entry's texts, or of those of the headings above it.
    fn whole(&self, score: &[Self]) -> u32 {
        let (mut best, mut above, mut further) = (self.best, self.above, self.further);
        while let Some(heading) = above.map(|heading| &score[heading as usize]) {
            let below = heading.best * BELOW / 1000;
            // Divisions are slow.
            if below > best {
                best = best.max(below * HALF / (HALF + further));
            }
            above = heading.above;
            further += heading.further;
        }
        best
    }
}
