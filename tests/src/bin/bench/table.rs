//! Tables of results, in text and in Markdown.

use std::fmt::Write;

use crate::measure::median;
use crate::results::{Comparison, Found, Growth, Printed, Target};

/// Column headers of a table.
const HEAD: [&str; 6] = ["what", "against", "ratio", "rounds from - to", "target", "met"];

/// Formats the results of one benchmark as text.
pub(crate) fn text(found: &Found) -> String {
    let mut text = String::new();
    for result in &found.results {
        let [what, reference, ratio, spread, target, met] = row(result);
        let [ours, theirs] = [&result.rounds.ours, &result.rounds.reference].map(|numbers| number(median(numbers)));
        let unit = &result.unit;
        let _ = writeln!(
            text,
            "  {what}: {ratio} ({spread}) of {reference}; {ours} and {theirs} {unit}; target {target}: {met}"
        );
    }
    for growth in &found.growths {
        let [what, multiples, bound, met] = growth_row(growth);
        let _ = writeln!(text, "  {what}: {multiples}; target {bound}: {met}");
    }
    for Printed {
        what,
        value,
        target,
        met,
    } in &found.printed
    {
        let target = target
            .as_ref()
            .map_or(String::new(), |target| format!("; target {target}: {}", yes(*met)));
        let _ = writeln!(text, "  {what}: {value}{target}");
    }
    text
}

/// Formats results as Markdown.
pub(crate) fn markdown<'a>(found: impl Iterator<Item = &'a Found> + Clone) -> String {
    let mut text = heading(&HEAD);
    for result in found.clone().flat_map(|found| &found.results) {
        line(&mut text, &row(result));
    }
    text += "\nGrowth, as multiples of the first:\n\n";
    text += &heading(&["what", "cost", "target", "met"]);
    for growth in found.clone().flat_map(|found| &found.growths) {
        line(&mut text, &growth_row(growth));
    }
    text += "\nWithout a reference:\n\n";
    text += &heading(&["what", "found", "target", "met"]);
    for Printed {
        what,
        value,
        target,
        met,
    } in found.flat_map(|found| &found.printed)
    {
        let (target, met) = target.as_deref().map_or(("-", "-"), |target| (target, yes(*met)));
        line(&mut text, &[what, value, target, met]);
    }
    text
}

fn row(result: &Comparison) -> [String; 6] {
    let (low, high) = result.rounds.spread();
    let target = match result.target {
        Target::AtLeast(least) => format!(">= {least:.2}"),
        Target::AtMost(most) => format!("<= {most:.2}"),
        Target::None => "-".into(),
    };
    [
        result.what.clone(),
        result.reference.clone(),
        ratio(result.ratio()),
        format!("{} - {}", ratio(low), ratio(high)),
        target,
        result.met().map_or("-", yes).into(),
    ]
}

fn growth_row(growth: &Growth) -> [String; 4] {
    let multiples = growth.multiples();
    let multiples = multiples
        .iter()
        .map(|(size, multiple)| format!("{multiple:.2} at {size} {}", growth.of));
    [
        growth.what.clone(),
        multiples.collect::<Vec<_>>().join(", "),
        format!("<= {:.2}", growth.target()),
        yes(growth.met()).into(),
    ]
}

fn heading(columns: &[&str]) -> String {
    let mut text = String::new();
    line(&mut text, columns);
    line(&mut text, &vec!["---"; columns.len()]);
    text
}

fn line(text: &mut String, cells: &[impl AsRef<str>]) {
    for cell in cells {
        let _ = write!(text, "| {} ", cell.as_ref());
    }
    text.push_str("|\n");
}

fn yes(met: bool) -> &'static str {
    if met { "yes" } else { "**no**" }
}

/// Formats a ratio, with more digits if it is small.
fn ratio(ratio: f64) -> String {
    match ratio {
        small if small < 0.1 => format!("{ratio:.3}"),
        _ => format!("{ratio:.2}"),
    }
}

/// Formats a number with about four digits.
fn number(number: f64) -> String {
    match number.abs() {
        large if large >= 1000.0 => format!("{number:.0}"),
        large if large >= 1.0 => format!("{number:.2}"),
        _ => format!("{number:.4}"),
    }
}
