//! What the operators' README guarantees is held by the tests that it links.

use std::fs;
use std::path::Path;

const README: &str = include_str!("../crates/wearlab/README.md");

/// The links of a row: text and target.
fn links(row: &str) -> Vec<(&str, &str)> {
    let parts = row.split("](").collect::<Vec<_>>();
    let pairs = parts.windows(2).map(|pair| {
        let text = pair[0].rsplit('[').next().unwrap_or_default();
        (text.trim_matches('`'), pair[1].split(')').next().unwrap_or_default())
    });
    pairs.collect()
}

#[test]
fn every_guarantee_links_tests_that_exist() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/wearlab");
    let (_, table) = README
        .split_once("\n## Guarantees and their tests\n")
        .expect("the table");
    let rows = table.lines().filter(|line| line.starts_with("| ")).skip(1);
    let (mut count, mut wrong) = (0, Vec::new());
    for row in rows {
        count += 1;
        let links = links(row);
        if links.is_empty() {
            wrong.push(format!("no test: {row}"));
        }
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
    assert!(count > 25, "only {count} guarantees were found");
}
