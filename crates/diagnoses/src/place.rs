//! The order of codes that answer a query.

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

#[cfg(test)]
mod tests {
    use super::Place;

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
}
