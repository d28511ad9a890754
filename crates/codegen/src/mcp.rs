//! Pass 6: the MCP server: a table of tools, with the JSON Schemas of their arguments.
//!
//! Words, options and calls are those of the command line's table.

mod schema;

use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};
use serde_json::Value;

use crate::Error;
use crate::document::{Body, ContentKind, Document, FieldKind, Operation, Parameter, resolve};
use crate::imports;
use crate::output::{GeneratedFile, doc};
use crate::plain::plain;
use crate::rust::constant_name;
use crate::source::join;

const DIRECTORY: &str = "crates/mcp/src/generated";

/// Maximum length of the name of a tool. The protocol allows 128 characters; clients put the name of the server before it,
/// and some accept 64 in all.
const MAX_NAME_LENGTH: usize = 48;

/// The files of the MCP server. `bundle` is the served document, from which the schemas are.
pub(crate) fn emit(document: &Document, bundle: &Value) -> Result<Vec<GeneratedFile>, Error> {
    let imports = quote! {
        pub(crate) use crate::cli::{self, operations};

        pub(crate) use super::Tool;
    };
    let names = names(document);
    let tools: Vec<_> = document
        .operations
        .iter()
        .zip(names)
        .filter(|(operation, _)| is_tool(operation))
        .collect();
    let mut files = vec![root(document, bundle, &tools)?, imports::emit("mcp", &imports)?];
    for tag in document.operation_tags() {
        let of_tag = tools.iter().filter(|(operation, _)| operation.tag == tag.name);
        let items: Vec<_> = of_tag.map(|(operation, name)| item(bundle, operation, name)).collect();
        if items.is_empty() {
            continue;
        }
        files.push(GeneratedFile::of_tag(DIRECTORY, tag, &items)?);
    }
    Ok(files)
}

/// All tools, and the schemas that their arguments refer to.
fn root(document: &Document, bundle: &Value, tools: &[(&Operation, String)]) -> Result<GeneratedFile, Error> {
    let tags = document.operation_tags();
    let tags = tags.filter(|tag| tools.iter().any(|(operation, _)| operation.tag == tag.name));
    let modules = tags.map(|tag| format_ident!("{}", tag.name));
    let constants = tools.iter().map(|(operation, _)| {
        let (tag, constant) = (format_ident!("{}", operation.tag), constant_name(operation));
        quote!(&#tag::#constant)
    });
    let arguments = tools.iter().flat_map(|(operation, _)| {
        let body = operation
            .request
            .as_ref()
            .map(|body| body_schema(bundle, operation, body));
        let parameters = operation.parameters.iter();
        parameters
            .map(|parameter| parameter_schema(bundle, parameter))
            .chain(body)
    });
    let schemas = schema::named(bundle, arguments);
    let schemas = schemas.iter().map(|(name, schema)| {
        let text = raw(schema);
        quote!((#name, #text))
    });
    let left_out = document.operations.iter().filter(|operation| !is_tool(operation));
    let left_out = left_out.map(|operation| &operation.id);
    let (title, version, module) = (plain(&document.title), &document.version, imports::module());
    let items = quote! {
        #(mod #modules;)*
        #module

        use crate::codegen::{Tools, cli, kit};

        /// The tools of this document.
        #[derive(Clone, Copy, Debug)]
        pub struct ThisDocument;

        impl Tools for ThisDocument {
            type Commands = cli::ThisDocument;
            const TITLE: &'static str = #title;
            const VERSION: &'static str = #version;
            const TOOLS: &'static [&'static Tool] = &[#(#constants),*];
            const SCHEMAS: &'static [(&'static str, &'static str)] = &[#(#schemas),*];
            const LEFT_OUT: &'static [&'static str] = &[#(#left_out),*];
        }

        pub(crate) type Tool = kit::codegen::Tool<cli::ThisDocument>;

        /// The server, with its options.
        pub type Options = kit::Options<ThisDocument>;

        /// The server, for transports of your own.
        pub type Server = kit::Server<ThisDocument>;
    };
    let docs = format!("The tools of {}, one module per tag.", document.name());
    GeneratedFile::new(format!("{DIRECTORY}/mod.rs"), &docs, items)
}

/// An operation as a tool.
fn item(bundle: &Value, operation: &Operation, name: &str) -> TokenStream {
    let (docs, constant, tag) = (
        doc(&[operation.endpoint_span()]),
        constant_name(operation),
        &operation.tag,
    );
    let parameters = operation.parameters.iter();
    let parameters = parameters.map(|parameter| raw(&parameter_schema(bundle, parameter)));
    let body = match &operation.request {
        Some(body) => {
            let text = raw(&body_schema(bundle, operation, body));
            quote!(Some(#text))
        }
        None => quote!(None),
    };
    quote! {
        #docs
        pub(super) const #constant: Tool = Tool {
            name: #name,
            tag: #tag,
            operation: &operations::#constant,
            parameters: &[#(#parameters),*],
            body: #body,
        };
    }
}

/// Returns whether an operation neither uploads nor streams bytes.
fn is_tool(operation: &Operation) -> bool {
    let uploads = operation.request.as_ref().is_some_and(|body| match &body.content.kind {
        ContentKind::Multipart(_, fields) => fields.iter().any(|field| field.kind == FieldKind::File),
        _ => body.content.is_stream(),
    });
    let mut bodies = operation.successes().filter_map(|response| response.body.as_ref());
    !uploads && !bodies.any(|content| content.is_stream())
}

/// The names of the tools of all operations: their ids, of which long ones are cut and numbered.
fn names(document: &Document) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for operation in &document.operations {
        let (mut name, mut number) = (operation.id.clone(), 1);
        name.truncate(MAX_NAME_LENGTH);
        while names.contains(&name) || (number == 1 && operation.id.len() > MAX_NAME_LENGTH) {
            number += 1;
            let end = format!("_{number}");
            name.truncate(MAX_NAME_LENGTH - end.len());
            name.push_str(&end);
        }
        names.push(name);
    }
    names
}

fn parameter_schema(bundle: &Value, parameter: &Parameter) -> Value {
    let found = bundle.pointer(&parameter.at).unwrap_or(&Value::Null);
    let media = found["content"].as_object().and_then(|content| content.values().next());
    schema::of_argument(&media.unwrap_or(found)["schema"])
}

fn body_schema(bundle: &Value, operation: &Operation, body: &Body) -> Value {
    let at = join(&operation.at, "requestBody");
    let found = bundle.pointer(&at).unwrap_or(&Value::Null);
    let (found, _) = resolve(bundle, found, "requestBodies", &at);
    match &body.content.kind {
        ContentKind::Text => schema::text(),
        _ => schema::of_argument(&found["content"][&body.content.media_type]["schema"]),
    }
}

/// JSON as a raw string.
fn raw(json: &Value) -> TokenStream {
    let text = json.to_string();
    let mut hashes = String::from("#");
    while text.contains(&format!("\"{hashes}")) {
        hashes.push('#');
    }
    let literal = format!("r{hashes}\"{text}\"{hashes}");
    let literal: Literal = literal.parse().unwrap_or_else(|_| Literal::string(&text));
    quote!(#literal)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::raw;

    #[test]
    fn raw_strings_have_enough_hashes() {
        assert_eq!(raw(&json!({ "a": 1 })).to_string(), r##"r#"{"a":1}"#"##);
        let text = raw(&json!({ "$ref": "#/$defs/A" })).to_string();
        assert_eq!(text, r###"r##"{"$ref":"#/$defs/A"}"##"###);
    }
}
