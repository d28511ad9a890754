//! What the texts of the list have of a reading.

use crate::bits::Numbered;
use crate::index::Index;
use crate::matches::{Answer, Matches};

/// What texts have of a reading.
pub(crate) struct Tally {
    /// By text: those of extensions, and then those of entries.
    pub(crate) has: Vec<Has>,
    /// What the asked words weigh, and how much the meaning of each seventh character is like them.
    asked: Vec<(u32, Vec<u32>)>,
    /// What they weigh together.
    pub(crate) weight: u32,
    /// Those of them that any extension has: one bit each.
    pub(crate) of_extensions: u64,
}

/// What a text has of a reading.
#[derive(Clone, Copy, Default)]
pub(crate) struct Has {
    /// The asked words that it has: one bit each.
    pub(crate) asked: u64,
    /// What these weigh, each times its likeness.
    answered: u32,
    /// What its own words weigh that answer, each times its likeness.
    covered: u32,
}

impl Index {
    /// Reads what some texts have of asked words, those of all extensions among them.
    pub(crate) fn tally(&self, all: &[&Matches], texts: &Numbered) -> Tally {
        let mut has = vec![Has::default(); texts.len()];
        let mut answers = vec![Answer::default(); has.len()];
        let asked = all.iter().enumerate().map(|(nth, matches)| {
            let weight = self.weight_of(matches);
            self.answers(matches, texts, &mut answers);
            has.iter_mut()
                .zip(&answers)
                .for_each(|(has, answer)| has.add(nth, weight, answer));
            let of_extensions = answers[..self.list.extensions()].iter().map(|answer| answer.likeness);
            (weight, of_extensions.collect())
        });
        let asked: Vec<(u32, Vec<u32>)> = asked.collect();
        let of_extensions = has[..self.list.extensions()].iter();
        let of_extensions = of_extensions.fold(0, |asked, has| asked | has.asked);
        Tally {
            weight: asked.iter().map(|(weight, _)| weight).sum::<u32>().max(1),
            has,
            asked,
            of_extensions,
        }
    }
}

impl Tally {
    /// What a title, which has this and weighs so much, is worth together with the meaning of a seventh character.
    pub(crate) fn whole(&self, title: &Has, weight: u32, extension: usize) -> u32 {
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
    pub(crate) fn worth(&self, text: u32, asked: u32) -> u32 {
        if self.answered == 0 {
            return 0;
        }
        let answered = (self.answered / asked).min(1000);
        let covered = (self.covered / text.max(1)).min(1000);
        answered * (1000 + covered) / 2000
    }
}
