//! Dependencies between crates: each crate uses those of its row, and no others.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use toml::{Table, Value};

/// Crates that any crate may use: they know nothing of the rest.
const BASE: [&str; 3] = ["clock", "models", "settings"];

/// Crates that each crate may use besides those of [`BASE`]. A row refers only to crates of earlier rows.
const MAY_USE: &[(&str, &[&str])] = &[
    // The generator.
    ("codegen", &[]),
    // The runtime of generated code.
    ("kit-types", &[]),
    ("kit-client", &["kit-types"]),
    ("kit-server", &["kit-types"]),
    ("kit-cli", &["kit-client", "kit-types"]),
    ("kit-mcp", &["kit-cli", "kit-client", "kit-types"]),
    ("kit-mock", &["kit-types"]),
    // Its output.
    ("models", &["kit-types"]),
    ("client", &["kit-client"]),
    ("server", &["kit-server"]),
    ("cli", &["client", "kit-cli"]),
    ("mcp", &["cli", "kit-mcp"]),
    ("mock", &["kit-mock"]),
    // Rules without I/O.
    ("clock", &[]),
    ("settings", &[]),
    ("labs", &[]),
    ("diagnoses", &[]),
    ("requisition", &[]),
    ("fhir", &["labs"]),
    ("ingest", &["labs"]),
    ("samples", &["ingest"]),
    // The store, and crates on top of it.
    ("checksum-vfs", &[]),
    ("database", &["checksum-vfs"]),
    ("store", &["database", "ingest", "samples"]),
    ("delivery", &["store"]),
    ("sample", &["ingest", "labs", "store"]),
    ("intake", &["delivery", "ingest", "labs", "server", "store"]),
    ("linking", &["delivery", "ingest", "store"]),
    // Connectors.
    ("connect", &["delivery", "ingest", "kit-client", "linking", "store"]),
    ("providers", &["connect", "kit-client", "kit-server", "kit-types"]),
    // HTTP: the server does not use the service, and only the service uses the rest.
    ("http", &["server"]),
    (
        "service",
        &[
            "delivery",
            "diagnoses",
            "fhir",
            "http",
            "ingest",
            "intake",
            "labs",
            "linking",
            "requisition",
            "sample",
            "server",
            "store",
        ],
    ),
    (
        "web",
        &[
            "client", "connect", "http", "ingest", "linking", "server", "service", "store",
        ],
    ),
];

/// Crate that may use all others except the generator: the command line and the composition of a service.
const ROOT: &str = "wearlab";

/// Returns the crates of the workspace that a manifest depends on, without their prefix. Those of tests do not count.
fn dependencies(manifest: &Table) -> BTreeSet<String> {
    let own = |table: &Table| {
        let names = table.keys().filter_map(|name| name.strip_prefix("wearlab-"));
        names.map(str::to_owned).collect::<Vec<_>>()
    };
    let targets = manifest.get("target").and_then(Value::as_table);
    let targets = targets.into_iter().flat_map(Table::values).filter_map(Value::as_table);
    let tables = targets.chain([manifest]);
    let tables = tables.flat_map(|table| [table.get("dependencies"), table.get("build-dependencies")]);
    tables.flatten().filter_map(Value::as_table).flat_map(own).collect()
}

#[test]
fn each_crate_uses_crates_below_it_alone() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates");
    let mut manifests = BTreeMap::new();
    for entry in fs::read_dir(crates).expect("a directory") {
        let directory = entry.expect("an entry").path();
        let text = fs::read_to_string(directory.join("Cargo.toml")).expect("a manifest");
        let name = directory.file_name().expect("a name").to_string_lossy().into_owned();
        manifests.insert(name, dependencies(&text.parse().expect("TOML")));
    }
    let root = manifests.remove(ROOT).expect("the root");
    assert!(!root.contains("codegen"), "no consumer compiles the generator");
    let mut wrong = Vec::new();
    for (number, (name, may_use)) in MAY_USE.iter().enumerate() {
        let uses = manifests
            .remove(*name)
            .unwrap_or_else(|| panic!("crates/{name} does not exist"));
        let earlier: Vec<_> = MAY_USE[..number].iter().map(|(name, _)| *name).collect();
        for used in may_use.iter().filter(|used| !earlier.contains(used)) {
            wrong.push(format!("{name} may use {used}, which is not in an earlier row"));
        }
        for used in &uses {
            if !may_use.contains(&used.as_str()) && !BASE.contains(&used.as_str()) {
                wrong.push(format!(
                    "{name} uses {used}: move what it needs into a crate below both"
                ));
            }
        }
        for unused in may_use.iter().filter(|used| !uses.contains(**used)) {
            wrong.push(format!("{name} no longer uses {unused}: remove it from its row"));
        }
    }
    for name in manifests.keys() {
        wrong.push(format!("{name} has no row: say what it may use"));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn dependencies_of_all_targets_are_read() {
    let manifest = "[dependencies]\nwearlab-a.workspace = true\nserde = '1'\n[target.'cfg(unix)'.dependencies]\nwearlab-b = '1'\n\
                    [dev-dependencies]\nwearlab-c = '1'\n[build-dependencies]\nwearlab-d = '1'";
    let read = dependencies(&manifest.parse().expect("TOML"));
    assert_eq!(read, ["a", "b", "d"].map(str::to_owned).into());
}
