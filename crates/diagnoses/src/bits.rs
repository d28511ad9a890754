//! Bit sets.

use std::ops::Range;

const BITS: usize = u64::BITS as usize;

/// Set of numbers below a bound.
#[derive(Clone)]
pub(crate) struct Bits(Vec<u64>);

/// Set whose members are numbered from 0, in order.
pub(crate) struct Numbered {
    bits: Bits,
    /// Number of members before each 64 numbers.
    before: Vec<u32>,
    length: usize,
}

impl Bits {
    /// Creates an empty set of numbers below the bound.
    pub(crate) fn new(bound: usize) -> Self {
        Self(vec![0; Self::blocks(bound)])
    }

    /// Returns the number of 64-bit words of a set of numbers below the bound.
    pub(crate) fn blocks(bound: usize) -> usize {
        bound.div_ceil(BITS)
    }

    /// Adds a number; returns whether it is new.
    pub(crate) fn insert(&mut self, number: usize) -> bool {
        let (bits, bit) = (&mut self.0[number / BITS], 1 << (number % BITS));
        let new = *bits & bit == 0;
        *bits |= bit;
        new
    }

    /// Adds all numbers of a range.
    pub(crate) fn fill(&mut self, range: Range<usize>) {
        if range.is_empty() {
            return;
        }
        let (first, last) = (range.start / BITS, (range.end - 1) / BITS);
        let from = u64::MAX << (range.start % BITS);
        let to = u64::MAX >> (BITS - 1 - (range.end - 1) % BITS);
        if first == last {
            self.0[first] |= from & to;
        } else {
            self.0[first] |= from;
            self.0[first + 1..last].fill(u64::MAX);
            self.0[last] |= to;
        }
    }

    /// Adds another set of the same bound, as the build script wrote it.
    pub(crate) fn add(&mut self, other: &[[u8; 8]]) {
        let other = other.iter().map(|bits| u64::from_le_bytes(*bits));
        self.0.iter_mut().zip(other).for_each(|(bits, more)| *bits |= more);
    }

    /// Keeps the numbers that are also in another set of the same bound.
    pub(crate) fn keep(&mut self, other: &Self) {
        self.0.iter_mut().zip(&other.0).for_each(|(bits, kept)| *bits &= kept);
    }

    /// Removes the numbers of another set of the same bound.
    pub(crate) fn remove(&mut self, other: &Self) {
        self.0.iter_mut().zip(&other.0).for_each(|(bits, gone)| *bits &= !gone);
    }

    pub(crate) fn contains(&self, number: usize) -> bool {
        self.0[number / BITS] >> (number % BITS) & 1 == 1
    }

    /// Returns the first number that is not below another.
    pub(crate) fn next(&self, from: usize) -> Option<usize> {
        let mut at = from / BITS;
        let mut bits = self.0.get(at)? & u64::MAX << (from % BITS);
        while bits == 0 {
            at += 1;
            bits = *self.0.get(at)?;
        }
        Some(at * BITS + bits.trailing_zeros() as usize)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.iter().all(|bits| *bits == 0)
    }

    pub(crate) fn len(&self) -> usize {
        self.0.iter().map(|bits| bits.count_ones() as usize).sum()
    }

    /// Returns the numbers, in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = usize> {
        self.0.iter().enumerate().flat_map(|(at, &bits)| {
            let mut left = bits;
            std::iter::from_fn(move || {
                let next = (left != 0).then(|| at * BITS + left.trailing_zeros() as usize)?;
                left &= left - 1;
                Some(next)
            })
        })
    }
}

impl Numbered {
    pub(crate) fn new(bits: Bits) -> Self {
        let mut sum = 0;
        let before = bits.0.iter().map(|bits| {
            let before = sum;
            sum += bits.count_ones();
            before
        });
        let before = before.collect();
        let length = sum as usize;
        Self { bits, before, length }
    }

    /// Returns the rank of a member.
    pub(crate) fn number(&self, member: usize) -> Option<usize> {
        let (at, bits) = (member / BITS, self.bits.0[member / BITS]);
        let bit = 1 << (member % BITS);
        (bits & bit != 0).then(|| self.before[at] as usize + (bits & (bit - 1)).count_ones() as usize)
    }

    /// Returns the members, in order.
    pub(crate) fn members(&self) -> impl Iterator<Item = usize> {
        self.bits.iter()
    }

    /// Returns the number of members.
    pub(crate) fn len(&self) -> usize {
        self.length
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_filled_to_their_ends() {
        for start in [0, 1, 63, 64, 65, 127, 128, 190] {
            for end in [0, 1, 63, 64, 65, 128, 129, 192, 200] {
                let mut bits = Bits::new(200);
                bits.fill(start..end);
                assert_eq!(bits.iter().collect::<Vec<_>>(), (start..end).collect::<Vec<_>>());
                assert_eq!((bits.len(), bits.is_empty()), ((start..end).len(), start >= end));
                for from in [0, start, end, 199, 200] {
                    assert_eq!(
                        bits.next(from),
                        (from.max(start)..end).next(),
                        "{start}..{end} from {from}"
                    );
                }
            }
        }
    }

    #[test]
    fn members_are_numbered_in_their_order() {
        let mut bits = Bits::new(300);
        let members = [0, 5, 63, 64, 200, 299];
        assert!(members.into_iter().all(|member| bits.insert(member)) && !bits.insert(64));
        let numbered = Numbered::new(bits);
        let found: Vec<_> = (0..300).filter_map(|at| Some((at, numbered.number(at)?))).collect();
        assert_eq!(found, [(0, 0), (5, 1), (63, 2), (64, 3), (200, 4), (299, 5)]);
    }
}
