//! Parser of the text format of `/metrics`: samples by name and labels, and quantiles of histograms.

use std::collections::BTreeMap;

/// Samples of one scrape.
#[derive(Clone, Debug, Default)]
pub struct MetricsText(BTreeMap<String, Vec<Sample>>);

/// Value with its labels.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    labels: Vec<(String, String)>,
    /// Value.
    pub value: f64,
}

/// Error of a line that is not in the format.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line} is not in the text format of Prometheus")]
pub struct InvalidLine {
    line: usize,
}

impl Sample {
    /// Returns the value of a label, or an empty text.
    pub fn label(&self, name: &str) -> &str {
        let found = self.labels.iter().find(|(label, _)| label == name);
        found.map_or("", |(_, value)| value)
    }
}

impl MetricsText {
    /// Parses the text format of Prometheus or of OpenMetrics.
    pub fn parse(text: &str) -> Result<Self, InvalidLine> {
        let mut samples = BTreeMap::<String, Vec<Sample>>::new();
        for (at, line) in text.lines().enumerate() {
            if line.trim().is_empty() || line.starts_with('#') {
                continue;
            }
            let (name, sample) = sample(line).ok_or(InvalidLine { line: at + 1 })?;
            samples.entry(name.to_owned()).or_default().push(sample);
        }
        Ok(Self(samples))
    }

    /// Returns the samples of a name with its suffix, such as `wearlab_http_requests_total`.
    pub fn samples(&self, name: &str) -> &[Sample] {
        self.0.get(name).map_or(&[], Vec::as_slice)
    }

    /// Returns the sum of the samples of a name; none if there are none.
    pub fn sum(&self, name: &str) -> Option<f64> {
        let samples = self.samples(name);
        (!samples.is_empty()).then(|| samples.iter().map(|sample| sample.value).sum())
    }

    /// Returns the histograms of a name, without a suffix, by the value of a label.
    pub fn histograms(&self, name: &str, label: &str) -> BTreeMap<String, Buckets> {
        let mut histograms = BTreeMap::<String, Buckets>::new();
        for sample in self.samples(&format!("{name}_bucket")) {
            let Ok(bound) = sample.label("le").parse() else {
                continue;
            };
            let histogram = histograms.entry(sample.label(label).to_owned()).or_default();
            histogram.0.push((bound, sample.value));
        }
        for Buckets(buckets) in histograms.values_mut() {
            buckets.sort_by(|(one, _), (other, _)| one.total_cmp(other));
        }
        histograms
    }
}

/// Buckets of a histogram in order: upper bound, and number of values up to it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Buckets(Vec<(f64, f64)>);

impl Buckets {
    /// Returns the number of values.
    pub fn count(&self) -> f64 {
        self.0.last().map_or(0.0, |(_, count)| *count)
    }

    /// Returns the values since an earlier scrape. If that has more, the process was restarted, and all values are new.
    pub fn since(&self, earlier: &Self) -> Self {
        if earlier.count() > self.count() {
            return self.clone();
        }
        let before = |bound: f64| {
            let found = earlier.0.iter().find(|(other, _)| *other == bound);
            found.map_or(0.0, |(_, count)| *count)
        };
        Self(
            self.0
                .iter()
                .map(|(bound, count)| (*bound, count - before(*bound)))
                .collect(),
        )
    }

    /// Returns a quantile, such as 0.99: interpolated within its bucket, or the last finite bound if it exceeds that.
    /// None without values.
    pub fn quantile(&self, part: f64) -> Option<f64> {
        let rank = self.count() * part;
        let (mut lower, mut below) = (0.0, 0.0);
        for (bound, count) in &self.0 {
            if *count >= rank && *count > below {
                if bound.is_infinite() {
                    break;
                }
                return Some(lower + (bound - lower) * (rank - below) / (count - below));
            }
            if bound.is_finite() {
                lower = *bound;
            }
            below = *count;
        }
        (self.count() > 0.0).then_some(lower)
    }
}

/// Parses `name{label="value",...} value [timestamp] [# exemplar]`.
fn sample(line: &str) -> Option<(&str, Sample)> {
    let end = line.find(['{', ' '])?;
    let (name, mut rest) = line.split_at(end);
    let mut labels = Vec::new();
    if let Some(inner) = rest.strip_prefix('{') {
        rest = inner;
        loop {
            rest = rest.trim_start_matches([',', ' ']);
            if let Some(after) = rest.strip_prefix('}') {
                rest = after;
                break;
            }
            let (label, after) = rest.split_once("=\"")?;
            let (value, after) = quoted(after)?;
            labels.push((label.to_owned(), value));
            rest = after;
        }
    }
    let value = rest.split_ascii_whitespace().next()?;
    let value = value.parse().ok()?;
    (!name.is_empty()).then_some((name, Sample { labels, value }))
}

