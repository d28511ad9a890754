//! Renames: hand-written code uses few names of the document, which are listed here.

use std::sync::LazyLock;

use super::compile;
use crate::project;

/// The project's own document.
static SPEC: LazyLock<String> = LazyLock::new(|| project::text(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")));

/// Schemas named by hand-written code: the body of errors, which server and client write and read, and the payloads
/// with older forms. All others may be renamed without a change there.
///
/// Hand-written code also names the addresses and credentials, in `client/src/builder.rs`, whose setters are called
/// directly.
const KNOWN: [&str; 15] = [
    "Problem",
    "Violation",
    "ConflictingObject",
    "Provider",
    "SourceContext",
    "ProviderConnection",
    // Parts of deprecated events, and their current forms: `models/src/consume/upgrade.rs`.
    "DailyHypnogramEvent",
    "DailySleepCycleData",
    "DailySleepCycleEvent",
    "HistoricalHypnogramEvent",
    "HistoricalSleepCycleData",
    "HistoricalSleepCycleEvent",
    "HypnogramEntry",
    "ResourceName",
    "SleepCycle",
];

/// Events with an upgrade.
const KNOWN_EVENTS: [&str; 10] = [
    "daily_data_created",
    "daily_data_updated",
    "daily_hypnogram_created",
    "daily_hypnogram_updated",
    "daily_sleep_cycle_created",
    "daily_sleep_cycle_updated",
    "historical_data_created",
    "historical_hypnogram_created",
    "historical_sleep_cycle_created",
    "provider_connection_created",
];

/// The document with every tag, every operation and event, and every schema but those renamed.
fn renamed() -> String {
    let mut text = SPEC.clone();
    for name in names(&SPEC, "\ntags:\n", "  - name: ", "") {
        for (before, after) in [
            ("  - name: ", "\n    desc"),
            ("tags:\n        - ", "\n"),
            ("x-tag: ", "\n"),
        ] {
            text = rename(&text, before, &name, after, &format!("other_{name}"));
        }
    }
    for name in names(&SPEC, "\npaths:\n", "      operationId: ", "") {
        if !KNOWN_EVENTS.contains(&name.as_str()) {
            text = rename(&text, "operationId: ", &name, "\n", &format!("other_{name}"));
        }
    }
    for name in names(&SPEC, "\n  schemas:\n", "    ", ":") {
        // Paths have lines as deep as schemas.
        let is_schema = name.starts_with(char::is_uppercase);
        if is_schema && !KNOWN.contains(&name.as_str()) {
            // A tag's file may have parameters of its own beside its schemas.
            for (before, after) in [("\n    ", ":\n"), ("schemas/", "\""), ("parameters/", "\"")] {
                text = rename(&text, before, &name, after, &format!("Other{name}"));
            }
        }
    }
    text
}

/// The words between `before` and `after` on lines after `section`.
fn names(text: &str, section: &str, before: &str, after: &str) -> Vec<String> {
    let (_, rest) = text.split_once(section).expect("the section");
    let lines = rest
        .lines()
        .filter_map(|line| line.strip_prefix(before)?.strip_suffix(after));
    let words = lines.filter(|name| name.chars().all(|c| c.is_alphanumeric() || c == '_'));
    words.map(str::to_owned).collect()
}

fn rename(text: &str, before: &str, name: &str, after: &str, to: &str) -> String {
    text.replace(&format!("{before}{name}{after}"), &format!("{before}{to}{after}"))
}

#[test]
#[ignore = "compiles a workspace; CI runs it"]
fn code_by_hand_knows_few_names() {
    let text = renamed();
    let changed = text.lines().zip(SPEC.lines()).filter(|(new, old)| new != old).count();
    assert!(changed > 150, "{changed} lines changed");
    compile::check("renames", &text, &[]);
}
