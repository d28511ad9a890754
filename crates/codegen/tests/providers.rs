//! The documents of providers: they are generated whole, and their examples match their schemas.

use std::fs;
use std::path::Path;

use serde_json::json;
use wearlab_codegen::{Input, Profile};

/// The names and texts of the documents.
fn documents() -> Vec<(String, String)> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../spec/providers");
    let entries = fs::read_dir(directory).expect("the documents are listed");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let mut documents: Vec<_> = paths
        .filter(|path| path.extension().is_some_and(|extension| extension == "yaml"))
        .map(|path| {
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            (name, fs::read_to_string(&path).expect("a document"))
        })
        .collect();
    documents.sort();
    assert!(documents.len() >= 7, "only {} documents were found", documents.len());
    documents
}

#[test]
fn documents_of_providers_are_generated_whole() {
    for (name, text) in documents() {
        let input = Input::new(&name, &text).with_profile(Profile::Tolerant);
        let generated = input.generate().unwrap_or_else(|error| panic!("{error}"));
        assert!(generated.notes.list().is_empty(), "{name}: {}", generated.notes);
        let coverage = generated.coverage.expect("the coverage of the tolerant profile");
        assert!(coverage.missing.is_empty(), "{name}: {:?}", coverage.missing);
    }
}

#[test]
fn examples_of_providers_match_their_schemas() {
    for (name, text) in documents() {
        let document = wearlab_codegen::parse(&name, &text).unwrap_or_else(|error| panic!("{error}"));
        let schemas = document["components"]["schemas"].as_object().expect("schemas");
        let mut wrong = Vec::new();
        for (schema, value) in schemas {
            let root = json!({
                "$schema": "https://json-schema.org/draft/2020-12/schema",
                "$ref": format!("#/components/schemas/{schema}"),
                "components": { "schemas": schemas },
            });
            let examples = value["examples"].as_array().map_or(&[][..], Vec::as_slice);
            if examples.is_empty() && value["type"] == "object" {
                wrong.push(format!("{schema}: no example"));
                continue;
            }
            let options = jsonschema::options().should_validate_formats(true);
            let validator = options.build(&root).unwrap_or_else(|error| panic!("{name}: {error}"));
            for example in examples {
                let errors = validator.iter_errors(example);
                wrong.extend(errors.map(|error| format!("{schema}: {}: {error}", error.instance_path())));
            }
        }
        assert!(wrong.is_empty(), "{name}:\n{}", wrong.join("\n"));
    }
}