/// Unescapes a text up to its closing quotation mark, and returns the rest, too.
fn quoted(text: &str) -> Option<(String, &str)> {
    let mut value = String::new();
    let mut characters = text.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '"' => return Some((value, &text[at + 1..])),
            '\\' => match characters.next()?.1 {
                'n' => value.push('\n'),
                escaped => value.push(escaped),
            },
            _ => value.push(character),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{Buckets, MetricsText};

    const TEXT: &str = r#"# HELP wearlab_http_requests Responses sent.
# TYPE wearlab_http_requests counter
wearlab_http_requests_total{operation="list_users",method="GET",status="200"} 7
wearlab_http_requests_total{operation="a \"b\" \\ \n, }",method="GET",status="404"} 2.5 1700000000 # {id="x"} 1

wearlab_up 1
wearlab_seconds_bucket{le="0.1",operation="a"} 1
wearlab_seconds_bucket{le="+Inf",operation="a"} 4
wearlab_seconds_bucket{le="0.2",operation="a"} 3
wearlab_seconds_bucket{le="+Inf",operation="b"} 0
# EOF
"#;

    fn buckets(counts: &[(f64, f64)]) -> Buckets {
        Buckets(counts.to_vec())
    }

    #[test]
    fn samples_have_their_labels_and_values() {
        let text = MetricsText::parse(TEXT).expect("it is in the format");
        let requests = text.samples("wearlab_http_requests_total");
        assert_eq!(requests.len(), 2);
        assert_eq!((requests[0].label("operation"), requests[0].value), ("list_users", 7.0));
        assert_eq!(requests[0].label("absent"), "");
        assert_eq!(requests[1].label("operation"), "a \"b\" \\ \n, }");
        assert_eq!(requests[1].label("status"), "404");
        assert_eq!(text.sum("wearlab_http_requests_total"), Some(9.5));
        assert_eq!(text.sum("wearlab_up"), Some(1.0));
        assert_eq!(text.sum("wearlab_absent"), None);
    }

    #[test]
    fn histograms_are_grouped_and_in_order() {
        let text = MetricsText::parse(TEXT).expect("it is in the format");
        let histograms = text.histograms("wearlab_seconds", "operation");
        assert_eq!(
            histograms["a"],
            buckets(&[(0.1, 1.0), (0.2, 3.0), (f64::INFINITY, 4.0)])
        );
        assert_eq!(histograms["b"].quantile(0.5), None);
    }

    #[test]
    fn what_is_not_in_the_format_is_an_error_with_its_line() {
        for wrong in [
            "<!doctype html>",
            "a{b=\"c\" 1",
            "a{b=c} 1",
            "a{b=\"c\"}",
            "a one",
            "{b=\"c\"} 1",
        ] {
            let error = MetricsText::parse(&format!("wearlab_up 1\n{wrong}\n")).expect_err(wrong);
            assert_eq!(error.line, 2, "{wrong}");
        }
    }

    #[test]
    fn quantiles_are_interpolated_within_their_bucket() {
        let all = buckets(&[(1.0, 50.0), (2.0, 90.0), (4.0, 100.0), (f64::INFINITY, 100.0)]);
        assert_eq!(all.quantile(0.5), Some(1.0));
        assert_eq!(all.quantile(0.7), Some(1.5));
        assert_eq!(all.quantile(0.95), Some(3.0));
        assert_eq!(all.quantile(1.0), Some(4.0));
        let beyond = buckets(&[(1.0, 1.0), (2.0, 1.0), (f64::INFINITY, 10.0)]);
        assert_eq!(beyond.quantile(0.99), Some(2.0));
        assert_eq!(Buckets::default().quantile(0.5), None);
    }

    #[test]
    fn a_difference_is_what_came_since() {
        let earlier = buckets(&[(1.0, 10.0), (f64::INFINITY, 20.0)]);
        let later = buckets(&[(1.0, 10.0), (f64::INFINITY, 30.0)]);
        assert_eq!(later.since(&earlier), buckets(&[(1.0, 0.0), (f64::INFINITY, 10.0)]));
        // The service was restarted.
        assert_eq!(earlier.since(&later), earlier);
        assert_eq!(later.since(&Buckets::default()), later);
    }
}
