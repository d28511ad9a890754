//! Which codes answer a reading, and how well.

use crate::bits::{Bits, Numbered};
use crate::index::{Index, Kind};
use crate::matches::{Answer, Known, Matches};
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
    /// By text: those of extensions, and then those of the entries.
    has: Vec<Has>,
    /// The asked words that any extension has: one bit each.
    of_extensions: u64,
    /// By entry, in their numbers.
    worth: Vec<Worth>,
    /// What the asked words weigh, and how much the meaning of each seventh character is like them.
    asked: Vec<(u32, Vec<u32>)>,
    /// What they weigh together.
    weight: u32,
}

/// What the texts of an entry are worth.
struct Worth {
    /// Where its title stands among the texts.
    title: u32,
    /// What its best text is worth.
    best: u32,
    /// The nearest heading above it that is worth more, by its number: what stands between is never worth more.
    above: Option<u32>,
    /// What the titles from its own up to below that heading say further.
    further: u32,
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
        let tally = self.tally(&all, &codes);
        self.place(&codes, &tally, best);
        codes.len()
    }

    /// What the texts have that count for some codes.
    fn tally(&self, all: &[&Matches], codes: &Bits) -> Tally {
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
        let asked = all.iter().enumerate().map(|(nth, matches)| {
            let weight = self.weight_of(matches);
            self.answers(matches, &texts, &mut answers);
            has.iter_mut()
                .zip(&answers)
                .for_each(|(has, answer)| has.add(nth, weight, answer));
            let of_extensions = answers[..self.list.extensions()].iter().map(|answer| answer.likeness);
            (weight, of_extensions.collect())
        });
        let asked: Vec<(u32, Vec<u32>)> = asked.collect();
        let weight = asked.iter().map(|(weight, _)| weight).sum::<u32>().max(1);
        let of_extensions = has[..self.list.extensions()].iter();
        let of_extensions = of_extensions.fold(0, |asked, has| asked | has.asked);
        let mut worth: Vec<Worth> = Vec::with_capacity(entries.len());
        let mut title = self.list.extensions();
        for entry in entries.members() {
            let own = self.texts_of(entry);
            let next = title + own.len();
            let best = own.zip(&has[title..next]).map(|(text, has)| {
                let kind = match self.kind(text) {
                    Kind::Title | Kind::Extension => 1000,
                    Kind::Term => TERM,
                    Kind::Mention => MENTION,
                };
                has.worth(self.weight_of_text(text), weight) * kind / 1000
            });
            let best = best.max().unwrap_or(0);
            let above = self.heading(entry).and_then(|heading| entries.number(heading));
            let mut above = above.map(|heading| heading as u32);
            let mut further = self.further(entry);
            while let Some(heading) = above
                .map(|heading| &worth[heading as usize])
                .filter(|heading| heading.best <= best)
            {
                above = heading.above;
                further += heading.further;
            }
            worth.push(Worth {
                title: title as u32,
                best,
                above,
                further,
            });
            title = next;
        }
        Tally {
            entries,
            has,
            worth,
            asked,
            weight,
            of_extensions,
        }
    }

    fn place(&self, codes: &Bits, tally: &Tally, best: &mut Best) {
        for (entry, own) in self.list.entries_of(codes) {
            let Some(number) = tally.entries.number(entry) else {
                continue;
            };
            let has = &tally.has[tally.worth[number].title as usize];
            let said = self.weight_of_text(self.texts_of(entry).start);
            let of_entry = tally.worth_of_entry(number);
            let short = SHORT * HALF / (HALF + said);
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
                    Some(extension) if !alike => of_entry.max(tally.whole(has, said, extension)),
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
}

impl Tally {
    /// What the best of an entry's texts is worth, or of those of the headings above it.
    fn worth_of_entry(&self, number: usize) -> u32 {
        let entry = &self.worth[number];
        let (mut best, mut above, mut further) = (entry.best, entry.above, entry.further);
        while let Some(heading) = above.map(|heading| &self.worth[heading as usize]) {
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

    /// What a title, which has this and weighs so much, is worth together with the meaning of a seventh character.
    fn whole(&self, title: &Has, weight: u32, extension: usize) -> u32 {
        let (mut has, more) = (*title, self.has[extension].asked & !title.asked);
        for (nth, (weight, likeness)) in self.asked.iter().enumerate() {
            if more >> nth & 1 == 1 {
                has.answered += weight * likeness[extension];
            }
        }
        has.worth(weight, self.weight)
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
