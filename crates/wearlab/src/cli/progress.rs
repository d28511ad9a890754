//! Progress of long commands, on standard error if that is a terminal.

use std::borrow::Cow;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use indicatif::{HumanBytes, ProgressBar, ProgressState, ProgressStyle};

/// Interval of redrawing spinners.
const TICK: Duration = Duration::from_millis(100);

/// Bar of bytes read, of the total if it is known.
pub(super) fn bytes(total: Option<u64>) -> ProgressBar {
    match total {
        Some(total) => styled(
            ProgressBar::new(total),
            "{bar:40} {binary_bytes} of {binary_total_bytes}, {eta} to go",
        ),
        None => styled(ProgressBar::no_length(), "{spinner} {binary_bytes}"),
    }
}

/// Bar of items done, of the total if it is known. `what` is their plural.
pub(super) fn count(total: Option<u64>, what: &'static str) -> ProgressBar {
    let bar = match total {
        Some(total) => styled(ProgressBar::new(total), "{bar:40} {pos} of {len} {msg}, {eta} to go"),
        None => styled(ProgressBar::no_length(), "{spinner} {pos} {msg}, {elapsed}"),
    };
    bar.with_message(what)
}

/// Spinner for work of unknown length.
pub(super) fn working(what: impl Into<Cow<'static, str>>) -> ProgressBar {
    ticking(styled(ProgressBar::no_length(), "{spinner} {msg}, {elapsed}").with_message(what))
}

/// Spinner for a file that is written under its name with `.part` appended.
pub(super) fn writing(file: &Path) -> ProgressBar {
    let mut part = file.as_os_str().to_owned();
    part.push(".part");
    let files = [PathBuf::from(part), file.to_owned()];
    let size = move |_: &ProgressState, text: &mut dyn std::fmt::Write| {
        let mut found = files.iter().filter_map(|file| fs::metadata(file).ok());
        let size = found.next().map_or(0, |file| file.len());
        // Writing to a bar cannot fail.
        let _ = write!(text, "{}", HumanBytes(size));
    };
    let style = ProgressStyle::with_template("{spinner} {size} written, {elapsed}");
    let style = style.unwrap_or_else(|_| ProgressStyle::default_spinner());
    ticking(ProgressBar::no_length().with_style(style.with_key("size", size)))
}

fn styled(bar: ProgressBar, template: &str) -> ProgressBar {
    let style = ProgressStyle::with_template(template);
    bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

fn ticking(bar: ProgressBar) -> ProgressBar {
    bar.enable_steady_tick(TICK);
    bar
}
