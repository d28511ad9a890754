//! The order of codes that answer a query, and the best of many.

/// A code among others: first what is worth more, of the same worth what is shorter, and then what stands before. It is one
/// number, from the highest bits to the lowest, since thousands of them are put in order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place(u64);

impl Place {
    /// Where a code stands among all takes so many bits.
    const AT: u32 = 24;

    pub(crate) fn new(worth: u32, length: usize, at: usize) -> Self {
        Self(u64::from(u32::MAX - worth) << 32 | (length as u64) << Self::AT | at as u64)
    }

    /// Where the code stands.
    pub(crate) fn at(self) -> usize {
        (self.0 & ((1 << Self::AT) - 1)) as usize
    }
}

/// The best of many codes: of thousands, most are looked at and left.
pub(crate) struct Best {
    most: usize,
    /// Up to twice as many, in no order: so they are put in order once for many.
    places: Vec<Place>,
    /// What is not before this one is not among the best.
    bound: Option<Place>,
}

impl Best {
    /// At most so many, and one at least.
    pub(crate) fn new(most: usize) -> Self {
        Self {
            most: most.max(1),
            places: Vec::new(),
            bound: None,
        }
    }

    /// Whether a code can be among the best so far.
    pub(crate) fn takes(&self, place: Place) -> bool {
        self.bound.is_none_or(|bound| place < bound)
    }

    pub(crate) fn add(&mut self, place: Place) {
        if !self.takes(place) {
            return;
        }
        self.places.push(place);
        if self.places.len() >= 2 * self.most {
            let (_, bound, _) = self.places.select_nth_unstable(self.most - 1);
            self.bound = Some(*bound);
            self.places.truncate(self.most);
        }
    }

    /// The best, best first; a few more may follow.
    pub(crate) fn in_order(mut self) -> impl Iterator<Item = usize> {
        self.places.sort_unstable();
        self.places.into_iter().map(Place::at)
    }
}

#[cfg(test)]
mod tests {
    use super::{Best, Place};

    #[test]
    fn places_are_in_order_of_worth_then_length_then_code() {
        let places = [
            (1200, 7, 70_000),
            (900, 3, 70_000),
            (900, 7, 1),
            (900, 7, 74_718),
            (0, 3, 0),
        ];
        let places = places.map(|(worth, length, at)| Place::new(worth, length, at));
        assert!(places.is_sorted_by(|a, b| a < b));
        assert_eq!(places.map(Place::at), [70_000, 70_000, 1, 74_718, 0]);
    }

    #[test]
    fn the_best_are_kept_whatever_comes_first() {
        let all: Vec<usize> = (0..1000).map(|at| at * 7919 % 1000).collect();
        for most in [1, 2, 50, 600, 2000] {
            let mut best = Best::new(most);
            all.iter().for_each(|&at| best.add(Place::new(7, 3, at)));
            let kept: Vec<_> = best.in_order().take(most).collect();
            assert_eq!(kept, (0..most.min(1000)).collect::<Vec<_>>());
        }
    }
}
