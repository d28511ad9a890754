//! The part of the program that names operations: an implementation of the generated traits, and a call of each method of
//! the client. It follows the signatures of the generated code, so that other kinds of parameters need no change here.

use std::collections::BTreeMap;

use heck::ToUpperCamelCase;
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use serde_json::{Value, json};
use syn::{Ident, ImplItem, Item, Signature, TraitItem, Type};
use wearlab_codegen::Generated;

use super::described::{self, Operation};
use super::outcomes::Outcomes;
use super::signatures::{arguments, function, name_of, output, response, sent_type};

/// Generated code, as far as the program uses it.
#[derive(Default)]
pub(crate) struct Code {
    /// The items of the trait `Auth`.
    auth: Vec<TraitItem>,
    /// The traits of the tags, with their methods.
    traits: Vec<(Ident, Vec<Signature>)>,
    /// The fields of the server's inputs, by their names.
    inputs: BTreeMap<String, Vec<(Ident, Type)>>,
    /// The methods of the client and of its builders.
    methods: BTreeMap<String, Vec<Signature>>,
    /// The variants of the server's enums, by their names.
    pub(crate) enums: BTreeMap<String, Vec<Ident>>,
    /// The credentials that the client has.
    credentials: Vec<Ident>,
}

impl Code {
    fn read(generated: &Generated) -> Self {
        let mut code = Self::default();
        for file in &generated.files {
            let server = file.path.starts_with("crates/server/");
            let client = file.path.starts_with("crates/client/");
            if !(server || client) || !file.path.ends_with(".rs") {
                continue;
            }
            let parsed = syn::parse_file(&file.text).unwrap_or_else(|error| panic!("{}: {error}", file.path));
            for item in parsed.items {
                match item {
                    Item::Trait(item) if item.ident == "Auth" => code.auth = item.items,
                    // One for each tag. `PartialApi` has the same methods, with bodies; `Api` has none.
                    Item::Trait(item) if item.ident != "PartialApi" && item.ident != "Api" => {
                        let methods = item.items.into_iter().filter_map(function);
                        code.traits.push((item.ident, methods.collect()));
                    }
                    Item::Struct(item) if server => {
                        let fields = item
                            .fields
                            .into_iter()
                            .filter_map(|field| Some((field.ident?, field.ty)));
                        code.inputs.insert(item.ident.to_string(), fields.collect());
                    }
                    Item::Enum(item) if server => {
                        let variants = item.variants.into_iter().map(|variant| variant.ident);
                        code.enums.insert(item.ident.to_string(), variants.collect());
                    }
                    Item::Enum(item) if client && item.ident == "Credential" => {
                        code.credentials = item.variants.into_iter().map(|variant| variant.ident).collect();
                    }
                    Item::Impl(item) if client && item.trait_.is_none() => {
                        let of = code.methods.entry(name_of(&item.self_ty)).or_default();
                        of.extend(item.items.into_iter().filter_map(|item| match item {
                            ImplItem::Fn(function) => Some(function.sig),
                            _ => None,
                        }));
                    }
                    _ => {}
                }
            }
        }
        code
    }

    /// The name of the setter of a field: with an underscore where calls have a method of the same name.
    fn setter(&self, builder: &str, field: &Ident) -> Ident {
        let methods = self.methods.get(builder).map(Vec::as_slice).unwrap_or_default();
        let other = format_ident!("{field}_");
        if methods.iter().any(|method| method.ident == other) {
            other
        } else {
            field.clone()
        }
    }
}

