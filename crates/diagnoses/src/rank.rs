//! Which codes answer a reading, and how well.

use crate::bits::{Bits, Numbered};
use crate::index::{Above, Index, Of, Text};
use crate::list::Code;
use crate::matches::{Answer, Matches};
use crate::place::Place;
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

/// The codes that answer a reading, in no order, and how many steps the search for them took.
#[derive(Default)]
pub(crate) struct Ranked {
    pub(crate) codes: Vec<Place>,
    pub(crate) steps: usize,
}

/// What the texts have of which the worth of codes is made.
struct Tally {
    /// The entries of these codes, and the headings above them.
    entries: Numbered,
    /// Those of extensions, and those of the entries.
    texts: Numbered,
    /// By text, in their numbers.
    has: Vec<Has>,
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

impl Index<'_> {
    pub(crate) fn rank(&self, reading: &Reading, typos: bool) -> Ranked {
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
                    return Ranked {
                        steps,
                        ..Ranked::default()
                    };
                }
            }
            all.push(matches);
        }
        let Some(codes) = codes else {
            return Ranked {
                steps,
                ..Ranked::default()
            };
        };
        let tally = self.tally(reading, &all, &codes);
        let codes = self.places(&codes, &tally);
        steps += codes.len();
        Ranked { codes, steps }
    }

    /// What the texts have that count for some codes.
    fn tally(&self, reading: &Reading, all: &[Matches], codes: &Bits) -> Tally {
        let (mut entries, mut texts) = (Bits::new(self.list.entries.len()), Bits::new(self.texts.len()));
        texts.fill(0..self.extended.len());
        let mut last = None;
        for code in codes.iter() {
            let mut next = Some(self.list.codes[code].entry);
            if next == last {
                continue;
            }
            last = next;
            while let Some(entry) = next.filter(|&entry| entries.insert(entry)) {
                texts.fill(self.titles[entry]..self.titles[entry + 1]);
                next = self.above[entry].heading.map(|heading| heading as usize);
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
                let of_extensions = answers[..self.extended.len()].iter().map(|answer| answer.likeness);
                (weight, of_extensions.collect())
            });
        let asked: Vec<(u32, Vec<u32>)> = asked.collect();
        let weight = asked.iter().map(|(weight, _)| weight).sum::<u32>().max(1);
        let mut of_texts = has[self.extended.len()..].iter();
        let worth = entries.members().map(|entry| {
            let texts = &self.texts[self.titles[entry]..self.titles[entry + 1]];
            let worth = texts.iter().zip(of_texts.by_ref()).map(|(text, has)| {
                let kind = match text.of {
                    Of::Title(_) | Of::Extension(_) => 1000,
                    Of::Term(_) => TERM,
                    Of::Mention(_) => MENTION,
                };
                has.worth(text, weight) * kind / 1000
            });
            worth.max().unwrap_or(0)
        });
        let worth = worth.collect();
        Tally {
            entries,
            texts,
            has,
            worth,
            asked,
            weight,
        }
    }

    fn places(&self, codes: &Bits, tally: &Tally) -> Vec<Place> {
        let mut places = Vec::with_capacity(codes.len());
        let mut last = None;
        let (mut of_entry, mut title, mut short, mut special) = (0, 0, 0, 0);
        for at in codes.iter() {
            let code = &self.list.codes[at];
            if last != Some(code.entry) {
                last = Some(code.entry);
                of_entry = self.worth_of_entry(code.entry, tally);
                title = self.titles[code.entry];
                short = SHORT * HALF / (HALF + self.texts[title].weight);
                special = if code.is_special() { SPECIAL } else { 0 };
            }
            let best = of_entry.max(self.whole(code, title, tally));
            let later = match code.nth {
                0 => 0,
                nth => LATER_EXTENSION + NEXT_EXTENSION * u32::from(nth),
            };
            let worth = (best + short).saturating_sub(later + special);
            places.push(Place::new(worth, code.length(), at));
        }
        places
    }

    /// What the best of the entry's texts is worth, or of those of the headings above it.
    fn worth_of_entry(&self, mut entry: usize, tally: &Tally) -> u32 {
        let worth = |entry| tally.entries.number(entry).map_or(0, |number| tally.worth[number]);
        let (mut best, mut further) = (worth(entry), 0);
        while let Above {
            heading: Some(heading),
            further: more,
        } = self.above[entry]
        {
            further += more;
            entry = heading as usize;
            best = best.max(worth(entry) * BELOW / 1000 * HALF / (HALF + further));
        }
        best
    }

    /// What the title is worth together with the meaning of the seventh character.
    fn whole(&self, code: &Code, title: usize, tally: &Tally) -> u32 {
        let extension = code.extension.map(|extension| extension as usize);
        let Some(extension) = extension.filter(|&extension| tally.has[extension].asked != 0) else {
            return 0;
        };
        let Some(mut has) = tally.texts.number(title).map(|number| tally.has[number]) else {
            return 0;
        };
        let more = tally.has[extension].asked & !has.asked;
        for (nth, (weight, likeness)) in tally.asked.iter().enumerate() {
            if more >> nth & 1 == 1 {
                has.answered += weight * likeness[extension];
            }
        }
        has.worth(&self.texts[title], tally.weight)
    }
}

impl Has {
    /// Notes how the text answers the next word.
    fn add(&mut self, nth: usize, weight: u32, answer: &Answer) {
        self.asked |= u64::from(answer.likeness > 0) << nth;
        self.answered += weight * answer.likeness;
        self.covered += answer.weight * answer.likeness;
    }

    /// How much of the reading is in the text, and how much of the text is in the reading.
    fn worth(&self, text: &Text, asked: u32) -> u32 {
        if self.answered == 0 {
            return 0;
        }
        let answered = (self.answered / asked).min(1000);
        let covered = (self.covered / text.weight.max(1)).min(1000);
        answered * (1000 + covered) / 2000
    }
}
