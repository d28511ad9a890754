//! The two traits that an implementer writes.

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};
use syn::Ident;

use crate::Error;
use crate::document::{Carrier, ContentKind, Document, Operation};
use crate::output::{GeneratedFile, doc};
use crate::responses::{headers_type, response_name};
use crate::rust::{input_name, method_name, reply_type, response_type, scheme_method, scheme_type};

pub(super) fn emit(document: &Document, path: String) -> Result<GeneratedFile, Error> {
    let callers = document.security.iter().map(|scheme| {
        let ty = scheme_type(&scheme.name);
        let method = scheme_method(&scheme.name);
        let place = scheme.carrier.place();
        let scoped = document.is_scoped(&scheme.name);
        let bound = scoped.then(|| quote!(Scoped+));
        let type_docs = doc(&[format!("The owner of a credential in the {place}.")]);
        let method_docs = doc(&[
            format!("Returns the owner of a credential from the {place}."),
            scheme.paragraph(),
            "# Errors\n\n[`ApiError::unauthorized`] if the credential is not valid.".to_owned(),
        ]);
        let argument = match scheme.carrier {
            Carrier::Basic => quote!(Basic),
            _ => quote!(str),
        };
        (
            quote!(#type_docs type #ty: #bound Send;),
            quote! {
                #method_docs
                fn #method(&self, credential: &#argument) -> impl Future<Output = Result<Self::#ty, ApiError>> + Send;
            },
        )
    });
    let (types, checks): (Vec<_>, Vec<_>) = callers.unzip();
    let methods = document.operations.iter().map(method);
    let inputs: Vec<_> = document
        .operations
        .iter()
        .flat_map(|operation| {
            let response = operation.is_choice().then(|| response_name(operation));
            operation
                .has_input()
                .then(|| input_name(operation))
                .into_iter()
                .chain(response)
        })
        .collect();
    let inputs = (!inputs.is_empty()).then(|| quote!(use super::{#(#inputs),*};));
    GeneratedFile::new(
        path,
        "The traits that a back end implements: authentication and operations.",
        quote! {
            #inputs
            use crate::codegen::*;

            /// Authenticates callers. The router calls it before it reads the rest of a request.
            pub trait Auth: Send + Sync + 'static {
                #(#types)*
                #(#checks)*
            }

            /// The operations of the interface, one method each. None has a default, so a missing operation does not
            /// compile.
            ///
            /// A method receives the owners of the credentials, and input that was checked against the document's bounds.
            pub trait Api: Auth {
                #(#methods)*
            }
        },
    )
}

fn method(operation: &Operation) -> TokenStream {
    let mut paragraphs = operation.docs.paragraphs();
    paragraphs.extend(operation.scopes());
    paragraphs.push(operation.endpoint_span());
    let docs = doc(&paragraphs);
    let name = method_name(operation);
    let (result, deprecated) = (result(operation), operation.docs.deprecated_attribute());
    let arguments = arguments(operation).into_iter().map(|(name, ty)| quote!(#name: #ty));
    quote! {
        #docs
        #deprecated
        fn #name(&self #(, #arguments)*) -> impl Future<Output = #result> + Send;
    }
}

/// The arguments of an operation's method, with their types: the owners of the credentials, and the input.
pub(super) fn arguments(operation: &Operation) -> Vec<(Ident, TokenStream)> {
    let callers = operation.requirements.iter().map(|requirement| {
        let (argument, ty) = (scheme_method(&requirement.scheme), scheme_type(&requirement.scheme));
        let ty = if requirement.required {
            quote!(Self::#ty)
        } else {
            quote!(Option<Self::#ty>)
        };
        (argument, ty)
    });
    let input = operation
        .has_input()
        .then(|| (format_ident!("input"), input_name(operation).to_token_stream()));
    callers.chain(input).collect()
}

/// What an operation's method returns: the body, the headers, or both.
pub(super) fn result(operation: &Operation) -> TokenStream {
    let ty = response_type(operation, reply_type);
    let headers = headers_type(&operation.success).filter(|_| !operation.is_choice());
    match (operation.response().map(|content| &content.kind), headers) {
        (Some(ContentKind::Json(_)), Some(headers)) => quote!(Result<(Reply<#ty>, #headers), ApiError>),
        (Some(_), Some(headers)) => quote!(Result<(#ty, #headers), ApiError>),
        (None, Some(headers)) => quote!(Result<#headers, ApiError>),
        (Some(ContentKind::Json(_)), None) if !operation.is_choice() => quote!(ApiResult<#ty>),
        _ => quote!(Result<#ty, ApiError>),
    }
}
