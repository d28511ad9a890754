//! Rank of codes that match a query, and the best of many.

/// Rank of a code: by score, highest first, then by length, then by position. It is one number, from the highest bits
/// to the lowest, since thousands of them are sorted.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct RankKey(u64);

impl RankKey {
    /// Number of bits of a code's position.
    const AT: u32 = 24;

    pub(crate) fn new(score: u32, length: usize, at: usize) -> Self {
        Self(u64::from(u32::MAX - score) << 32 | (length as u64) << Self::AT | at as u64)
    }

    /// Returns the position of the code.
    pub(crate) fn at(self) -> usize {
        (self.0 & ((1 << Self::AT) - 1)) as usize
    }
}

/// Best of many codes. Of thousands, most are dropped.
pub(crate) struct Best {
    most: usize,
    /// Keys, up to twice the maximum and unsorted, so that they are sorted rarely.
    keys: Vec<RankKey>,
    /// Bound of the best: a key that is not before this one is not among them.
    bound: Option<RankKey>,
}

impl Best {
    /// Creates a list of at most this many codes, and at least one.
    pub(crate) fn new(most: usize) -> Self {
        Self {
            most: most.max(1),
            keys: Vec::new(),
            bound: None,
        }
    }

    /// Returns whether a code can be among the best so far.
    pub(crate) fn accepts(&self, key: RankKey) -> bool {
        self.bound.is_none_or(|bound| key < bound)
    }

    pub(crate) fn add(&mut self, key: RankKey) {
        if !self.accepts(key) {
            return;
        }
        self.keys.push(key);
        if self.keys.len() >= 2 * self.most {
            let (_, bound, _) = self.keys.select_nth_unstable(self.most - 1);
            self.bound = Some(*bound);
            self.keys.truncate(self.most);
        }
    }

    /// Returns the best codes, best first; a few more may follow.
    pub(crate) fn in_order(mut self) -> impl Iterator<Item = usize> {
        self.keys.sort_unstable();
        self.keys.into_iter().map(RankKey::at)
    }
}

#[cfg(test)]
mod tests {
    use super::{Best, RankKey};

    #[test]
    fn keys_are_in_order_of_score_then_length_then_code() {
        let keys = [
            (1200, 7, 70_000),
            (900, 3, 70_000),
            (900, 7, 1),
            (900, 7, 74_718),
            (0, 3, 0),
        ];
        let keys = keys.map(|(score, length, at)| RankKey::new(score, length, at));
        assert!(keys.is_sorted_by(|a, b| a < b));
        assert_eq!(keys.map(RankKey::at), [70_000, 70_000, 1, 74_718, 0]);
    }

    #[test]
    fn the_best_are_kept_whatever_comes_first() {
        let all: Vec<usize> = (0..1000).map(|at| at * 7919 % 1000).collect();
        for most in [1, 2, 50, 600, 2000] {
            let mut best = Best::new(most);
            all.iter().for_each(|&at| best.add(RankKey::new(7, 3, at)));
            let kept: Vec<_> = best.in_order().take(most).collect();
            assert_eq!(kept, (0..most.min(1000)).collect::<Vec<_>>());
        }
    }
}
