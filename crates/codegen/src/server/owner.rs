//! The owners of the credentials of a request, in its handler.

use proc_macro2::TokenStream;
use quote::quote;

use crate::document::{Carrier, Document, Operation, Requirement};
use crate::rust::{constant_name, scheme_method, scheme_type};

/// The owner of a credential of the request, as a local of the credential's name.
pub(super) fn emit(document: &Document, operation: &Operation, requirement: &Requirement) -> TokenStream {
    let (local, scheme) = (scheme_method(&requirement.scheme), scheme_type(&requirement.scheme));
    let basic = document.carrier(&requirement.scheme) == Some(&Carrier::Basic);
    let (find, find_optional) = match basic {
        true => (quote!(basic), quote!(optional_basic)),
        false => (quote!(credential), quote!(optional_credential)),
    };
    if requirement.required {
        quote!(let #local = api.#local(&request.#find(Credential::#scheme)?).await?;)
    } else if shares_place(document, operation, requirement) {
        quote! {
            let #local = match request.#find_optional(Credential::#scheme)? {
                Some(credential) => Some(api.#local(&credential).await),
                None => None,
            };
            let #local = match #local {
                Some(owner) => request.accept(owner)?,
                None => None,
            };
        }
    } else {
        quote! {
            let #local = match request.#find_optional(Credential::#scheme)? {
                Some(credential) => Some(api.#local(&credential).await?),
                None => None,
            };
        }
    }
}

/// Returns whether another credential of the operation is at the same place of a request, so that each may be the
/// other.
fn shares_place(document: &Document, operation: &Operation, requirement: &Requirement) -> bool {
    let own = document.carrier(&requirement.scheme);
    let others = operation.requirements.iter().filter(|other| *other != requirement);
    let mut others = others.filter_map(|other| document.carrier(&other.scheme));
    own.is_some_and(|own| others.any(|other| own.shares_place(other)))
}

/// The check that follows from the owners: their scopes, and that one of several credentials at the same place is valid.
pub(super) fn permit(document: &Document, operation: &Operation) -> Option<TokenStream> {
    let shared = |requirement: &Requirement| !requirement.required && shares_place(document, operation, requirement);
    if operation.scopes().is_none() && !operation.requirements.iter().any(shared) {
        return None;
    }
    let constant = constant_name(operation);
    let owners = operation.requirements.iter().map(|requirement| {
        let (local, scheme) = (scheme_method(&requirement.scheme), scheme_type(&requirement.scheme));
        let owner = match requirement.required {
            true => quote!(Some(&#local)),
            false => quote!(#local.as_ref()),
        };
        match document.is_scoped(&requirement.scheme) {
            true => quote!(Owner::scoped(Credential::#scheme, #owner)),
            false => quote!(Owner::plain(Credential::#scheme, #owner)),
        }
    });
    Some(quote!(request.permit(&operations::#constant, &[#(#owners),*])?;))
}
