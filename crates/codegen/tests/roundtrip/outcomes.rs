//! Operations with several successes, or with errors that have bodies of their own: the sent one is part of the answer.

use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};
use syn::{Ident, Type};

use super::described::Operation;
use super::emit::Code;

/// The enums of an operation.
pub(crate) struct Outcomes {
    response: Ident,
    error: Ident,
    /// The successes, if there are several.
    pub(crate) responses: Vec<Success>,
    /// The type of the headers of a single success.
    headers: Option<Ident>,
    body: bool,
    /// The variants of the errors, and whether each has its status in it.
    errors: Vec<(Ident, bool)>,
}

/// One of several successes.
pub(crate) struct Success {
    variant: Ident,
    body: bool,
    /// The type of its headers, if it has typed ones.
    headers: Option<Ident>,
}

impl Outcomes {
    pub(crate) fn of(code: &Code, builder: &str, operation: &Operation) -> Self {
        let (response, error) = (format_ident!("{builder}Response"), format_ident!("{builder}Error"));
        let variants = |name: &Ident| code.enums.get(&name.to_string()).cloned().unwrap_or_default();
        let responses = variants(&response)
            .into_iter()
            .zip(operation.answers.iter().zip(&operation.headers));
        let single = operation.answers.len() == 1 && operation.headers[0].is_some();
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
            responses: responses
                .map(|(variant, (answer, headers))| Success {
                    headers: headers.as_ref().map(|_| format_ident!("{builder}{variant}Headers")),
                    variant,
                    body: answer.is_some(),
                })
                .collect(),
            headers: single.then(|| format_ident!("{builder}Headers")),
            body: operation.answers[0].is_some(),
            errors: errors
                .into_iter()
                .map(|variant| (variant.clone(), ranges(&variant)))
                .collect(),
            response,
            error,
        }
    }

    /// Emits the response of the implementer, with headers or one of several successes.
    pub(crate) fn answer(&self, output: &Type) -> TokenStream {
        if self.headers.is_some() {
            let headers = quote!(read(&value["headers"]));
            let value = match self.body {
                true => quote!((Reply::Value(read(&value["body"])), #headers)),
                false => headers,
            };
            return quote! {
                impl crate::service::Answer for #output {
                    fn of(value: &Value) -> Self { Ok(#value) }
                }
            };
        }
        if self.responses.len() < 2 {
            return TokenStream::new();
        }
        let name = &self.response;
        let arms = self.responses.iter().enumerate().map(|(index, success)| {
            let (index, variant) = (Literal::usize_unsuffixed(index), &success.variant);
            let body = success.body.then(|| quote!(read(&value["body"])));
            let headers = success.headers.is_some().then(|| quote!(read(&value["headers"])));
            let members: Vec<_> = body.into_iter().chain(headers).collect();
            let members = (!members.is_empty()).then(|| quote!((#(#members),*)));
            quote!(Some(#index) => #name::#variant #members)
        });
        quote! {
            impl crate::service::Answer for Result<#name, ApiError> {
                fn of(value: &Value) -> Self {
                    Ok(match value["variant"].as_u64() { #(#arms,)* _ => panic!("no response {value}") })
                }
            }
        }
    }

    /// Emits the error of the implementer, if that is the answer.
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
        let arms = self.responses.iter().enumerate().map(|(index, success)| {
            let (index, variant) = (Literal::usize_unsuffixed(index), &success.variant);
            let headers = success
                .headers
                .as_ref()
                .map(|ty| quote!(received["headers"] = written(&whole.typed_headers::<models::#ty>()?);));
            let (members, body) = match success.body {
                true => (Some(quote!((body))), Some(quote!(received["body"] = written(&body);))),
                false => (None, None),
            };
            quote! {
                wearlab_client::#name::#variant #members => {
                    let mut received = json!({ "variant": #index });
                    #body
                    #headers
                    received
                }
            }
        });
        quote!(match response { #(#arms),* })
    }

    /// The client's response without its headers, which are read from `whole`.
    pub(crate) fn inner(&self) -> TokenStream {
        let headers = self.headers.is_some() || self.responses.iter().any(|success| success.headers.is_some());
        let copied = headers.then(|| quote!(.clone()));
        quote!(whole #copied .into_inner())
    }

    /// The value of a success that the client received, with its headers.
    pub(crate) fn with_headers(&self, received: TokenStream) -> TokenStream {
        let Some(ty) = &self.headers else { return received };
        let body = self.body.then(|| quote!("body": #received,));
        quote!(json!({ #body "headers": written(&whole.typed_headers::<models::#ty>()?) }))
    }

    /// Emits the client's reading of an error.
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
