//! Constants: the metadata of each operation.

use chrono::{NaiveDate, NaiveTime};
use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};

use crate::Error;
use crate::credential::credential;
use crate::document::{Document, Needed, Operation};
use crate::output::{GeneratedFile, doc};
use crate::rust::{alternative, constant_name, scheme_type};

pub(super) fn emit(document: &Document, path: String) -> Result<GeneratedFile, Error> {
    let credential = credential(document, &quote!());
    let constants = document.operations.iter().map(constant);
    let all = document.operations.iter().map(constant_name);
    let deprecation_type = document
        .operations
        .iter()
        .any(|operation| deprecation(operation).is_some());
    let deprecation_type = deprecation_type.then(|| quote!(Deprecation,));
    let count = Literal::usize_unsuffixed(document.operations.len());
    GeneratedFile::new(
        path,
        "The metadata of each operation.",
        quote! {
            use crate::codegen::{Carrier, #deprecation_type HasCarrier, Method, Operation};

            #credential

            #(#constants)*

            /// All operations, in the document's order.
            pub const ALL: [&Operation; #count] = [#(&#all),*];
        },
    )
}

/// The scopes of each alternative. Empty if no alternative has any.
fn scopes(operation: &Operation) -> Vec<TokenStream> {
    if operation.scopes().is_none() {
        return Vec::new();
    }
    let alternatives = operation.security.iter().map(|alternative| {
        let scoped = alternative.iter().filter(|needed| !needed.scopes.is_empty());
        let scoped = scoped.map(|Needed { scheme, scopes }| {
            let scheme = scheme_type(scheme);
            quote!((Credential::#scheme, &[#(#scopes),*]))
        });
        quote!(&[#(#scoped),*])
    });
    alternatives.collect()
}

fn constant(operation: &Operation) -> TokenStream {
    let docs = doc(&[operation.endpoint_span()]);
    let method = format_ident!("{}", operation.method.name());
    let (name, id, path) = (constant_name(operation), &operation.id, &operation.path);
    let alternatives = operation.security.iter().map(alternative);
    let scopes = scopes(operation);
    let deprecation = match deprecation(operation) {
        Some(deprecation) => quote!(Some(#deprecation)),
        None => quote!(None),
    };
    quote! {
        #docs
        pub const #name: Operation = Operation {
            id: #id,
            method: Method::#method,
            path: #path,
            security: &[#(#alternatives),*],
            scopes: &[#(#scopes),*],
            deprecation: #deprecation,
        };
    }
}

/// The values of the headers `Deprecation` (RFC 9745) and `Sunset` (RFC 8594), if the document has the date of the
/// deprecation.
fn deprecation(operation: &Operation) -> Option<TokenStream> {
    let midnight = |date: &String| {
        let date: NaiveDate = date.parse().ok()?;
        Some(date.and_time(NaiveTime::MIN).and_utc())
    };
    let details = operation.docs.deprecated.as_ref()?;
    let since = format!("@{}", details.since.as_ref().and_then(midnight)?.timestamp());
    let sunset = match details.date.as_ref().and_then(midnight) {
        Some(date) => {
            let date = date.format("%a, %d %b %Y %H:%M:%S GMT").to_string();
            quote!(Some(#date))
        }
        None => quote!(None),
    };
    Some(quote!(Deprecation { since: #since, sunset: #sunset }))
}
