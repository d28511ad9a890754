//! Encoded polylines: the differences of coordinates in 0.00001 degrees, in groups of five bits.

/// Returns the polyline of latitudes and longitudes, in degrees.
pub(super) fn polyline(points: impl Iterator<Item = (f64, f64)>) -> String {
    let mut line = String::new();
    let mut before = (0, 0);
    for (latitude, longitude) in points {
        let point = (units(latitude), units(longitude));
        push(&mut line, point.0 - before.0);
        push(&mut line, point.1 - before.1);
        before = point;
    }
    line
}

fn units(degrees: f64) -> i64 {
    (degrees * 1e5).round() as i64
}

/// Appends a number, its lowest bits first. The sign is the lowest bit.
fn push(line: &mut String, number: i64) {
    let mut rest = (number.unsigned_abs() << 1) - u64::from(number < 0);
    loop {
        let group = (rest & 0x1f) as u8;
        rest >>= 5;
        let more = if rest > 0 { 0x20 } else { 0 };
        line.push(char::from((group | more) + b'?'));
        if rest == 0 {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::polyline;

    /// The example of the format's description.
    #[test]
    fn the_polyline_of_a_known_route() {
        let points = [(38.5, -120.2), (40.7, -120.95), (43.252, -126.453)];
        assert_eq!(polyline(points.into_iter()), "_p~iF~ps|U_ulLnnqC_mqNvxq`@");
        assert_eq!(polyline([(0.0, 0.0), (0.0, 0.0)].into_iter()), "????");
        assert_eq!(polyline(std::iter::empty()), "");
    }
}
