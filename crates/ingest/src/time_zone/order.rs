//! Ordering of spans by time: selects the next possible reading of each.

/// Reading of a span, from its start to its end in µs since 1970, UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) start: i64,
    pub(super) end: i64,
}

/// Overlap of the spans of a series.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Overlap {
    /// Spans do not overlap, unless there is no other reading.
    Never,
    /// Spans may overlap: one that begins within the one before, or after it by another reading, is undecided.
    Possible,
}

/// Error of an order that does not decide the readings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OrderError {
    /// The spans are in no order of time.
    Unordered,
    /// The span of this number may overlap the one before, or follow it.
    Overlap(usize),
}

/// Readings of spans, by their numbers, and the first span with another possible reading.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Ordered {
    pub(super) readings: Vec<usize>,
    pub(super) first_ambiguous: Option<usize>,
}

/// Selects the earliest readings with which spans are ordered by time; if there are none, those with which they are in
/// reverse order.
pub(super) fn select(spans: &[Vec<Span>], overlap: Overlap) -> Result<Ordered, OrderError> {
    let reversed: Vec<Vec<Span>> = spans.iter().rev().cloned().collect();
    let backward = || match earliest(&reversed, overlap) {
        Ok(readings) => Ok(back(readings)),
        Err(OrderError::Overlap(number)) => Err(OrderError::Overlap(spans.len() - 1 - number)),
        Err(OrderError::Unordered) => Err(OrderError::Unordered),
    };
    let readings = match earliest(spans, overlap) {
        Err(OrderError::Unordered) => backward()?,
        forward => forward?,
    };
    let others = [latest(spans), backward().ok(), latest(&reversed).map(back)];
    let differs = |number: &usize| {
        let mut others = others.iter().flatten();
        others.any(|other| other[*number] != readings[*number])
    };
    let first_ambiguous = (0..spans.len()).find(differs);
    Ok(Ordered {
        readings,
        first_ambiguous,
    })
}

fn back(mut readings: Vec<usize>) -> Vec<usize> {
    readings.reverse();
    readings
}

/// Returns the earliest readings with which no span begins before the previous one.
pub(super) fn earliest(spans: &[Vec<Span>], overlap: Overlap) -> Result<Vec<usize>, OrderError> {
    let mut readings = Vec::with_capacity(spans.len());
    let mut last = Span {
        start: i64::MIN,
        end: i64::MIN,
    };
    for (number, span) in spans.iter().enumerate() {
        let first_from = |from: i64| {
            let later = span.iter().enumerate().filter(|(_, span)| span.start >= from);
            later
                .min_by_key(|(_, span)| (span.start, span.end))
                .map(|(reading, _)| reading)
        };
        let within = first_from(last.start).ok_or(OrderError::Unordered)?;
        let behind = first_from(last.end);
        if overlap == Overlap::Possible && behind.is_some_and(|behind| span[behind].start != span[within].start) {
            return Err(OrderError::Overlap(number));
        }
        let reading = behind.unwrap_or(within);
        last = span[reading];
        readings.push(reading);
    }
    Ok(readings)
}

/// Returns the latest readings with which no span ends after the next one. In the mirror of time, they are the
/// earliest.
pub(super) fn latest(spans: &[Vec<Span>]) -> Option<Vec<usize>> {
    let mirror = |span: &Span| Span {
        start: -span.end,
        end: -span.start,
    };
    let mirrored = |readings: &Vec<Span>| readings.iter().rev().map(mirror).collect();
    let mirrored: Vec<Vec<Span>> = spans.iter().rev().map(mirrored).collect();
    let readings = back(earliest(&mirrored, Overlap::Never).ok()?);
    let forward = readings
        .iter()
        .zip(spans)
        .map(|(reading, span)| span.len() - 1 - reading);
    Some(forward.collect())
}
