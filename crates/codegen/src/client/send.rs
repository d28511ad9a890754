//! Sending of calls. Progenitor's own `send` is dropped: it allows `..` to escape a path segment, sends an
//! `api-version` header, and supports neither our credentials nor our errors. Ours names the parameters; the rest is
//! hand-written.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use crate::document::path::parameters_of;
use crate::document::{
    Content, ContentKind, Method, Operation, ParamLocation, Parameter, Response, Separator, Structure, Type,
};
use crate::multipart;
use crate::output::doc;
use crate::responses::{error_headers_line, headers_line, response_name};
use crate::rust::{content_type, response_type};

/// The methods that send a call.
pub(super) fn methods(operation: &Operation) -> TokenStream {
    let response = response_type(operation, content_type);
    let send = operation.response().map_or_else(|| quote!(send_empty), send_as);
    let events = operation.events.as_ref().map(|content| {
        let (ty, send, media_type) = (content_type(content), send_as(content), &content.media_type);
        let docs = doc(&[format!(
            "Sends the request and reads the events of the response, for a request that the service answers with \
             `{media_type}`."
        )]);
        quote! {
            #docs
            pub async fn send_events(self) -> Result<Response<#ty>, Error> {
                self.into_request().accept(#media_type).#send().await
            }
        }
    });
    let changed = if operation.is_choice() {
        let name = response_name(operation);
        quote! {
            let raw = self.into_request().if_none_match(etag.as_ref()).send_raw().await;
            let Some(raw) = request::changed(raw)? else { return Ok(None) };
            let value = #name::read(&raw)?;
            Ok(Some(raw.replace(value)))
        }
    } else {
        quote!(request::changed(self.into_request().if_none_match(etag.as_ref()).#send().await))
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
    let conditional = operation.conditional.then(|| {
        quote! {
            /// Sends the request with `If-None-Match` and reads the response. `None` for a 304: the content still has this
            /// entity tag, which is the [`Response::etag`] of an earlier response.
            pub async fn send_if_none_match(self, etag: impl AsRef<str>) -> Result<Option<Response<#response>>, Error> {
                #changed
            }
        }
    });
    let headers = headers_line(operation);
    let docs = doc(&["Sends the request and reads the response.".to_owned()]
        .into_iter()
        .chain(headers)
        .chain(error_headers_line(operation))
        .collect::<Vec<_>>());
    quote! {
        #docs
        pub async fn send(self) -> Result<Response<#response>, Error> {
            #send
        }

        /// Sends the request and returns the body of the response unparsed.
        pub async fn send_raw(self) -> Result<Response<Body>, Error> {
            self.into_request().send_raw().await
        }

        #events

        #conditional
    }
}

/// The method of the request that reads a response of this content.
fn send_as(content: &Content) -> TokenStream {
    match content.kind {
        ContentKind::Json(_) | ContentKind::Form(..) | ContentKind::Multipart(..) => quote!(send),
        ContentKind::Lines(_) if content.is_sequence() => quote!(send_sequence),
        ContentKind::Lines(_) => quote!(send_lines),
        ContentKind::Events(Some(_)) => quote!(send_events),
        ContentKind::Events(None) => quote!(send_text_events),
        ContentKind::Text => quote!(send_text),
        ContentKind::Bytes => quote!(send_bytes),
    }
}

/// The method that builds the request.
pub(super) fn into_request(operation: &Operation) -> TokenStream {
    let accept = operation
        .response()
        .map(Content::accepted)
        .filter(|media_type| *media_type != "application/json")
        .map(|media_type| quote!(.accept(#media_type)));
    let accept = match operation.method {
        Method::Head => Some(quote!(.accept("*/*"))),
        _ => accept,
    };
    let redirects = operation
        .successes()
        .any(Response::is_redirect)
        .then(|| quote!(.redirects()));
    let path = path(operation).into_iter().map(|parameter| match parameter.separator {
        Some(separator) => list(parameter, separator),
        None => {
            let value = value(parameter);
            quote!(.path(#value))
        }
    });
    let others = operation.parameters.iter().filter_map(|parameter| {
        if let Some(separator) = parameter
            .separator
            .filter(|_| parameter.location != ParamLocation::Path)
        {
            return Some(list(parameter, separator));
        }
        if let Some(structure) = &parameter.structure {
            return Some(structured(parameter, structure));
        }
        let (name, value) = (&parameter.name, value(parameter));
        match parameter.location {
            ParamLocation::Path => None,
            ParamLocation::Query => Some(quote!(.query(#name, #value))),
            ParamLocation::Cookie => Some(quote!(.cookie(#name, #value))),
            ParamLocation::Header if parameter.is_idempotency_key() => Some(quote!(.idempotency_key(#name, #value))),
            ParamLocation::Header => Some(quote!(.header(#name, #value))),
        }
    });
    let body = operation.request.as_ref().map(|body| {
        let media_type = &body.content.media_type;
        if let ContentKind::Multipart(_, fields) = &body.content.kind {
            let fields = multipart::fields(fields);
            let value = if body.required {
                quote!(Some(&self.body))
            } else {
                quote!(self.body.as_ref())
            };
            return quote!(.multipart(#value, #fields));
        }
        let method = match body.content.kind {
            ContentKind::Json(_) => quote!(json),
            ContentKind::Form(..) | ContentKind::Multipart(..) => quote!(form),
            ContentKind::Text => quote!(text_body),
            ContentKind::Lines(_) if body.content.is_sequence() => quote!(upload_sequence),
            ContentKind::Lines(_) | ContentKind::Events(_) | ContentKind::Bytes => quote!(upload),
        };
        let value = match (body.content.is_stream(), body.required) {
            (true, true) => quote!(Some(self.body)),
            (true, false) => quote!(self.body),
            (false, true) => quote!(Some(&self.body)),
            (false, false) => quote!(self.body.as_ref()),
        };
        let deep = match &body.content.kind {
            ContentKind::Form(_, deep) => Some(quote!(, &[#(#deep),*])),
            _ => None,
        };
        quote!(.#method(#media_type, #value #deep))
    });
    quote! {
        fn into_request(self) -> request::Request<'a> {
            request::Request::new(self.call) #(#path)* #(#others)* #accept #redirects #body
        }
    }
}

/// The parameters in the path, in its order.
fn path(operation: &Operation) -> Vec<&Parameter> {
    let names = operation.path.split('/').filter_map(parameters_of).flatten();
    names
        .filter_map(|name| {
            let of_path = |parameter: &&Parameter| parameter.location == ParamLocation::Path && parameter.name == name;
            operation.parameters.iter().find(of_path)
        })
        .collect()
}

/// A parameter's value. Outside the path, it is an `Option`.
fn value(parameter: &Parameter) -> TokenStream {
    let field = format_ident!("{}", parameter.setter());
    // `Display` of a time is not RFC 3339.
    let time = matches!(parameter.ty.without_null(), Type::DateTime);
    match (parameter.is_argument(), time) {
        (false, false) => quote!(self.#field),
        (false, true) => quote!(self.#field.map(|time| time.to_rfc3339())),
        (true, time) => {
            let text = time.then(|| quote!(.to_rfc3339()));
            if parameter.location == ParamLocation::Path {
                quote!(self.#field #text)
            } else {
                quote!(Some(self.#field #text))
            }
        }
    }
}

/// An object, or JSON.
fn structured(parameter: &Parameter, structure: &Structure) -> TokenStream {
    let (name, field) = (&parameter.name, format_ident!("{}", parameter.setter()));
    let value = match parameter.is_argument() {
        true => quote!(Some(&self.#field)),
        false => quote!(self.#field.as_ref()),
    };
    match structure {
        Structure::Deep => quote!(.query_object(#name, #value)),
        Structure::Members(_) => quote!(.query_members(#value)),
        Structure::Json => quote!(.query_json(#name, #value)),
    }
}

/// A list, as one text unless its parameter is repeated.
fn list(parameter: &Parameter, separator: Separator) -> TokenStream {
    let (name, field) = (&parameter.name, format_ident!("{}", parameter.setter()));
    let texts = match parameter.item().without_null() {
        Type::DateTime => quote!(list.iter().map(|time| time.to_rfc3339()).collect()),
        _ => quote!(texts(&list)),
    };
    let list = match parameter.is_argument() {
        true => quote!(Some(self.#field)),
        false => quote!(self.#field),
    };
    let texts = quote!(#list.map(|list| #texts));
    let Some(character) = separator.character() else {
        return quote!(.query_all(#name, #texts));
    };
    let method = match parameter.location {
        ParamLocation::Path => quote!(path_list),
        ParamLocation::Query => quote!(query_list),
        ParamLocation::Header => quote!(header_list),
        ParamLocation::Cookie => quote!(cookie_list),
    };
    quote!(.#method(#name, #character, #texts))
}
