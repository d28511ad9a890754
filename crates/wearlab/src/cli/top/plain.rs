//! One view as plain text, for scripts.

use super::cells::{DESTINATION_HEAD, OPERATION_HEAD};
use super::view::View;

/// Formats the view in lines: the summary, operations, destinations.
pub(super) fn text(url: &str, view: &View) -> String {
    let mut text = format!("{} at {url}\n", view.title());
    for line in view.summary() {
        let line: Vec<_> = line.iter().map(|(name, value)| format!("{name} {value}")).collect();
        text += &format!("{}\n", line.join("   "));
    }
    let operations: Vec<_> = view.operations.iter().map(|one| one.cells()).collect();
    let destinations: Vec<_> = view.destinations.iter().map(|one| one.cells()).collect();
    text += &table(OPERATION_HEAD, &operations, 1);
    text += &table(DESTINATION_HEAD, &destinations, 3);
    text.truncate(text.trim_end().len());
    text
}

/// Formats columns as wide as their values. The first `texts` are text, the others numbers.
fn table<const N: usize>(head: [&str; N], rows: &[[String; N]], texts: usize) -> String {
    let head = head.map(str::to_owned);
    let mut widths = [0; N];
    for row in rows.iter().chain([&head]) {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let line = |row: &[String; N]| {
        let cells = row.iter().zip(widths).enumerate();
        let cells = cells.map(|(at, (cell, width))| match at < texts {
            true => format!("{cell:width$}"),
            false => format!("{cell:>width$}"),
        });
        format!("{}\n", cells.collect::<Vec<_>>().join("  ").trim_end())
    };
    format!("\n{}{}", line(&head), rows.iter().map(line).collect::<String>())
}
