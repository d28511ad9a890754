//! Tests of `wearlab export`, `wearlab seed` and `wearlab schema`.

use std::fs;

use serde_json::Value;

use crate::fixture::{Fixture, WORLD, error};

#[test]
fn what_is_exported_and_imported_is_exported_the_same() {
    let (first, second) = (Fixture::new(), Fixture::new());
    let lines = first.says(&["seed", "--users", "60", "--seed", "5", "--derived-keys", "--pipelines"]);
    assert!(first.import(&lines, &["--strict"]).status.success());
    for secrets in [&["export", "--with-secrets"][..], &["export"]] {
        let exported = first.says(secrets);
        let second = Fixture::new();
        assert!(second.import(&exported, &["--strict"]).status.success());
        assert_eq!(second.says(secrets), exported);
    }
    let seed = [
        "seed",
        "--users",
        "60",
        "--seed",
        "5",
        "--derived-keys",
        "--pipelines",
        "--into-store",
    ];
    second.says(&seed);
    assert_eq!(second.export(), first.export());
}

#[test]
fn a_file_is_new_and_for_its_owner() {
    let fixture = Fixture::with_world();
    let file = fixture.directory.path().join("out.ndjson");
    let name = file.display().to_string();
    let message = fixture.says(&["export", "--with-secrets", "--output", &name]);
    assert_eq!(message, format!("wrote 7 records to {name}\n"));
    assert_eq!(fs::read_to_string(&file).expect("reads"), fixture.export());
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = fs::metadata(&file).expect("metadata").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    let again = fixture.run(&["export", "--output", &name]);
    assert!(
        !again.status.success() && error(&again).contains("out.ndjson"),
        "{}",
        error(&again)
    );
}

#[test]
fn the_schema_fits_what_is_imported() {
    let fixture = Fixture::new();
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_wearlab"))
        .args(["schema", "import"])
        .output()
        .expect("the binary runs");
    let schema: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    let sample = fixture.says(&["seed", "--users", "20", "--pipelines"]);
    for line in WORLD.trim().lines().chain(sample.lines()) {
        let line: Value = serde_json::from_str(line).expect("JSON");
        if let Err(error) = validator.validate(&line) {
            panic!("{error}: {line}");
        }
    }
    for wrong in [
        r#"{"planet": {}}"#,
        r#"{"organisation": {}}"#,
        r#"{"organisation": {"org_id": 7}}"#,
        r#"{"organisation": {"org_id": "o"}, "team": {}}"#,
        r#"{"team": {"team_id": "00000000-0000-0000-0000-000000000001", "org_id": "o", "environment": "moon", "region": "eu"}}"#,
    ] {
        let line: Value = serde_json::from_str(wrong).expect("JSON");
        assert!(!validator.is_valid(&line), "{wrong}");
    }
}
