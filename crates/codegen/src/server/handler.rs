//! The handler of an operation: credentials, then input, then the implementer's method.

use proc_macro2::TokenStream;
use quote::quote;

use crate::document::Operation;
use crate::output::doc;
use crate::rust::{constant_name, input_name, method_name, rust_type, scheme_method, scheme_type};

pub(super) fn emit(operation: &Operation) -> TokenStream {
    let docs = doc(&[operation.request()]);
    let (name, constant, body) = (
        method_name(operation),
        constant_name(operation),
        rust_type(&operation.body, &quote!(models::)),
    );
    let credentials = operation.requirements.iter().map(|requirement| {
        let (local, scheme) = (scheme_method(&requirement.scheme), scheme_type(&requirement.scheme));
        if requirement.required {
            quote!(let #local = api.#local(request.credential(Credential::#scheme)?).await?;)
        } else {
            quote! {
                let #local = match request.optional_credential(Credential::#scheme)? {
                    Some(credential) => Some(api.#local(credential).await?),
                    None => None,
                };
            }
        }
    });
    let callers = operation
        .requirements
        .iter()
        .map(|requirement| scheme_method(&requirement.scheme));
    let (mutable, read, argument) = if operation.parameters.is_empty() {
        (quote!(), quote!(), quote!())
    } else {
        let input = input_name(operation);
        (
            quote!(mut),
            quote!(let Some(input) = #input::read(&mut request) else { return Err(request.invalid()); };),
            quote!(, input),
        )
    };
    quote! {
        #docs
        pub(super) async fn #name<A: Api>(State(api): State<Arc<A>>, #mutable request: Input) -> ApiResult<#body> {
            request.require(&operations::#constant)?;
            #(#credentials)*
            #read
            api.#name(#(#callers),* #argument).await
        }
    }
}
