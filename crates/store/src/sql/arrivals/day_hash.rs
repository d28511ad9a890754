//! Hash of the data that arrived last of a day, with their time zones and latest sample.

/// Bytes of the hash of values.
const HASH: usize = 32;
/// Separator of the parts after the hash. It is not UTF-8, so that no name of a time zone has it.
const END: u8 = 0xff;
/// Maximum number of time zones of a day.
const MAX_ZONES: usize = 8;
/// Placeholder for the hash of deleted values.
const FORGOTTEN: [u8; HASH] = [0; HASH];

/// Hash of the data that arrived last of a day, or as a chunk of a pull, and the time zone by which times without an
/// offset were read. For the samples of a day, also the time of the latest one, and for a day the time zones of earlier
/// data.
///
/// The bytes are the hash and the time zone; then, if either is stored, the time of the latest sample; then each other
/// time zone. Earlier versions read the first two, and the third if no other time zone follows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct DayHash(pub(crate) Vec<u8>);

impl DayHash {
    pub(crate) fn new(values: &[u8; HASH], zone: Option<&str>) -> Self {
        Self([values, zone.unwrap_or_default().as_bytes()].concat())
    }

    /// Adds the time of the latest sample, in µs since 1970, and the time zones of earlier data, the latest first.
    pub(crate) fn with_earlier<'z>(mut self, latest: Option<i64>, zones: impl Iterator<Item = &'z str>) -> Self {
        let own = self.zone().unwrap_or_default().to_owned();
        let others: Vec<_> = zones.filter(|zone| *zone != own).take(MAX_ZONES - 1).collect();
        if latest.is_some() || !others.is_empty() {
            self.0.push(END);
            self.0.extend_from_slice(&latest.unwrap_or(i64::MIN).to_le_bytes());
        }
        for zone in others {
            self.0.push(END);
            self.0.extend_from_slice(zone.as_bytes());
        }
        self
    }

    /// Returns whether it is the hash of some values.
    pub(crate) fn is_of(&self, values: &[u8; HASH]) -> bool {
        *values != FORGOTTEN && self.0.starts_with(values)
    }

    /// Returns it without the hash of values, which would reveal few or short ones, and without the time of the latest
    /// sample.
    pub(crate) fn without_values(&self) -> Self {
        Self::new(&FORGOTTEN, self.zone()).with_earlier(None, self.zones())
    }

    /// The lower bound of those with a hash of values.
    pub(crate) fn least_with_values() -> [u8; HASH] {
        let mut least = FORGOTTEN;
        least[HASH - 1] = 1;
        least
    }

    /// The time zone by which times without an offset of the last data were read. Earlier versions did not store it.
    pub(crate) fn zone(&self) -> Option<&str> {
        let zone = self.noted().split(|byte| *byte == END).next()?;
        std::str::from_utf8(zone).ok().filter(|zone| !zone.is_empty())
    }

    /// The time zones by which times without an offset were read, those of the latest data first.
    pub(crate) fn zones(&self) -> impl Iterator<Item = &str> {
        let others = self.behind_zone().and_then(|rest| rest.get(size_of::<i64>() + 1..));
        let others = others.into_iter().flat_map(|zones| zones.split(|byte| *byte == END));
        self.zone()
            .into_iter()
            .chain(others.filter_map(|zone| std::str::from_utf8(zone).ok()))
    }

    /// The time of the latest sample. Earlier versions did not store it.
    pub(crate) fn latest(&self) -> Option<i64> {
        let latest = self.behind_zone()?.first_chunk()?;
        Some(i64::from_le_bytes(*latest)).filter(|latest| *latest != i64::MIN)
    }

    fn noted(&self) -> &[u8] {
        self.0.get(HASH..).unwrap_or_default()
    }

    fn behind_zone(&self) -> Option<&[u8]> {
        let end = self.noted().iter().position(|byte| *byte == END)?;
        self.noted().get(end + 1..)
    }
}

#[cfg(test)]
mod tests {
    use super::DayHash;

    #[test]
    fn a_hash_has_its_time_zones_and_the_latest_time() {
        let (values, others) = ([2; 32], [1; 32]);
        let oslo = "Europe/Oslo";
        for zone in [None, Some(oslo)] {
            for latest in [None, Some(0), Some(-1), Some(1_777_000_000_000_000)] {
                for earlier in [&[][..], &["Asia/Tokyo"], &["Asia/Tokyo", oslo, "Etc/GMT8"]] {
                    let hash = DayHash::new(&values, zone).with_earlier(latest, earlier.iter().copied());
                    assert!(hash.is_of(&values) && !hash.is_of(&others));
                    assert_eq!((hash.zone(), hash.latest()), (zone, latest));
                    let mut expected: Vec<_> = zone.into_iter().collect();
                    expected.extend(earlier.iter().filter(|earlier| Some(**earlier) != zone));
                    assert_eq!(hash.zones().collect::<Vec<_>>(), expected);
                    assert!(hash.0[..] >= DayHash::least_with_values()[..]);
                    let without = hash.without_values();
                    assert!(without.0[..] < DayHash::least_with_values()[..]);
                    assert!(!without.is_of(&values) && !without.is_of(&[0; 32]));
                    assert_eq!((without.zone(), without.latest()), (zone, None));
                    assert_eq!(without.zones().collect::<Vec<_>>(), expected);
                }
            }
        }
        let none = DayHash(Vec::new());
        assert_eq!((none.zone(), none.latest(), none.zones().count()), (None, None, 0));
    }

    #[test]
    fn the_time_zones_of_a_day_are_bounded() {
        let zones: Vec<_> = (0..20).map(|number| format!("Etc/GMT-{number}")).collect();
        let hash = DayHash::new(&[0; 32], Some("UTC")).with_earlier(None, zones.iter().map(String::as_str));
        let found: Vec<_> = hash.zones().collect();
        assert_eq!((found.len(), found[0], found[1]), (8, "UTC", "Etc/GMT-0"));
    }
}
