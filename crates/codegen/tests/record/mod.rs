//! The public record: constructs that users of other generators reported, each with the right result here.
//!
//! A case names the repository and the number of the issue. Its document is our own, and as small as the construct.

mod compositions;
mod documents;
mod objects;
mod parameters;
mod responses;
mod unions;
mod values;

use wearlab_codegen::{Generated, Input, Profile};

/// A reported construct.
pub(crate) struct Case {
    pub(crate) repository: &'static str,
    pub(crate) number: u32,
    pub(crate) construct: &'static str,
    pub(crate) document: Text,
    /// Parts of generated code.
    pub(crate) code: &'static [&'static str],
    /// Parts of notes. Without, the document has no notes.
    pub(crate) notes: &'static [&'static str],
}

/// The document of a case.
pub(crate) enum Text {
    /// The named schemas, of which `It` is the body of a request and of its response.
    Schemas(&'static str),
    /// The paths.
    Paths(&'static str),
}

const PATHS: &str = "
  /it:
    post:
      operationId: send_it
      requestBody: { required: true, content: { application/json: { schema: { $ref: '#/components/schemas/It' } } } }
      responses:
        '200': { description: It., content: { application/json: { schema: { $ref: '#/components/schemas/It' } } } }
";

impl Case {
    pub(crate) fn text(&self) -> String {
        let head = "openapi: 3.1.0\ninfo: { title: Record, version: '1' }\n";
        match self.document {
            Text::Schemas(schemas) => format!("{head}paths:{PATHS}components:\n  schemas:{schemas}"),
            Text::Paths(paths) => format!("{head}paths:{paths}"),
        }
    }

    pub(crate) fn generated(&self) -> Generated {
        let text = self.text();
        let generated = Input::new("record.yaml", &text)
            .with_profile(Profile::Tolerant)
            .generate();
        generated.unwrap_or_else(|error| panic!("{}#{}: {error}", self.repository, self.number))
    }

    /// The differences from the right result.
    fn faults(&self) -> Vec<String> {
        let generated = self.generated();
        let rust = generated.files.iter().filter(|file| file.path.ends_with(".rs"));
        let code: String = rust.map(|file| squeezed(&file.text)).collect();
        let notes = generated.notes.to_string();
        let mut faults = Vec::new();
        for part in self.code.iter().filter(|part| !code.contains(&squeezed(part))) {
            faults.push(format!("the code has no {part:?}"));
        }
        for part in self.notes.iter().filter(|part| !notes.contains(**part)) {
            faults.push(format!("the notes have no {part:?}: {notes}"));
        }
        if self.notes.is_empty() && !generated.notes.list().is_empty() {
            faults.push(format!("unexpected notes: {notes}"));
        }
        let named = |fault: String| format!("{}#{}, {}: {fault}", self.repository, self.number, self.construct);
        faults.into_iter().map(named).collect()
    }
}

/// Code without the white space that formatting adds.
fn squeezed(code: &str) -> String {
    code.split_whitespace().collect::<String>()
}

/// All cases.
pub(crate) fn cases() -> impl Iterator<Item = &'static Case> {
    let all = [
        compositions::CASES,
        documents::CASES,
        objects::CASES,
        parameters::CASES,
        responses::CASES,
        unions::CASES,
        values::CASES,
    ];
    all.into_iter().flatten()
}

#[test]
fn each_reported_construct_has_the_right_result() {
    let faults: Vec<_> = cases().flat_map(Case::faults).collect();
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}
