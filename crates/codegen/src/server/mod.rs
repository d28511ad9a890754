//! Pass 6: the server crate: the `Auth` trait, a trait for each tag, typed inputs, handlers, the router.
//!
//! Generated code is declarative; the logic is in the kit.

mod document;
mod handler;
mod input;
mod operations;
mod owner;
mod partial;
mod router;
mod rules;
mod traits;

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use serde_json::Value;

use crate::Error;
use crate::bundle::to_yaml;
use crate::document::Document;
use crate::imports;
use crate::output::GeneratedFile;
use crate::responses;
use crate::rust::{input_name, trait_name};

const DIRECTORY: &str = "crates/server/src/generated";

/// The files of the server crate. It serves `bundle`, as JSON and as YAML, and `events`, the AsyncAPI document.
pub(crate) fn emit(document: &Document, bundle: &Value, events: Option<&Value>) -> Result<Vec<GeneratedFile>, Error> {
    let (mut modules, mut exports) = (TokenStream::new(), TokenStream::new());
    let mut files = vec![
        GeneratedFile {
            path: format!("{DIRECTORY}/openapi.json"),
            text: format!("{bundle:#}\n"),
        },
        GeneratedFile {
            path: format!("{DIRECTORY}/openapi.yaml"),
            text: to_yaml(bundle),
        },
    ];
    files.extend(events.map(|events| GeneratedFile {
        path: format!("{DIRECTORY}/asyncapi.json"),
        text: format!("{events:#}\n"),
    }));
    for tag in document.operation_tags() {
        let operations: Vec<_> = document.operations_of(tag).collect();
        let secured = operations.iter().any(|operation| !operation.security.is_empty());
        let names = if secured {
            quote!({Auth, operations})
        } else {
            quote!(Auth)
        };
        let methods = traits::of_tag(tag, &operations);
        let mut items = quote! {
            use super::#names;
            use crate::codegen::*;

            #methods
        };
        for operation in &operations {
            items.extend(input::emit(document, operation));
            items.extend(handler::emit(document, operation));
            items.extend(responses::of_server(operation));
        }
        files.push(GeneratedFile::new(
            format!("{DIRECTORY}/{}.rs", tag.name),
            &tag.paragraph(),
            items,
        )?);
        let (module, own_trait) = (format_ident!("{}", tag.name), trait_name(&tag.name));
        let inputs = operations.iter().flat_map(|o| {
            let input = o.has_input().then(|| input_name(o));
            input.into_iter().chain(responses::names(o))
        });
        modules.extend(quote!(pub mod #module;));
        exports.extend(quote!(pub use #module::{#own_trait #(, #inputs)*};));
    }
    let rules = rules::emit(document, format!("{DIRECTORY}/{}.rs", rules::MODULE))?;
    let rules_module = rules.as_ref().map(|_| {
        let module = format_ident!("{}", rules::MODULE);
        quote!(mod #module;)
    });
    files.extend(rules);
    let asyncapi = events.map(|_| {
        quote! {
            /// The events of the interface as an AsyncAPI document, as JSON.
            pub const ASYNCAPI_JSON: &str = include_str!("asyncapi.json");
        }
    });
    let docs = format!("The traits, inputs and router of {}.", document.name());
    let module = imports::module();
    let root = quote! {
        #modules
        mod api;
        #module
        pub(crate) mod document;
        pub mod operations;
        mod partial;
        mod router;
        #rules_module
        #exports
        pub use api::{Api, Auth};
        pub use document::{Operation, ThisDocument, finish, layers};
        pub use partial::{Partial, PartialApi};
        pub use router::*;
        /// The interface as an OpenAPI document for third-party tools, as JSON.
        pub const OPENAPI_JSON: &str = include_str!("openapi.json");

        /// [`OPENAPI_JSON`] as YAML.
        pub const OPENAPI_YAML: &str = include_str!("openapi.yaml");

        #asyncapi
    };
    files.push(GeneratedFile::new(format!("{DIRECTORY}/mod.rs"), &docs, root)?);
    let imports = quote! {
        pub(crate) use crate::models;

        pub(crate) use super::document::{Operation, ThisDocument, finish};
        pub(crate) use super::operations::Credential;
    };
    files.push(imports::emit("server", &imports)?);
    files.push(traits::emit(document, format!("{DIRECTORY}/api.rs"))?);
    files.push(partial::emit(document, format!("{DIRECTORY}/partial.rs"))?);
    files.push(operations::emit(document, format!("{DIRECTORY}/operations.rs"))?);
    files.push(document::emit(document, format!("{DIRECTORY}/document.rs"))?);
    files.push(router::emit(document, format!("{DIRECTORY}/router.rs"))?);
    Ok(files)
}
