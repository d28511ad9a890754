//! Which codes answer a reading, and how well.

use crate::index::{Index, Of, Text, Vocable};
use crate::likeness::{likeness, likeness_of_slip, may_slip, singulars};
use crate::list::Code;
use crate::query::{Asked, Reading, WORDS};
use crate::words::Role;

// What things are worth, in thousandths. They were set by looking at answers; `tests/queries.tsv` holds them in place.

/// Beside a title.
const TERM: u32 = 960;
const MENTION: u32 = 760;
/// What is said of a heading, for the codes below it, and the less the more they say themselves.
const BELOW: u32 = 950;
/// A word that is an aside, beside one that is not.
const ASIDE: u32 = 800;
/// At most, for a short title.
const SHORT: u32 = 200;
/// How far, of codes that differ in the seventh character alone, the others come after the first.
const LATER_EXTENSION: u32 = 150;
const NEXT_EXTENSION: u32 = 10;
/// How far codes for special circumstances come after others.
const SPECIAL: u32 = 50;
/// What further words weigh that halve something.
const HALF: u32 = 16;

/// The codes that answer a reading, each with how well, and how many steps the search for them took.
pub(crate) struct Ranked {
    pub(crate) codes: Vec<(u32, usize)>,
    pub(crate) steps: usize,
}

/// What is found, word by word.
struct Tally {
    /// By text.
    has: Vec<Has>,
    /// The texts that have anything.
    touched: Vec<usize>,
    /// How much the meanings of seventh characters are like the asked words.
    extensions: Vec<[u32; WORDS]>,
    /// What the asked words weigh.
    weights: Vec<u32>,
    /// How many of the required words a code has, as long as it has had all.
    so_far: Vec<u8>,
    required: u8,
    steps: usize,
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

/// A text that has an asked word.
struct Answer {
    text: usize,
    likeness: u32,
    /// What the word weighs there.
    weight: u32,
}

impl Index<'_> {
    pub(crate) fn rank(&self, reading: &Reading, typos: bool) -> Ranked {
        let mut tally = Tally {
            has: vec![Has::default(); self.texts.len()],
            touched: Vec::new(),
            extensions: vec![[0; WORDS]; self.extended.len()],
            weights: Vec::with_capacity(reading.asked.len()),
            so_far: vec![0; self.list.codes.len()],
            required: 0,
            steps: 0,
        };
        for asked in &reading.asked {
            let answers = self.answers(asked, typos, &mut tally.steps);
            self.note(&mut tally, asked, &answers);
            if !asked.optional && !self.require(&mut tally, asked, &answers) {
                break;
            }
        }
        let asked = tally.weights.iter().sum::<u32>().max(1);
        let worth = self.worth_of_entries(&tally, asked);
        let fit = (0..tally.so_far.len()).filter(|&at| tally.so_far[at] == tally.required);
        let codes: Vec<_> = fit
            .map(|at| (self.worth_of_code(at, &tally, &worth, asked), at))
            .collect();
        let steps = tally.steps + codes.len();
        Ranked { codes, steps }
    }

    /// The texts that have an asked word, each once.
    fn answers(&self, asked: &Asked, typos: bool, steps: &mut usize) -> Vec<Answer> {
        let mut answers = Vec::new();
        let mut answer = |at: usize, likeness: Option<u32>| {
            let word: &Vocable = &self.words[at];
            *steps += 1;
            let Some(likeness) = likeness else { return };
            *steps += word.texts.len();
            answers.extend(word.texts.iter().map(|&(text, role)| match role {
                Role::Aside => Answer {
                    text,
                    likeness: likeness * ASIDE / 1000,
                    weight: 0,
                },
                Role::Said | Role::Also => Answer {
                    text,
                    likeness,
                    weight: word.weight,
                },
            }));
        };
        // A filler is not the beginning of all the words that it could be.
        let beginnings = if asked.optional {
            0..0
        } else {
            self.beginning(&asked.word)
        };
        let others = singulars(&asked.word).chain(asked.optional.then(|| asked.word.clone()));
        for at in beginnings.chain(others.filter_map(|other| self.find(&other))) {
            answer(at, likeness(&asked.word, &self.words[at].text));
        }
        if typos && !asked.optional && may_slip(&asked.word) {
            for (at, word) in self.words.iter().enumerate() {
                answer(at, likeness_of_slip(&asked.word, &word.text));
            }
        }
        // Of several words of a text, the one that is most like it answers.
        answers.sort_unstable_by_key(|answer| (answer.text, u32::MAX - answer.likeness, u32::MAX - answer.weight));
        answers.dedup_by_key(|answer| answer.text);
        answers
    }

