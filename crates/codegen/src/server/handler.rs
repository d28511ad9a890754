//! The handler of an operation: credentials, then input, then the implementer's method.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use crate::document::{ContentKind, Method, Operation};
use crate::output::doc;
use crate::rust::{constant_name, input_name, method_name, response_type, scheme_method, scheme_type};

pub(super) fn emit(operation: &Operation) -> TokenStream {
    let docs = doc(&[operation.endpoint_span()]);
    let (name, constant) = (method_name(operation), constant_name(operation));
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
    let (mutable, read, argument) = if !operation.has_input() {
        (quote!(), quote!(), quote!())
    } else {
        let input = input_name(operation);
        let receive = operation.request.as_ref().map(|body| {
            let media_type = &body.content.media_type;
            if body.content.is_stream() {
                quote!(request.receive_stream(#media_type)?;)
            } else {
                quote!(request.receive(#media_type).await?;)
            }
        });
        (
            quote!(mut),
            quote!(#receive let Some(input) = #input::read(&mut request) else { return Err(request.invalid()); };),
            quote!(, input),
        )
    };
    let call = quote!(api.#name(#(#callers),* #argument).await);
    let (result, end) = respond(operation, &call);
    quote! {
        #docs
        pub(super) async fn #name<A: Api>(State(api): State<Arc<A>>, #mutable request: Input) -> #result {
            request.require(&operations::#constant)?;
            #(#credentials)*
            #read
            #end
        }
    }
}

/// What a handler returns, and its last expression. A read has an entity tag; any other success only its status.
fn respond(operation: &Operation, call: &TokenStream) -> (TokenStream, TokenStream) {
    let sent = quote!(Result<reply::Sent, ApiError>);
    let status = Literal::u16_unsuffixed(operation.success.status);
    let Some(content) = operation.response() else {
        return (sent, quote!(#call?; reply::empty(#status)));
    };
    let media_type = &content.media_type;
    let read = operation.method == Method::Get && operation.success.status == 200;
    match content.kind {
        ContentKind::Json(_) if read && content.is_plain() => {
            let ty = response_type(operation);
            (quote!(ApiResult<#ty>), call.clone())
        }
        ContentKind::Json(_) if read => (sent, quote!(#call?.with_media_type(#media_type))),
        ContentKind::Json(_) => (sent, quote!(#call?.with_status(#status, #media_type))),
        _ => (sent, quote!(reply::content(#status, #media_type, #call?))),
    }
}
