//! Enums of responses: of an operation with several successes, and of errors with a body of their own. Client and server
//! have the same variants.

use proc_macro2::{Literal, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::Ident;

use crate::document::{Content, Document, ErrorResponse, ErrorStatus, Method, Operation, Response, variant};
use crate::output::doc;
use crate::rust::{builder_name, content_type, reply_type, rust_type};
use crate::rustdoc::code_span;

/// The enum of the successes of an operation.
pub(crate) fn response_name(operation: &Operation) -> Ident {
    format_ident!("{}Response", builder_name(operation))
}

/// The enum of the errors of an operation.
pub(crate) fn error_name(operation: &Operation) -> Ident {
    format_ident!("{}Error", builder_name(operation))
}

/// The enums of an operation.
pub(crate) fn names(operation: &Operation) -> impl Iterator<Item = Ident> {
    let response = operation.is_choice().then(|| response_name(operation));
    let error = (!operation.errors.is_empty()).then(|| error_name(operation));
    response.into_iter().chain(error)
}

/// All successes of an operation with several, and the type of the body of each.
fn successes(operation: &Operation, body: fn(&Content) -> TokenStream) -> Vec<(&Response, Ident, Option<TokenStream>)> {
    operation
        .successes()
        .map(|response| {
            let name = format_ident!("{}", variant(response.status));
            (response, name, response.body.as_ref().map(body))
        })
        .collect()
}

/// The type of the headers of a response, if it declares any.
pub(crate) fn headers_type(response: &Response) -> Option<TokenStream> {
    let name = format_ident!("{}", response.header_type()?);
    Some(quote!(models::#name))
}

/// The response of the server without a body. Of a HEAD, it says nothing of the length that GET would send.
pub(crate) fn empty_reply(operation: &Operation, status: &Literal) -> TokenStream {
    match operation.method {
        Method::Head => quote!(reply::head(#status)),
        _ => quote!(reply::empty(#status)),
    }
}

/// The types of the headers of an operation's successes, as a sentence.
pub(crate) fn headers_line(operation: &Operation) -> Option<String> {
    let types = operation.successes().filter_map(Response::header_type);
    let types: Vec<_> = types.map(|name| format!("[`models::{name}`]")).collect();
    (!types.is_empty()).then(|| format!("[`Response::typed_headers`] reads its headers: {}.", types.join(", ")))
}

/// The headers of an operation's errors, as a sentence.
pub(crate) fn error_headers_line(operation: &Operation) -> Option<String> {
    let names = operation.error_headers.iter();
    let names: Vec<_> = names.map(|name| code_span(name)).collect();
    (!names.is_empty()).then(|| {
        let names = names.join(", ");
        format!("[`Failure::headers`](crate::Failure::headers) has the headers of errors: {names}.")
    })
}

/// The enum of the successes, if there are several. The client reads headers apart from it.
fn response_enum(operation: &Operation, headers: bool, body: fn(&Content) -> TokenStream) -> TokenStream {
    let name = response_name(operation);
    let docs = doc(&[format!("The successes of {}.", operation.endpoint_span())]);
    let variants = successes(operation, body).into_iter().map(|(response, variant, body)| {
        let docs = doc(&[response.paragraph()]);
        let headers = headers_type(response).filter(|_| headers);
        let members: Vec<_> = body.into_iter().chain(headers).collect();
        let members = (!members.is_empty()).then(|| quote!((#(#members),*)));
        quote!(#docs #variant #members)
    });
    quote! {
        #docs
        #[derive(Clone, Debug, PartialEq)]
        pub enum #name { #(#variants),* }
    }
}

/// The enum of the errors, if some have a body of their own.
fn error_enum(operation: &Operation) -> TokenStream {
    let name = error_name(operation);
    let docs = doc(&[format!(
        "The errors of {} whose body is no problem document.",
        operation.endpoint_span()
    )]);
    let variants = operation.errors.iter().map(|error| {
        let (variant, ty) = (
            format_ident!("{}", error.status.variant()),
            rust_type(&error.ty, &quote!(models::)),
        );
        let docs = doc(&[format!("Status {}. {}", error.status.text(), error.paragraph())]);
        match error.status {
            ErrorStatus::Exact(_) => quote!(#docs #variant(#ty)),
            // With the status.
            _ => quote!(#docs #variant(u16, #ty)),
        }
    });
    quote! {
        #docs
        #[derive(Clone, Debug, PartialEq)]
        pub enum #name { #(#variants),* }
    }
}

/// The names of headers, for the header types of the models, which `Response::typed_headers` reads.
pub(crate) fn header_names(document: &Document, schema: &str) -> Option<TokenStream> {
    let successes = document.operations.iter().flat_map(Operation::successes);
    let mut declared = successes.filter_map(|response| Some((response.header_type()?, response.headers.as_ref()?)));
    let (name, declared) = declared.find(|(name, _)| *name == schema)?;
    let (name, names) = (format_ident!("{name}"), &declared.names);
    Some(quote! {
        impl crate::codegen::Headers for #name {
            const NAMES: &[&str] = &[#(#names),*];
        }
    })
}

/// The enums of an operation in the client, with their readers.
pub(crate) fn of_client(operation: &Operation) -> TokenStream {
    let mut items = TokenStream::new();
    if operation.is_choice() {
        let (name, own) = (response_name(operation), response_enum(operation, false, content_type));
        let arms = successes(operation, content_type)
            .into_iter()
            .map(|(response, variant, body)| {
                let status = Literal::u16_unsuffixed(response.status);
                match body {
                    Some(_) => quote!(#status => Self::#variant(response.decode()?)),
                    None => quote!(#status => Self::#variant),
                }
            });
        items.extend(quote! {
            #own

            impl #name {
                /// Reads a response by its status.
                fn read(response: &Response<Body>) -> Result<Self, Error> {
                    Ok(match response.status().as_u16() {
                        #(#arms,)*
                        _ => return Err(response.unexpected()),
                    })
                }
            }
        });
    }
    if !operation.errors.is_empty() {
        let (name, own) = (error_name(operation), error_enum(operation));
        let arms = operation.errors.iter().map(|error| {
            let variant = format_ident!("{}", error.status.variant());
            let pattern = pattern(error);
            match error.status {
                ErrorStatus::Exact(_) => quote!(#pattern => failure.decode().map(Self::#variant)),
                _ => quote!(#pattern => failure.decode().map(|body| Self::#variant(status, body))),
            }
        });
        let rest = (!operation
            .errors
            .iter()
            .any(|error| error.status == ErrorStatus::Default))
        .then(|| quote!(_ => None,));
        let status = quote!(let status = failure.status().as_u16(););
        items.extend(quote! {
            #own

            impl #name {
                /// The body of an error response; `None` for any other error, and for a body that is another value.
                pub fn of(error: &Error) -> Option<Self> {
                    let failure = error.failure()?;
                    #status
                    match status { #(#arms,)* #rest }
                }
            }
        });
    }
    items
}

/// The statuses of an error, as a pattern. Those of the document's own statuses come before classes and the rest.
fn pattern(error: &ErrorResponse) -> TokenStream {
    match error.status {
        ErrorStatus::Exact(status) => Literal::u16_unsuffixed(status).into_token_stream(),
        ErrorStatus::Class(digit) => {
            let (first, last) = (
                Literal::u16_unsuffixed(digit * 100),
                Literal::u16_unsuffixed(digit * 100 + 99),
            );
            quote!(#first..=#last)
        }
        ErrorStatus::Default => quote!(_),
    }
}

/// The enums of an operation in the server, with their conversion to responses.
pub(crate) fn of_server(operation: &Operation) -> TokenStream {
    let mut items = TokenStream::new();
    if operation.is_choice() {
        let (name, own) = (response_name(operation), response_enum(operation, true, reply_type));
        let arms = successes(operation, reply_type)
            .into_iter()
            .map(|(response, variant, body)| {
                let status = Literal::u16_unsuffixed(response.status);
                let media_type = response.body.as_ref().map(|content| &content.media_type);
                let sent = match body {
                    // With an entity tag, as of any read.
                    Some(_) if operation.method == Method::Get && response.status == 200 => {
                        quote!(Reply::Value(body).with_media_type(#media_type))
                    }
                    Some(_) => quote!(Reply::Value(body).with_status(#status, #media_type)),
                    None => empty_reply(operation, &status),
                };
                match (body, response.header_type()) {
                    (Some(_), Some(_)) => {
                        quote!(Self::#variant(body, headers) => reply::with_headers(#sent?, &headers))
                    }
                    (None, Some(_)) => quote!(Self::#variant(headers) => reply::with_headers(#sent?, &headers)),
                    (Some(_), None) => quote!(Self::#variant(body) => #sent),
                    (None, None) => quote!(Self::#variant => #sent),
                }
            });
        items.extend(quote! {
            #own

            impl #name {
                fn send(self) -> Result<reply::Sent, ApiError> {
                    match self { #(#arms),* }
                }
            }
        });
    }
    if !operation.errors.is_empty() {
        let (name, own) = (error_name(operation), error_enum(operation));
        let arms = operation.errors.iter().map(|error| {
            let variant = format_ident!("{}", error.status.variant());
            let media_type = &error.media_type;
            match error.status {
                ErrorStatus::Exact(status) => {
                    let status = Literal::u16_unsuffixed(status);
                    quote!(#name::#variant(body) => Self::with_body(#status, #media_type, &body))
                }
                _ => quote!(#name::#variant(status, body) => Self::with_body(status, #media_type, &body)),
            }
        });
        items.extend(quote! {
            #own

            impl From<#name> for ApiError {
                fn from(error: #name) -> Self {
                    match error { #(#arms),* }
                }
            }
        });
    }
    items
}
