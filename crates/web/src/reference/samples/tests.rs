//! Checks that samples use existing names. `.ci/pages` runs and compiles them.

use std::path::Path;

use super::super::document::Document;
use super::super::values::Values;
use super::{Call, LANGUAGES, rust};

/// Returns the source of the generated client.
fn client() -> String {
    let generated = Path::new(env!("CARGO_MANIFEST_DIR")).join("../client/src/generated");
    let files = std::fs::read_dir(generated).expect("the generated client");
    files
        .map(|file| std::fs::read_to_string(file.expect("a file").path()).expect("text"))
        .collect()
}

/// Returns the names of a method's arguments.
fn arguments<'a>(client: &'a str, method: &str) -> Vec<&'a str> {
    let start = format!("pub fn {method}(");
    let rest = client.split_once(&start).expect(method).1;
    let list = rest.split_once(") -> ").expect("its end").0;
    let names = list.split(',').filter_map(|part| part.split_once(':'));
    names.map(|(name, _)| name.trim()).collect()
}

#[test]
fn samples_of_rust_call_methods_of_the_client_with_its_arguments() {
    let (document, client) = (Document::new(str::to_owned), client());
    for operation in document.operations() {
        let call = Call::new(&operation, &Values::default());
        let mut names: Vec<_> = call.arguments.iter().map(|(parameter, _)| parameter.name).collect();
        let has_body = call.body.is_some();
        names.extend((has_body && operation.requires_body()).then_some("body"));
        assert_eq!(arguments(&client, operation.id()), names, "{}", operation.id());
        let sample = rust::write(&call);
        assert!(sample.contains(&format!("client.{}(", operation.id())), "{sample}");
        let is_set = sample.contains(".body(body)");
        assert_eq!(is_set, has_body && !operation.requires_body(), "{sample}");
    }
}

#[test]
fn the_management_api_is_where_the_client_sends_it() {
    let (document, client) = (Document::new(str::to_owned), client());
    for operation in document.operations() {
        let constant = format!("id: \"{}\",", operation.id());
        let rest = client.split_once(&constant).expect("a constant of each operation").1;
        let server = rest.split_once("server: Server::").expect("its server").1;
        assert_eq!(
            server.starts_with("Management"),
            operation.is_management(),
            "{}",
            operation.id()
        );
    }
}

#[test]
fn every_sample_has_all_that_its_operation_requires() {
    let document = Document::new(str::to_owned);
    for operation in document.operations() {
        let call = Call::new(&operation, &Values::default());
        assert!(!call.path.contains('{'), "{}", call.path);
        for language in &LANGUAGES {
            let sample = (language.write)(&call);
            for (_, value) in &call.query {
                assert!(
                    sample.contains(value) || sample.contains(&super::call::encoded(value)),
                    "{sample}"
                );
            }
            let variables = call.credentials.iter().map(|(_, variable)| variable);
            for variable in variables.filter(|_| language.id != "rust") {
                assert!(sample.contains(variable), "{sample}");
            }
        }
    }
}