/// `operations.rs` and `operations.json`.
pub(crate) fn emit(document: &Value, generated: &Generated) -> (String, String) {
    let code = Code::read(generated);
    let operations = described::operations(document);
    let auth = code.auth.iter().map(authenticate);
    let credentials = &code.credentials;
    let names = code.traits.iter().map(|(name, _)| name);
    let mut methods: BTreeMap<&Ident, TokenStream> = names.map(|name| (name, TokenStream::new())).collect();
    let (mut calls, mut arms, mut list) = (TokenStream::new(), TokenStream::new(), Vec::new());
    let signatures = code
        .traits
        .iter()
        .flat_map(|(name, own)| own.iter().map(move |signature| (name, signature)));
    for (own_trait, signature) in signatures {
        let id = signature.ident.to_string();
        let operation = operations.get(&id).unwrap_or_else(|| panic!("no operation {id}"));
        let builder = id.to_upper_camel_case();
        let fields = code
            .inputs
            .get(&format!("{builder}Input"))
            .map(Vec::as_slice)
            .unwrap_or_default();
        assert_eq!(fields.len(), operation.fields.len(), "the fields of {id}");
        let outcomes = Outcomes::of(&code, &builder, operation);
        let own = methods.entry(own_trait).or_default();
        own.extend(implement(signature, fields, &outcomes));
        calls.extend(call(&code, signature, &builder, fields, &outcomes));
        calls.extend(outcomes.answer(&output(&signature.output)));
        let method = &signature.ident;
        arms.extend(quote!(#id => #method(client, sent).await,));
        list.push(describe(&id, operation, fields));
    }
    let (traits, methods): (Vec<_>, Vec<_>) = methods.into_iter().unzip();
    let code = quote! {
        use std::collections::BTreeMap;
        use std::net::{Ipv4Addr, Ipv6Addr};

        use futures_util::future::BoxFuture;
        use serde_json::{Map, Value, json};
        use wearlab_client::{Client, Error, operations::Credential};
        use wearlab_models::{self as models, DateTime, FilePart, JsonObject, JsonValue, NaiveDate, Secret, Uuid};
        use wearlab_server::*;

        use crate::service::{Service, read, written};
        use crate::streams::{all_bytes, all_events, all_lines, received_bytes, received_lines};

        /// A credential that has all scopes.
        pub(crate) const ALL: &str = "user:credential-all";

        /// A credential whose only scope is `kinds.read`.
        pub(crate) const SOME: &str = "user:credential-some";

        /// The owner of a credential, by its text.
        pub(crate) struct Owner(bool);

        impl Owner {
            fn of(credential: &impl Text) -> Result<Self, ApiError> {
                match credential.text().as_str() {
                    ALL => Ok(Self(true)),
                    SOME => Ok(Self(false)),
                    _ => Err(ApiError::unauthorized("The credential is unknown.")),
                }
            }
        }

        impl Scoped for Owner {
            fn has_scope(&self, scope: &str) -> bool {
                self.0 || scope == "kinds.read"
            }
        }

        /// What a credential is given as.
        trait Text {
            fn text(&self) -> String;
        }

        impl Text for &str {
            fn text(&self) -> String {
                (*self).to_owned()
            }
        }

        impl Text for &Basic {
            fn text(&self) -> String {
                format!("{}:{}", self.user(), self.password())
            }
        }

        impl Auth for Service { #(#auth)* }

        #(impl #traits for Service { #methods })*

        /// A client with all credentials.
        pub(crate) fn client(url: &str) -> Client {
            let builder = Client::builder().base_url(url);
            #(let builder = builder.credential(Credential::#credentials, ALL);)*
            builder.retry(wearlab_client::RetryPolicy::none()).build().expect("a client")
        }

        /// Calls an operation with the fields of its input. Futures are boxed where they are made: in a function of all
        /// operations, they would need more stack than a thread has.
        pub(crate) async fn call(id: &str, client: &Client, sent: &Map<String, Value>) -> Result<Value, Error> {
            match id {
                #arms
                _ => panic!("no operation {id}"),
            }
        }

        #calls
    };
    let text = prettyplease::unparse(&syn::parse2(code).expect("Rust"));
    let allow = "//! @generated: the operations of a document.\n#![allow(unused, reason = \"the document decides what is needed\")]\n\n";
    let described = json!({ "document": document, "operations": list });
    (format!("{allow}{text}"), described.to_string())
}

fn authenticate(item: &TraitItem) -> TokenStream {
    match item {
        TraitItem::Type(item) => {
            let name = &item.ident;
            quote!(type #name = Owner;)
        }
        TraitItem::Fn(function) => {
            let (name, inputs, output) = (&function.sig.ident, &function.sig.inputs, output(&function.sig.output));
            quote!(async fn #name(#inputs) -> #output { Owner::of(&credential) })
        }
        _ => TokenStream::new(),
    }
}

/// A method that records its input, and returns the scripted response.
fn implement(signature: &Signature, fields: &[(Ident, Type)], outcomes: &Outcomes) -> TokenStream {
    let (name, inputs, output) = (&signature.ident, &signature.inputs, output(&signature.output));
    let members = fields.iter().map(|(field, ty)| {
        let key = field.to_string();
        match name_of(ty).as_str() {
            "ByteStream" => quote!((#key, received_bytes(input.#field).await?)),
            "Lines" => quote!((#key, received_lines(input.#field).await?)),
            _ => quote!((#key, written(&input.#field))),
        }
    });
    let fail = outcomes.fail();
    quote! {
        async fn #name(#inputs) -> #output {
            self.arrived([#(#members),*]);
            #fail
            self.answer()
        }
    }
}

/// A call: required values are arguments or setters, as the client has them, and optional ones setters.
fn call(
    code: &Code,
    signature: &Signature,
    builder: &str,
    fields: &[(Ident, Type)],
    outcomes: &Outcomes,
) -> TokenStream {
    let name = &signature.ident;
    let client = code
        .methods
        .get("Client")
        .and_then(|methods| methods.iter().find(|method| method.ident == *name));
    let arguments = arguments(client.unwrap_or_else(|| panic!("the client has no {name}")));
    let field = |argument: &Ident| {
        let named = |(field, _): &&(Ident, Type)| field == argument || *argument == format_ident!("{field}_");
        fields
            .iter()
            .find(named)
            .unwrap_or_else(|| panic!("{name}: {argument} is no field"))
    };
    let values = arguments.iter().map(|argument| {
        let (field, ty) = field(argument);
        let (key, ty) = (field.to_string(), sent_type(ty));
        quote!(read::<#ty>(&sent[#key]))
    });
    let set = fields.iter().filter(|(name, _)| {
        !arguments
            .iter()
            .any(|argument| argument == name || *argument == format_ident!("{name}_"))
    });
    let setters = set.map(|(field, ty)| {
        let (key, ty, setter) = (field.to_string(), sent_type(ty), code.setter(builder, field));
        quote!(if let Some(value) = sent.get(#key) { call = call.#setter(read::<#ty>(value)); })
    });
    let send = code
        .methods
        .get(builder)
        .and_then(|methods| methods.iter().find(|method| method.ident == "send"));
    let received = match response(send.unwrap_or_else(|| panic!("{name} is not sent"))).as_str() {
        "ByteStream" => quote!(all_bytes(response).await?),
        "Lines" => quote!(all_lines(response).await?),
        "EventStream" => quote!(all_events(response).await?),
        _ if outcomes.responses.len() > 1 => outcomes.received(),
        _ => quote!(written(&response)),
    };
    let received = outcomes.with_headers(received);
    let (failed, inner) = (outcomes.failed(), outcomes.inner());
    quote! {
        fn #name<'a>(client: &'a Client, sent: &'a Map<String, Value>) -> BoxFuture<'a, Result<Value, Error>> {
            Box::pin(async move {
                let mut call = client.#name(#(#values),*);
                #(#setters)*
                let whole = match call.send().await {
                    Ok(whole) => whole,
                    Err(error) => return #failed,
                };
                let response = #inner;
                Ok(#received)
            })
        }
    }
}

/// An operation for the strategies.
fn describe(id: &str, operation: &Operation, fields: &[(Ident, Type)]) -> Value {
    let fields = operation.fields.iter().zip(fields).map(|(described, (name, _))| {
        let mut field = described.clone();
        field["name"] = json!(name.to_string());
        field
    });
    let errors = operation
        .errors
        .iter()
        .map(|error| json!({ "key": error.key, "status": error.status, "schema": error.schema }));
    json!({
        "id": id,
        "fields": fields.collect::<Vec<_>>(),
        "statuses": operation.statuses,
        "answers": operation.answers,
        "headers": operation.headers,
        "errors": errors.collect::<Vec<_>>(),
    })
}
