//! How a call is sent. Progenitor's own `send` is dropped: it lets `..` escape a path segment, sends an `api-version`
//! header, and supports neither our credentials nor our errors. Ours names the parameters; the rest is hand-written.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use crate::document::{ContentKind, Operation, ParamLocation, Parameter, Separator, Type};
use crate::responses::response_name;
use crate::rust::{builder_name, present, response_type};

/// The methods that send a call, and their common part.
pub(super) fn emit(operation: &Operation) -> TokenStream {
    let builder = builder_name(operation);
    let response = response_type(operation);
    let send = match operation.response().map(|content| &content.kind) {
        Some(ContentKind::Json(_) | ContentKind::Form(_)) => quote!(send),
        Some(ContentKind::Lines(_)) => quote!(send_lines),
        Some(ContentKind::Text) => quote!(send_text),
        Some(ContentKind::Bytes) => quote!(send_bytes),
        None => quote!(send_empty),
    };
    let send = if operation.is_choice() {
        let name = response_name(operation);
        quote! {
            let raw = self.send_raw().await?;
            let value = #name::read(&raw)?;
            Ok(raw.replace(value))
        }
    } else {
        quote!(self.into_request().#send().await)
    };
    let accept = operation
        .response()
        .map(|content| &content.media_type)
        .filter(|media_type| *media_type != "application/json")
        .map(|media_type| quote!(.accept(#media_type)));
    let path = path(operation).into_iter().map(|parameter| {
        let value = value(parameter);
        quote!(.path(#value))
    });
    let others = operation.parameters.iter().filter_map(|parameter| {
        let (name, value) = (&parameter.name, value(parameter));
        match parameter.location {
            ParamLocation::Path => None,
            ParamLocation::Query if parameter.separator == Some(Separator::Repeated) => {
                Some(quote!(.query_all(#name, #value)))
            }
            ParamLocation::Query => Some(quote!(.query(#name, #value))),
            ParamLocation::Cookie => Some(quote!(.cookie(#name, #value))),
            ParamLocation::Header => Some(quote!(.header(#name, #value))),
        }
    });
    let body = operation.request.as_ref().map(|body| {
        let media_type = &body.content.media_type;
        let method = match body.content.kind {
            ContentKind::Json(_) => quote!(json),
            ContentKind::Form(_) => quote!(form),
            ContentKind::Text => quote!(text_body),
            ContentKind::Lines(_) | ContentKind::Bytes => quote!(upload),
        };
        let value = match (body.content.is_stream(), body.required) {
            (true, true) => quote!(Some(self.body)),
            (true, false) => quote!(self.body),
            (false, true) => quote!(Some(&self.body)),
            (false, false) => quote!(self.body.as_ref()),
        };
        quote!(.#method(#media_type, #value))
    });
    let conditional = operation.conditional.then(|| {
        quote! {
            /// Sends the request with `If-None-Match` and reads the response. `None` for a 304: the content still has this
            /// entity tag, which is the [`Response::etag`] of an earlier response.
            pub async fn send_if_none_match(self, etag: impl AsRef<str>) -> Result<Option<Response<#response>>, Error> {
                self.into_request().send_if_none_match(etag.as_ref()).await
            }
        }
    });
    quote! {
        impl<'a> #builder<'a> {
            call_settings!();

            /// Sends the request and reads the response.
            pub async fn send(self) -> Result<Response<#response>, Error> {
                #send
            }

            /// Sends the request and returns the body of the response unparsed.
            pub async fn send_raw(self) -> Result<Response<Body>, Error> {
                self.into_request().send_raw().await
            }

            #conditional

            fn into_request(self) -> request::Request<'a> {
                request::Request::new(self.call) #(#path)* #(#others)* #accept #body
            }
        }
    }
}

/// The parameters in the path, in its order.
fn path(operation: &Operation) -> Vec<&Parameter> {
    let names = operation
        .path
        .split('/')
        .filter_map(|segment| segment.strip_prefix('{')?.strip_suffix('}'));
    names
        .filter_map(|name| {
            let of_path = |parameter: &&Parameter| parameter.location == ParamLocation::Path && parameter.name == name;
            operation.parameters.iter().find(of_path)
        })
        .collect()
}

/// A parameter's value, or its error. A path parameter always has a value, any other is an `Option`.
fn value(parameter: &Parameter) -> TokenStream {
    if let Some(separator) = parameter.separator {
        return list(parameter, separator);
    }
    let field = format_ident!("{}", parameter.setter());
    let time = matches!(present(&parameter.ty), Type::DateTime);
    let (in_path, required) = (parameter.location == ParamLocation::Path, parameter.required);
    // `Display` of a time is not RFC 3339.
    match (time, in_path, required) {
        (false, true, _) | (false, _, false) => quote!(self.#field),
        (false, false, true) => quote!(self.#field.map(Some)),
        (true, true, _) => quote!(self.#field.map(|time| time.to_rfc3339())),
        (true, false, true) => quote!(self.#field.map(|time| Some(time.to_rfc3339()))),
        (true, false, false) => quote!(self.#field.map(|time| time.map(|time| time.to_rfc3339()))),
    }
}

/// The items of a list, as one text unless the parameter is repeated.
fn list(parameter: &Parameter, separator: Separator) -> TokenStream {
    let (name, field) = (&parameter.name, format_ident!("{}", parameter.setter()));
    let texts = match present(parameter.item()) {
        Type::DateTime => quote!(list.iter().map(|time| time.to_rfc3339()).collect()),
        _ => quote!(texts(&list)),
    };
    let texts = match parameter.required {
        true => quote!(self.#field.map(|list| Some(#texts))),
        false => quote!(self.#field.map(|list| list.map(|list| #texts))),
    };
    let character = match separator {
        Separator::Repeated => return texts,
        Separator::Comma => ',',
        Separator::Space => ' ',
        Separator::Pipe => '|',
    };
    let joined = quote!(joined(#name, #character, #texts));
    match parameter.location {
        ParamLocation::Path => quote!(present(#name, #joined)),
        _ => joined,
    }
}
