//! Which codes answer a reading, and how well.

use crate::bits::{Bits, Numbered};
use crate::index::{Index, Kind};
use crate::matches::{Answer, Matches};
use crate::place::{Best, Place};
use crate::query::Reading;

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

/// What the texts have of which the worth of codes is made.
struct Tally {
    /// The entries of these codes, and the headings above them.
    entries: Numbered,
    /// Those of extensions, and those of the entries.
    texts: Numbered,
    /// By text, in their numbers.
    has: Vec<Has>,
    /// The asked words that any extension has: one bit each.
    of_extensions: u64,
    /// What the best text of each entry is worth, in their numbers.
    worth: Vec<u32>,
    /// What the asked words weigh, and how much the meaning of each seventh character is like them.
    asked: Vec<(u32, Vec<u32>)>,
    /// What they weigh together.
    weight: u32,
}

/// What a text has of a reading.
#[derive(Clone, Copy, Default)]
struct Has {
    /// The asked words that it has: one bit each.
    asked: u64,
    /// What these weigh, each times its likeness.
    answered: u32,
    /// What its own words weigh that answer, each times its likeness.
    covered: u32,
}

impl Index {
    /// Adds the codes that answer a reading to the best, unless they were seen; says how many steps that took.
    pub(crate) fn rank(&self, reading: &Reading, typos: bool, seen: &Bits, best: &mut Best) -> usize {
        let (mut steps, mut all) = (0, Vec::with_capacity(reading.asked.len()));
        let mut codes: Option<Bits> = None;
        for asked in &reading.asked {
            let matches = self.matches(asked, typos, &mut steps);
            if !asked.optional {
                let with = self.codes_with(asked, &matches);
                match &mut codes {
                    Some(codes) => codes.keep(&with),
                    None => codes = Some(with),
                }
                if codes.as_ref().is_some_and(Bits::is_empty) {
                    return steps;
                }
            }
            all.push(matches);
        }
        let Some(mut codes) = codes else { return steps };
        codes.remove(seen);
        let tally = self.tally(reading, &all, &codes);
        self.place(&codes, &tally, best);
        steps + codes.len()
    }

    /// What the texts have that count for some codes.
    fn tally(&self, reading: &Reading, all: &[Matches], codes: &Bits) -> Tally {
        let (mut entries, mut texts) = (Bits::new(self.list.entries()), Bits::new(self.texts()));
        texts.fill(0..self.list.extensions());
        for (entry, _) in self.list.entries_of(codes) {
            let mut next = Some(entry);
            while let Some(entry) = next.filter(|&entry| entries.insert(entry)) {
                texts.fill(self.texts_of(entry));
                next = self.heading(entry);
            }
        }
        let (entries, texts) = (Numbered::new(entries), Numbered::new(texts));
        let mut has = vec![Has::default(); texts.len()];
        let mut answers = vec![Answer::default(); has.len()];
        let asked = reading
            .asked
            .iter()
            .zip(all)
            .enumerate()
            .map(|(nth, (asked, matches))| {
                let weight = self.weight_of(asked, matches);
                self.answers(matches, &texts, &mut answers);
                has.iter_mut()
                    .zip(&answers)
                    .for_each(|(has, answer)| has.add(nth, weight, answer));
                let of_extensions = answers[..self.list.extensions()].iter().map(|answer| answer.likeness);
                (weight, of_extensions.collect())
            });
        let asked: Vec<(u32, Vec<u32>)> = asked.collect();
        let weight = asked.iter().map(|(weight, _)| weight).sum::<u32>().max(1);
        let (of_extensions, of_entries) = has.split_at(self.list.extensions());
        let mut of_texts = of_entries.iter();
        let worth = entries.members().map(|entry| {
            let worth = self.texts_of(entry).zip(of_texts.by_ref()).map(|(text, has)| {
                let kind = match self.kind(text) {
                    Kind::Title | Kind::Extension => 1000,
                    Kind::Term => TERM,
                    Kind::Mention => MENTION,
                };
                has.worth(self.weight_of_text(text), weight) * kind / 1000
            });
            worth.max().unwrap_or(0)
        });
        let worth = worth.collect();
        let of_extensions = of_extensions.iter().fold(0, |asked, has| asked | has.asked);
        Tally {
            of_extensions,
            entries,
            texts,
            has,
            worth,
            asked,
            weight,
        }
    }

    fn place(&self, codes: &Bits, tally: &Tally, best: &mut Best) {
        for (entry, own) in self.list.entries_of(codes) {
            let title = self.texts_of(entry).start;
            let Some(has) = tally.texts.number(title).map(|number| &tally.has[number]) else {
                continue;
            };
            let of_entry = self.worth_of_entry(entry, tally);
            let short = SHORT * HALF / (HALF + self.weight_of_text(title));
            let special = if self.list.is_special(own.start) { SPECIAL } else { 0 };
            let place = |worth: u32, later, code| {
                let worth = (worth + short).saturating_sub(later + special);
                Place::new(worth, self.list.length(code), code)
            };
            // Seventh characters say nothing that the title does not, and no code comes before the first.
            let alike = tally.of_extensions & !has.asked == 0;
            if alike && !best.takes(place(of_entry, 0, own.start)) {
                continue;
            }
            for code in own.filter(|&code| codes.contains(code)) {
                let worth = match self.list.extension(code) {
                    Some(extension) if !alike => of_entry.max(self.whole(title, has, extension, tally)),
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

    /// What the best of the entry's texts is worth, or of those of the headings above it.
    fn worth_of_entry(&self, mut entry: usize, tally: &Tally) -> u32 {
        let worth = |entry| tally.entries.number(entry).map_or(0, |number| tally.worth[number]);
        let (mut best, mut further) = (worth(entry), 0);
        while let Some(heading) = self.heading(entry) {
            further += self.further(entry);
            entry = heading;
            let above = worth(entry);
            // Most headings are worth nothing, and to divide takes long.
            if above > best {
                best = best.max(above * BELOW / 1000 * HALF / (HALF + further));
            }
        }
        best
    }

    /// What the title is worth together with the meaning of the seventh character.
    fn whole(&self, title: usize, has: &Has, extension: usize, tally: &Tally) -> u32 {
        let (mut has, more) = (*has, tally.has[extension].asked & !has.asked);
        for (nth, (weight, likeness)) in tally.asked.iter().enumerate() {
            if more >> nth & 1 == 1 {
                has.answered += weight * likeness[extension];
            }
        }
        has.worth(self.weight_of_text(title), tally.weight)
    }
}

impl Has {
    /// Notes how the text answers the next word.
    fn add(&mut self, nth: usize, weight: u32, answer: &Answer) {
        self.asked |= u64::from(answer.likeness > 0) << nth;
        self.answered += weight * answer.likeness;
        self.covered += answer.weight * answer.likeness;
    }

    /// How much of the reading is in the text, and how much of the text is in the reading, both given by their weight.
    fn worth(&self, text: u32, asked: u32) -> u32 {
        if self.answered == 0 {
            return 0;
        }
        let answered = (self.answered / asked).min(1000);
        let covered = (self.covered / text.max(1)).min(1000);
        answered * (1000 + covered) / 2000
    }
}
