//! Pass 5: the command line: a table of operations, and for each a short function that calls the client.
//!
//! Hand-written code builds the options and the help from the table at run time.

use heck::ToKebabCase;
use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use crate::Error;
use crate::document::{Carrier, ContentKind, Document, Operation, Parameter, SchemaKind, Tag, Type};
use crate::output::{GeneratedFile, doc};
use crate::plain::plain;
use crate::rust::{constant_name, content_type, method_name, present, rust_type, scheme_type, server_variant};

const DIRECTORY: &str = "crates/cli/src/generated";

/// Options that every operation has, or may have.
const OPTIONS: [&str; 13] = [
    "all",
    "body",
    "cacert",
    "columns",
    "header",
    "header-prefix",
    "help",
    "max-response-bytes",
    "output",
    "retries",
    "set",
    "timeout",
    "version",
];

/// Commands that are not operations.
const COMMANDS: [&str; 2] = ["completions", "help"];

/// The files of the command line.
pub(crate) fn emit(document: &Document) -> Result<Vec<GeneratedFile>, Error> {
    let tags: Vec<_> = document
        .tags
        .iter()
        .filter(|tag| document.operations_of(tag).next().is_some())
        .collect();
    let mut files = vec![root(document, &tags)?];
    for tag in tags {
        let items = document.operations_of(tag).map(|operation| item(document, operation));
        let file = quote! {
            use crate::codegen::*;
            #(#items)*
        };
        files.push(GeneratedFile::new(
            format!("{DIRECTORY}/{}.rs", tag.name),
            &tag.paragraph(),
            file,
        )?);
    }
    Ok(files)
}

