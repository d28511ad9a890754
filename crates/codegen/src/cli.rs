//! Pass 6: the command line: a table of operations, and for each a short function that calls the client.
//!
//! The kit builds the options and the help from the table at run time.

mod body;
mod columns;
mod names;
mod parameter;

use heck::ToKebabCase;
use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use crate::Error;
use crate::document::{Carrier, ContentKind, Document, Method, Operation, ParamLocation, Tag};
use crate::imports;
use crate::output::{GeneratedFile, doc};
use crate::plain::{paragraphs, plain};
use crate::rust::{constant_name, method_name, scheme_type, server_variant};

const DIRECTORY: &str = "crates/cli/src/generated";

/// The files of the command line.
pub(crate) fn emit(document: &Document) -> Result<Vec<GeneratedFile>, Error> {
    let tags: Vec<_> = document.operation_tags().collect();
    let imports = quote! {
        pub(crate) use crate::client::operations::{self, Credential, Server};
        pub(crate) use crate::client::{self, models};

        pub(crate) use super::{Call, Operation};
    };
    let mut files = vec![root(document, &tags)?, imports::emit("cli", &imports)?];
    for tag in tags {
        let operations = document.operations_of(tag);
        let items: Vec<_> = operations.map(|operation| item(document, operation)).collect();
        files.push(GeneratedFile::of_tag(DIRECTORY, tag, &items)?);
    }
    Ok(files)
}

/// All operations, servers and credentials.
fn root(document: &Document, tags: &[&Tag]) -> Result<GeneratedFile, Error> {
    let modules: Vec<_> = tags.iter().map(|tag| format_ident!("{}", tag.name)).collect();
    let constants = document.operations.iter().map(|operation| {
        let (tag, constant) = (format_ident!("{}", operation.tag), constant_name(operation));
        quote!(&#tag::#constant)
    });
    let servers = document.servers.iter().enumerate().map(|(index, server)| {
        let (option, variant) = (server.variable.to_kebab_case(), server_variant(&server.variable));
        let help = plain(&server.paragraph());
        // Operations of the others use the first, unless these have a URL.
        let default = match index {
            0 => {
                let default = &server.default;
                quote!(Some(#default))
            }
            _ => quote!(None),
        };
        let variable = document.variable(&option);
        quote!(Address { option: #option, variable: #variable, help: #help, default: #default, server: Server::#variant })
    });
    let credentials = document.security.iter().map(|scheme| {
        let (option, variant) = (scheme.short_name.to_kebab_case(), scheme_type(&scheme.name));
        let help = plain(&scheme.paragraph());
        let shown = match scheme.carrier {
            Carrier::Bearer => "TOKEN",
            Carrier::Basic => "USER:PASSWORD",
            _ => "KEY",
        };
        let variable = document.variable(&scheme.short_name);
        quote!(Key {
            option: #option,
            variable: #variable,
            help: #help,
            shown: #shown,
            credential: Credential::#variant,
        })
    });
    let (name, module) = (document.service(), imports::module());
    let credential = (!document.security.is_empty()).then(|| quote!(Credential,));
    let items = quote! {
        #(mod #modules;)*
        #module

        use crate::codegen::{Address, Commands, #credential Key, Server, client, kit};

        /// All operations.
        pub mod operations { #(pub use super::#modules::*;)* }

        /// The operations of this document.
        #[derive(Clone, Copy, Debug)]
        pub struct ThisDocument;

        impl Commands for ThisDocument {
            type Document = client::ThisDocument;
            type Client = client::Client;
            const NAME: &'static str = #name;
            const OPERATIONS: &'static [&'static Operation] = &[#(#constants),*];
            const ADDRESSES: &'static [Address<Self::Document>] = &[#(#servers),*];
            const KEYS: &'static [Key<Self::Document>] = &[#(#credentials),*];
        }

        pub(crate) type Call<'c> = kit::codegen::Call<'c, client::Client>;

        pub(crate) type Operation = kit::codegen::Operation<ThisDocument>;

        /// The operation to call, with its options.
        pub type Options = kit::Options<ThisDocument>;

        /// Returns whether options are read from a variable.
        pub fn is_variable(name: &str) -> bool {
            kit::is_variable::<ThisDocument>(name)
        }
    };
    let docs = format!("The commands of {}, one module per tag.", document.name());
    GeneratedFile::new(format!("{DIRECTORY}/mod.rs"), &docs, items)
}

/// The description of an operation, and the function that calls it.
fn item(document: &Document, operation: &Operation) -> TokenStream {
    let docs = doc(&[operation.endpoint_span()]);
    let (constant, method) = (constant_name(operation), method_name(operation));
    let name = names::command(operation);
    let mut words: Vec<_> = operation
        .docs
        .paragraphs()
        .iter()
        .flat_map(|text| paragraphs(text))
        .collect();
    let about = match plain(&operation.docs.summary) {
        summary if summary.is_empty() => words.first().cloned().unwrap_or_else(|| name.clone()),
        summary => summary,
    };
    words.extend(operation.docs.deprecation());
    words.extend(operation.scopes().map(|scopes| plain(&scopes)));
    words.push(format!("Sends {}.", operation.endpoint()));
    let details = words.join("\n\n");
    let parameters = operation
        .parameters
        .iter()
        .map(|parameter| parameter::entry(document, parameter));
    let position = operation.position_parameter().and_then(|name| {
        let mut parameters = operation.parameters.iter();
        parameters.find(|parameter| parameter.name == name && parameter.location == ParamLocation::Query)
    });
    let paged = position.is_some();
    let position = match position.map(|parameter| names::option(document, parameter)) {
        Some(option) => quote!(Some(#option)),
        None => quote!(None),
    };
    let columns = columns::of(document, operation);
    let (body, body_argument, set_body) = body::emit(document, operation);
    let arguments = operation.parameters.iter().filter(|parameter| parameter.is_argument());
    let arguments = arguments.map(|parameter| parameter::argument(document, parameter));
    let arguments = arguments.chain(body_argument);
    let optional = operation.parameters.iter().filter(|parameter| !parameter.is_argument());
    let optional = optional.map(|parameter| parameter::set(document, parameter));
    let end = if paged {
        quote!(call.list(request, |request| request.send_raw()).await)
    } else {
        match operation.response().map(|content| &content.kind) {
            Some(ContentKind::Lines(_) | ContentKind::Text | ContentKind::Bytes) => {
                quote!(call.bytes(request.send_raw().await))
            }
            Some(ContentKind::Events(_)) => quote!(call.events(request.send().await).await),
            _ if operation.method == Method::Head => quote!(call.head(request.send_raw().await)),
            _ => quote!(call.answer(request.send_raw().await)),
        }
    };
    quote! {
        #docs
        pub const #constant: Operation = Operation {
            name: #name,
            about: #about,
            details: #details,
            parameters: &[#(#parameters),*],
            body: #body,
            position: #position,
            columns: &[#(#columns),*],
            endpoint: &operations::#constant,
            run: |call| Box::pin(#method(call)),
        };

        async fn #method(call: Call<'_>) -> Outcome {
            let mut request = call.client.#method(#(#arguments),*);
            #(#optional)*
            #set_body
            for (name, value) in call.headers() { request = request.header(name, value); }
            #end
        }
    }
}
