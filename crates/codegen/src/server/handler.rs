//! The handler of an operation: credentials, then input, then the implementer's method.

use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};

use super::{owner, router};
use crate::document::{ContentKind, Document, Method, Operation};
use crate::multipart;
use crate::output::doc;
use crate::responses::empty_reply;
use crate::rust::{constant_name, input_name, method_name, reply_type, response_type, scheme_method, trait_name};

pub(super) fn emit(document: &Document, operation: &Operation) -> TokenStream {
    let docs = doc(&[operation.endpoint_span()]);
    let (name, constant) = (method_name(operation), constant_name(operation));
    let own_trait = trait_name(&operation.tag);
    let credentials = operation
        .requirements
        .iter()
        .map(|requirement| owner::emit(document, operation, requirement));
    let permit = owner::permit(document, operation);
    let require = (!operation.security.is_empty()).then(|| quote!(request.require(&operations::#constant)?;));
    let callers = operation
        .requirements
        .iter()
        .map(|requirement| scheme_method(&requirement.scheme));
    let input = operation.has_input().then(|| format_ident!("input"));
    let arguments = callers.chain(input);
    let (mutable, read) = if !operation.has_input() {
        (permit.is_some().then(|| quote!(mut)), quote!())
    } else {
        let input = input_name(operation);
        let receive = operation.request.as_ref().map(|body| {
            let media_type = &body.content.media_type;
            if let ContentKind::Multipart(_, fields) = &body.content.kind {
                let fields = multipart::fields(fields);
                quote!(request.receive_parts(#fields).await?;)
            } else if body.content.is_stream() {
                let accepted = body.content.accepted();
                quote!(request.receive_stream(#accepted)?;)
            } else {
                quote!(request.receive(#media_type).await?;)
            }
        });
        (
            Some(quote!(mut)),
            quote!(#receive let Some(input) = #input::read(&mut request) else { return Err(request.invalid()); };),
        )
    };
    let split = router::split(operation);
    let call = quote!(api.#name(#(#arguments),*).await);
    let (result, end) = respond(operation, &call);
    let request = operation.reads_request().then(|| quote!(, #mutable request: Input));
    quote! {
        #docs
        pub(super) async fn #name<A: #own_trait>(State(api): State<Arc<A>> #request) -> #result {
            #split
            #require
            #(#credentials)*
            #permit
            #read
            #end
        }
    }
}

/// The return type of a handler, and its last expression. A read has an entity tag; any other success only its status.
fn respond(operation: &Operation, call: &TokenStream) -> (TokenStream, TokenStream) {
    let sent = quote!(Result<reply::Sent, ApiError>);
    if operation.is_choice() {
        return (sent, quote!(#call?.send()));
    }
    let status = Literal::u16_unsuffixed(operation.success.status);
    let Some(content) = operation.response() else {
        let empty = empty_reply(operation, &status);
        let end = match operation.success.headers {
            Some(_) => quote!(let headers = #call?; reply::with_headers(#empty?, &headers)),
            None => quote!(#call?; #empty),
        };
        return (sent, end);
    };
    let media_type = &content.media_type;
    let read = operation.method == Method::Get && operation.success.status == 200;
    if operation.success.headers.is_some() {
        let response = match content.kind {
            ContentKind::Events(None) => quote!(reply::text_events(#status, #media_type, body)?),
            ContentKind::Json(_) if read => quote!(body.with_media_type(#media_type)?),
            ContentKind::Json(_) => quote!(body.with_status(#status, #media_type)?),
            _ => quote!(reply::content(#status, #media_type, body)?),
        };
        let end = quote!(let (body, headers) = #call?; reply::with_headers(#response, &headers));
        return (sent, end);
    }
    match content.kind {
        ContentKind::Json(_) if read && content.is_plain() => {
            let ty = response_type(operation, reply_type);
            (quote!(ApiResult<#ty>), call.clone())
        }
        ContentKind::Json(_) if read => (sent, quote!(#call?.with_media_type(#media_type))),
        ContentKind::Json(_) => (sent, quote!(#call?.with_status(#status, #media_type))),
        ContentKind::Events(None) => (sent, quote!(reply::text_events(#status, #media_type, #call?))),
        _ => (sent, quote!(reply::content(#status, #media_type, #call?))),
    }
}