/// All operations, servers and credentials.
fn root(document: &Document, tags: &[&Tag]) -> Result<GeneratedFile, Error> {
    let modules = tags.iter().map(|tag| format_ident!("{}", tag.name));
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
    let items = quote! {
        #(mod #modules;)*

        use crate::codegen::*;

        /// All operations, in the document's order.
        pub(crate) const OPERATIONS: &[&Operation] = &[#(#constants),*];

        /// The servers of the operations.
        pub(crate) const ADDRESSES: &[Address] = &[#(#servers),*];

        /// The credentials that operations accept.
        pub(crate) const KEYS: &[Key] = &[#(#credentials),*];
    };
    let docs = format!("The commands of {}, one module per tag.", document.name());
    GeneratedFile::new(format!("{DIRECTORY}/mod.rs"), &docs, items)
}

/// The description of an operation, and the function that calls it.
fn item(document: &Document, operation: &Operation) -> TokenStream {
    let docs = doc(&[operation.endpoint_span()]);
    let (constant, method) = (constant_name(operation), method_name(operation));
    let name = free(operation.id.to_kebab_case(), "call", &COMMANDS);
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
    words.extend(deprecation(&operation.docs));
    words.extend(operation.scopes().map(|scopes| plain(&scopes)));
    words.push(format!("Sends {}.", operation.endpoint()));
    let details = words.join("\n\n");
    let parameters = operation
        .parameters
        .iter()
        .map(|parameter| entry(document, operation, parameter));
    let paged = operation.pagination.is_some();
    let columns = columns(document, operation);
    let (body, body_argument, set_body) = body(operation);
    let arguments = operation
        .parameters
        .iter()
        .filter(|parameter| parameter.is_argument())
        .map(|parameter| {
            let (ty, option) = (parameter_type(parameter), option(document, parameter));
            let read = match parameter.separator {
                Some(_) => quote!(required_list),
                None => quote!(required),
            };
            quote!(call.#read::<#ty>(#option)?)
        });
    let arguments = arguments.chain(body_argument);
    let optional: Vec<_> = operation
        .parameters
        .iter()
        .filter(|parameter| !parameter.is_argument())
        .map(|parameter| {
            let (setter, ty) = (format_ident!("{}", parameter.setter()), parameter_type(parameter));
            let option = option(document, parameter);
            let read = match parameter.separator {
                Some(_) => quote!(optional_list),
                None => quote!(optional),
            };
            quote!(if let Some(value) = call.#read::<#ty>(#option) { request = request.#setter(value); })
        })
        .collect();
    let end = if paged {
        quote!(call.list(request, |request| request.send_raw()).await)
    } else {
        match operation.response().map(|content| &content.kind) {
            Some(ContentKind::Lines(_) | ContentKind::Text | ContentKind::Bytes) => {
                quote!(call.bytes(request.send_raw().await))
            }
            _ => quote!(call.answer(request.send_raw().await)),
        }
    };
    quote! {
        #docs
        pub(super) const #constant: Operation = Operation {
            name: #name,
            about: #about,
            details: #details,
            parameters: &[#(#parameters),*],
            body: #body,
            paged: #paged,
            columns: &[#(#columns),*],
            security: operations::#constant.security,
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

/// The columns of a response in a table, by the schema of its rows: of its list, or of the response itself.
fn columns<'d>(document: &'d Document, operation: &'d Operation) -> &'d [String] {
    let schema = |name: &str| document.schemas.iter().find(|schema| schema.name == name);
    let Some(body) = operation.response_type() else {
        return &[];
    };
    let mut rows = present(body);
    if let Some(pagination) = &operation.pagination {
        return schema(&pagination.item).map_or(&[], |schema| &schema.columns);
    }
    loop {
        match rows {
            Type::Array(items, _) => rows = present(items),
            Type::Ref(name) => match schema(name) {
                Some(found) => match &found.kind {
                    SchemaKind::Object { properties, .. } if found.columns.is_empty() => match properties.as_slice() {
                        [only] if matches!(present(&only.ty), Type::Array(..)) => rows = present(&only.ty),
                        _ => return &[],
                    },
                    _ => return &found.columns,
                },
                None => return &[],
            },
            _ => return &[],
        }
    }
}

/// What the options of the body are, the argument of the client's method, and the call of its setter.
fn body(operation: &Operation) -> (TokenStream, Option<TokenStream>, TokenStream) {
    let Some(body) = &operation.request else {
        return (quote!(None), None, quote!());
    };
    let required = body.required;
    let help: String = body.paragraphs().iter().map(|text| plain(text)).collect();
    let (values, read) = match &body.content.kind {
        ContentKind::Json(_) | ContentKind::Form(_) => {
            let ty = content_type(&body.content);
            (true, quote!(body::<#ty>()?))
        }
        ContentKind::Lines(ty) => {
            let ty = rust_type(ty, &quote!(models::));
            (false, quote!(body_lines::<#ty>()?))
        }
        ContentKind::Text => (false, quote!(body_text()?)),
        ContentKind::Bytes => (false, quote!(body_bytes()?)),
    };
    let table = quote!(Some(Body { help: #help, required: #required, values: #values }));
    if required {
        (table, Some(quote!(call.required_body(call.#read)?)), quote!())
    } else {
        let set = quote!(if let Some(body) = call.#read { request = request.body(body); });
        (table, None, set)
    }
}

/// A parameter in the table.
fn entry(document: &Document, operation: &Operation, parameter: &Parameter) -> TokenStream {
    let option = option(document, parameter);
    let mut words: Vec<_> = parameter
        .paragraphs()
        .iter()
        .flat_map(|text| paragraphs(text))
        .collect();
    words.extend(deprecation(&parameter.docs));
    if let Some(pagination) = &operation.pagination
        && parameter.name == pagination.style.position()
    {
        words.push("With --all, the position of the first page.".to_owned());
    }
    let required = parameter.is_argument();
    let list = parameter.separator.is_some();
    if list {
        words.push("May be repeated.".to_owned());
    }
    let help = words.join(" ");
    let shown = match present(parameter.item()) {
        Type::Integer(..) | Type::Number(_) => "N",
        Type::Uuid => "UUID",
        Type::Date => "DATE",
        Type::DateTime => "TIME",
        Type::Boolean => "true|false",
        Type::Ref(_) => "VALUE",
        _ => "TEXT",
    };
    let ty = parameter_type(parameter);
    let values = values(document, parameter);
    quote! {
        Parameter {
            option: #option,
            help: #help,
            required: #required,
            list: #list,
            shown: #shown,
            values: &[#(#values),*],
            parser: typed::<#ty>,
        }
    }
}

/// The values that the document names.
fn values<'d>(document: &'d Document, parameter: &Parameter) -> &'d [String] {
    let Type::Ref(name) = present(parameter.item()) else {
        return &[];
    };
    let schema = document.schemas.iter().find(|schema| schema.name == *name);
    match schema.map(|schema| &schema.kind) {
        Some(SchemaKind::OpenEnum(values) | SchemaKind::ClosedEnum(values)) => values,
        _ => &[],
    }
}

fn parameter_type(parameter: &Parameter) -> TokenStream {
    rust_type(parameter.item(), &quote!(models::))
}

/// The option of a parameter, distinct from the command line's own options.
fn option(document: &Document, parameter: &Parameter) -> String {
    let field = parameter.field();
    let own = document.servers.iter().map(|server| server.variable.to_kebab_case());
    let own = own.chain(document.security.iter().map(|scheme| scheme.short_name.to_kebab_case()));
    let own: Vec<_> = own.chain(OPTIONS.map(str::to_owned)).collect();
    let own: Vec<_> = own.iter().map(String::as_str).collect();
    free(field.to_kebab_case(), parameter.location.as_str(), &own)
}

/// The name, with a prefix if it is already taken.
fn free(name: String, word: &str, taken: &[&str]) -> String {
    if taken.contains(&name.as_str()) {
        format!("{word}-{name}")
    } else {
        name
    }
}

/// The paragraphs of a text, without Markdown.
fn paragraphs(text: &str) -> Vec<String> {
    text.split("\n\n").map(plain).filter(|text| !text.is_empty()).collect()
}

fn deprecation(docs: &crate::document::Docs) -> Option<String> {
    let deprecation = docs.deprecated.as_ref()?;
    Some(format!("Deprecated: {}", deprecation.note()))
}
