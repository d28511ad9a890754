//! Tests that guarantees of the operators' README and of the pages on linking and connectors link existing tests.

use std::fs;
use std::path::Path;

const README: &str = include_str!("../../crates/wearlab/README.md");
const LINKING: &str = include_str!("../../crates/wearlab/docs/linking.md");
const CONNECTORS: &str = include_str!("../../crates/wearlab/docs/connectors.md");

/// Returns the links of a row: text and target.
fn links(row: &str) -> Vec<(&str, &str)> {
    let parts = row.split("](").collect::<Vec<_>>();
    let pairs = parts.windows(2).map(|pair| {
        let text = pair[0].rsplit('[').next().unwrap_or_default();
        (text.trim_matches('`'), pair[1].split(')').next().unwrap_or_default())
    });
    pairs.collect()
}

/// Checks that each link in the table below a heading leads to a test. `text` is a page in a directory of the service's
/// crate. Returns the number of rows, and of rows without a link.
fn check(text: &str, heading: &str, directory: &str) -> (usize, usize) {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates");
    let directory = crates.join(directory);
    let (_, table) = text.split_once(&format!("\n## {heading}\n")).expect("the table");
    let rows = table.lines().filter(|line| line.starts_with("| ")).skip(1);
    let (mut count, mut without, mut wrong) = (0, 0, Vec::new());
    for row in rows {
        count += 1;
        let links = links(row);
        without += usize::from(links.is_empty());
        for (test, path) in links {
            let text = fs::read_to_string(directory.join(path)).unwrap_or_default();
            let is_test = ["#[test]", "#[tokio::test"]
                .iter()
                .any(|attribute| text.contains(attribute));
            let found = match path.ends_with(".rs") {
                true => is_test && text.contains(&format!("fn {test}(")),
                false => !text.is_empty(),
            };
            if !found {
                wrong.push(format!("{path} has no {test}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    (count, without)
}

#[test]
fn every_guarantee_links_tests_that_exist() {
    let (count, without) = check(README, "Guarantees and their tests", "wearlab");
    assert_eq!(without, 0, "a guarantee without a test");
    assert!(count > 25, "only {count} guarantees were found");
}

#[test]
fn every_threat_to_linking_links_tests_that_exist() {
    let (count, without) = check(LINKING, "Threats", "wearlab/docs");
    assert_eq!(without, 1, "whoever is given a link page by its user");
    assert!(count > 15, "only {count} threats were found");
}

#[test]
fn every_threat_to_connectors_links_tests_that_exist() {
    let (count, without) = check(CONNECTORS, "Threats", "wearlab/docs");
    assert_eq!((count, without), (6, 0));
}