    /// Notes what texts have of the next word.
    fn note(&self, tally: &mut Tally, asked: &Asked, answers: &[Answer]) {
        let nth = tally.weights.len();
        let asked_weight = match self.find(&asked.word) {
            Some(at) => self.words[at].weight,
            None => self.weight(answers.len()),
        };
        tally.weights.push(asked_weight);
        for answer in answers {
            let has = &mut tally.has[answer.text];
            if has.asked == 0 {
                tally.touched.push(answer.text);
            }
            has.asked |= 1 << nth;
            has.answered += asked_weight * answer.likeness;
            has.covered += answer.weight * answer.likeness;
            if let Of::Extension(extension) = self.texts[answer.text].of {
                tally.extensions[extension][nth] = answer.likeness;
            }
        }
    }

    /// Keeps the codes that have this word too, and says whether there are any.
    fn require(&self, tally: &mut Tally, asked: &Asked, answers: &[Answer]) -> bool {
        let mut any = false;
        let mut mark = |code: usize| {
            tally.steps += 1;
            if tally.so_far[code] == tally.required {
                tally.so_far[code] += 1;
                any = true;
            }
        };
        asked.codes.clone().for_each(&mut mark);
        for answer in answers {
            match self.texts[answer.text].of {
                Of::Extension(extension) => self.extended[extension].iter().copied().for_each(&mut mark),
                Of::Title(entry) | Of::Term(entry) | Of::Mention(entry) => {
                    self.list.entries[entry].codes.clone().for_each(&mut mark);
                }
            }
        }
        tally.required += 1;
        any
    }

    /// What the best text of each entry is worth.
    fn worth_of_entries(&self, tally: &Tally, asked: u32) -> Vec<u32> {
        let mut worth = vec![0; self.list.entries.len()];
        for &at in &tally.touched {
            let text = &self.texts[at];
            let (entry, kind) = match text.of {
                Of::Extension(_) => continue,
                Of::Title(entry) => (entry, 1000),
                Of::Term(entry) => (entry, TERM),
                Of::Mention(entry) => (entry, MENTION),
            };
            worth[entry] = worth[entry].max(tally.has[at].worth(text, asked) * kind / 1000);
        }
        worth
    }

    fn worth_of_code(&self, at: usize, tally: &Tally, worth: &[u32], asked: u32) -> u32 {
        let code = &self.list.codes[at];
        let title = &self.texts[self.titles[code.entry]];
        let mut best = worth[code.entry].max(self.whole(code, tally).worth(title, asked));
        let (mut entry, mut further) = (code.entry, 0);
        while let Some(heading) = self.list.entries[entry].parent {
            further += self.further[entry];
            best = best.max(worth[heading] * BELOW / 1000 * HALF / (HALF + further));
            entry = heading;
        }
        let later = match at - self.list.entries[code.entry].codes.start {
            0 => 0,
            nth => LATER_EXTENSION + NEXT_EXTENSION * u32::try_from(nth).unwrap_or(0),
        };
        let special = if self.list.is_special(code) { SPECIAL } else { 0 };
        (best + SHORT * HALF / (HALF + title.weight)).saturating_sub(later + special)
    }

    /// What the title has together with the meaning of the seventh character.
    fn whole(&self, code: &Code, tally: &Tally) -> Has {
        let mut has = tally.has[self.titles[code.entry]];
        if let Some((_, extension)) = code.extension {
            let more = tally.has[extension].asked & !has.asked;
            for (nth, weight) in tally.weights.iter().enumerate().filter(|(nth, _)| more >> nth & 1 == 1) {
                has.answered += weight * tally.extensions[extension][nth];
            }
        }
        has
    }
}

impl Has {
    /// How much of the reading is in the text, and how much of the text is in the reading.
    fn worth(&self, text: &Text, asked: u32) -> u32 {
        let answered = (self.answered / asked).min(1000);
        let covered = (self.covered / text.weight.max(1)).min(1000);
        answered * (1000 + covered) / 2000
    }
}
