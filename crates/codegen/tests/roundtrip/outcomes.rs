//! Operations with several successes, or with errors that have bodies of their own: which one is sent is part of the answer.

use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};
use syn::Ident;

use crate::described::Operation;
use crate::emit::Code;

/// The enums of an operation.
pub(crate) struct Outcomes {
    response: Ident,
    error: Ident,
    /// The variants of the successes, if there are several, and whether each has a body.
    pub(crate) responses: Vec<(Ident, bool)>,
    /// The variants of the errors, and whether each has its status in it.
    errors: Vec<(Ident, bool)>,
}

impl Outcomes {
    pub(crate) fn of(code: &Code, builder: &str, operation: &Operation) -> Self {
        let (response, error) = (format_ident!("{builder}Response"), format_ident!("{builder}Error"));
        let variants = |name: &Ident| code.enums.get(&name.to_string()).cloned().unwrap_or_default();
        let responses = variants(&response).into_iter().zip(&operation.answers);
        let ranges = |name: &Ident| {
            ["ClientError", "ServerError", "Default"]
                .iter()
                .any(|range| name == range)
        };
        let errors = if operation.errors.is_empty() {
            Vec::new()
        } else {
            variants(&error)
        };
        assert_eq!(errors.len(), operation.errors.len(), "the errors of {builder}");
        Self {
            responses: responses.map(|(variant, answer)| (variant, answer.is_some())).collect(),
            errors: errors
                .into_iter()
                .map(|variant| (variant.clone(), ranges(&variant)))
                .collect(),
            response,
            error,
        }
    }

    /// How the implementer responds with one of several successes.
    pub(crate) fn answer(&self) -> TokenStream {
        if self.responses.len() < 2 {
            return TokenStream::new();
        }
        let name = &self.response;
        let arms = self.responses.iter().enumerate().map(|(index, (variant, body))| {
            let index = Literal::usize_unsuffixed(index);
            let body = body.then(|| quote!((read(&value["body"]))));
            quote!(Some(#index) => #name::#variant #body)
        });
        quote! {
            impl crate::Answer for Result<#name, ApiError> {
                fn of(value: &Value) -> Self {
                    Ok(match value["variant"].as_u64() { #(#arms,)* _ => panic!("no response {value}") })
                }
            }
        }
    }

    /// How the implementer fails, if that is the answer.
    pub(crate) fn fail(&self) -> TokenStream {
        if self.errors.is_empty() {
            return TokenStream::new();
        }
        let name = &self.error;
        let arms = self.errors.iter().enumerate().map(|(index, (variant, range))| {
            let index = Literal::usize_unsuffixed(index);
            let status = range.then(|| quote!(read(&error["status"]),));
            quote!(Some(#index) => #name::#variant(#status read(&error["body"])))
        });
        quote! {
            if let Some(error) = self.error() {
                let error = match error["error"].as_u64() { #(#arms,)* _ => panic!("no error {error}") };
                return Err(error.into());
            }
        }
    }

    /// The value of one of several successes that the client received.
    pub(crate) fn received(&self) -> TokenStream {
        let name = &self.response;
        let arms = self.responses.iter().enumerate().map(|(index, (variant, body))| {
            let index = Literal::usize_unsuffixed(index);
            match body {
                true => quote!(wearlab_client::#name::#variant(body) => json!({ "variant": #index, "body": written(&body) })),
                false => quote!(wearlab_client::#name::#variant => json!({ "variant": #index })),
            }
        });
        quote!(match response { #(#arms),* })
    }

    /// What the client makes of an error.
    pub(crate) fn failed(&self) -> TokenStream {
        if self.errors.is_empty() {
            return quote!(Err(error));
        }
        let name = &self.error;
        let arms = self.errors.iter().enumerate().map(|(index, (variant, range))| {
            let index = Literal::usize_unsuffixed(index);
            let status = range.then(|| quote!(_,));
            quote! {
                Some(wearlab_client::#name::#variant(#status body)) => Ok(json!({
                    "error": #index,
                    "status": error.status().map(|status| status.as_u16()),
                    "body": written(&body),
                }))
            }
        });
        quote!(match wearlab_client::#name::of(&error) { #(#arms,)* None => Err(error) })
    }
}
