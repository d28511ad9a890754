//! A call: its method, the struct of its values, and its setters.

use proc_macro2::TokenStream;
use quote::quote;

use super::field::Field;
use super::{found_paging, paging, send};
use crate::debug::debug;
use crate::document::{Body, ContentKind, Operation};
use crate::output::doc;
use crate::rust::{builder_name, constant_name, method_name};

/// The method that begins a call. Required values are its arguments.
pub(super) fn method(operation: &Operation, fields: &[Field<'_>]) -> TokenStream {
    let mut paragraphs = operation.docs.paragraphs();
    paragraphs.extend(operation.scopes());
    paragraphs.push(format!("Sends {}.", operation.endpoint_span()));
    let required: Vec<_> = fields.iter().filter(|field| field.is_argument()).collect();
    if !required.is_empty() {
        let items: Vec<_> = required.iter().map(|field| field.list_item()).collect();
        paragraphs.push(format!("# Arguments\n\n{}", items.join("\n")));
    }
    let docs = doc(&paragraphs);
    let (name, builder, constant) = (
        method_name(operation),
        builder_name(operation),
        constant_name(operation),
    );
    let deprecated = operation.docs.deprecated_attribute();
    let arguments = required.iter().map(|field| field.argument());
    let values = fields.iter().map(Field::first_value);
    quote! {
        #docs
        #deprecated
        pub fn #name(&self #(, #arguments)*) -> #builder<'_> {
            #builder { call: Call::new(&self.0, &operations::#constant) #(, #values)* }
        }
    }
}

/// The struct of a call, with its methods.
pub(super) fn emit(operation: &Operation, fields: &[Field<'_>]) -> TokenStream {
    let docs = doc(&[format!("A call of [`Client::{}`], before it is sent.", operation.id)]);
    let name = builder_name(operation);
    let call = (quote::format_ident!("call"), false);
    let shown = fields.iter().map(|field| (field.ident.clone(), field.is_sensitive()));
    let shown: Vec<_> = std::iter::once(call).chain(shown).collect();
    let (derive_debug, debug) = debug(&name, Some(quote!(<'_>)), &shown, &quote!(format_args!("..")));
    let stream = operation.request.as_ref().is_some_and(|body| body.content.is_stream());
    let derived = match (stream, debug.is_empty()) {
        (false, _) => quote!(#[derive(Clone #derive_debug)]),
        // A stream is sent once.
        (true, true) => quote!(#[derive(Debug)]),
        (true, false) => quote!(),
    };
    // Uploads may take long.
    let uploads = |body: &Body| body.content.is_stream() || matches!(body.content.kind, ContentKind::Multipart(..));
    let upload_settings = operation
        .request
        .as_ref()
        .is_some_and(uploads)
        .then(|| quote!(upload_settings!();));
    let declarations = fields.iter().map(Field::declaration);
    let setters = fields.iter().filter(|field| !field.is_argument()).map(Field::setter);
    let send = send::methods(operation);
    let request = send::into_request(operation);
    let streams = paging::methods(operation);
    let paged = paging::paged(operation).or_else(|| found_paging::paged_call(operation));
    quote! {
        #docs
        #derived
        #[must_use = "a call does nothing until it is sent"]
        pub struct #name<'a> { call: Call<'a> #(, #declarations)* }

        #debug

        impl<'a> #name<'a> {
            #(#setters)*
            call_settings!();
            #upload_settings
            #send
            #streams
            #request
        }

        #paged
    }
}
