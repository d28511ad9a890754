//! Rust names and types of parts of the document.

use heck::{ToShoutySnakeCase, ToSnakeCase, ToUpperCamelCase};
use proc_macro2::{Literal, TokenStream};
use quote::{ToTokens, format_ident, quote};
use serde_json::Value;
use syn::Ident;

use crate::document::{Alternative, Content, ContentKind, Operation, Schema, TextLimits, Type, trait_of};
use crate::identifier::server_stem;

/// The constant of an operation.
pub(crate) fn constant_name(operation: &Operation) -> Ident {
    format_ident!("{}", operation.id.to_shouty_snake_case())
}

/// The method of an operation.
pub(crate) fn method_name(operation: &Operation) -> Ident {
    format_ident!("{}", operation.id)
}

/// The server's trait of the operations of a tag.
pub(crate) fn trait_name(tag: &str) -> Ident {
    format_ident!("{}", trait_of(tag))
}

/// The client's builder of a call.
pub(crate) fn builder_name(operation: &Operation) -> Ident {
    format_ident!("{}", operation.id.to_upper_camel_case())
}

/// The server's input struct.
pub(crate) fn input_name(operation: &Operation) -> Ident {
    format_ident!("{}Input", operation.id.to_upper_camel_case())
}

/// The variant, or associated type, of a credential.
pub(crate) fn scheme_type(scheme: &str) -> Ident {
    format_ident!("{}", scheme.to_upper_camel_case())
}

/// The method, or argument, of a credential.
pub(crate) fn scheme_method(scheme: &str) -> Ident {
    format_ident!("{}", scheme.to_snake_case())
}

/// The credentials of an alternative, as an expression.
pub(crate) fn alternative(alternative: &Alternative) -> TokenStream {
    let schemes = alternative.iter().map(|needed| scheme_type(&needed.scheme));
    quote!(&[#(Credential::#schemes),*])
}

/// The variant of a server: `base_url` is the server `Base`.
pub(crate) fn server_variant(variable: &str) -> Ident {
    format_ident!("{}", server_stem(variable).to_upper_camel_case())
}

/// The router function of a server: `base_url` is served by `base_routes`.
pub(crate) fn server_routes(variable: &str) -> Ident {
    format_ident!("{}_routes", server_stem(variable))
}

/// The type of a body, where values are received or responses are made.
pub(crate) fn content_type(content: &Content) -> TokenStream {
    let models = quote!(models::);
    match &content.kind {
        ContentKind::Json(ty) | ContentKind::Form(ty, _) | ContentKind::Multipart(ty, _) => rust_type(ty, &models),
        ContentKind::Lines(ty) => {
            let ty = rust_type(ty, &models);
            quote!(Lines<#ty>)
        }
        ContentKind::Events(ty) => events(ty.as_ref().map(|ty| rust_type(ty, &models))),
        ContentKind::Text => quote!(String),
        ContentKind::Bytes => quote!(ByteStream),
    }
}

/// The type of a body of a response that the server makes.
pub(crate) fn reply_type(content: &Content) -> TokenStream {
    let masked = |ty: TokenStream| match content.masked {
        true => quote!(models::Masked<#ty>),
        false => ty,
    };
    match &content.kind {
        ContentKind::Json(ty) => masked(rust_type(ty, &quote!(models::))),
        ContentKind::Lines(ty) => {
            let ty = masked(rust_type(ty, &quote!(models::)));
            quote!(Lines<#ty>)
        }
        ContentKind::Events(Some(ty)) => events(Some(masked(rust_type(ty, &quote!(models::))))),
        _ => content_type(content),
    }
}

/// Events whose data are of a type, or text.
fn events(data: Option<TokenStream>) -> TokenStream {
    let data = data.unwrap_or_else(|| quote!(String));
    quote!(EventStream<#data>)
}

/// The type of a body that the client sends.
pub(crate) fn upload_type(content: &Content) -> TokenStream {
    match &content.kind {
        ContentKind::Lines(ty) => {
            let ty = rust_type(ty, &quote!(models::));
            quote!(LinesUpload<#ty>)
        }
        ContentKind::Bytes => quote!(Upload),
        _ => content_type(content),
    }
}

/// The type of an operation's successful response: `()` where it has no body. `body` is that of its content:
/// [`content_type`] for the client, [`reply_type`] for the server.
pub(crate) fn response_type(operation: &Operation, body: fn(&Content) -> TokenStream) -> TokenStream {
    if operation.is_choice() {
        return format_ident!("{}Response", builder_name(operation)).into_token_stream();
    }
    operation.response().map_or_else(|| quote!(()), body)
}

/// The type without null. `models` is the path prefix of the models' types: nothing, or `models::`.
pub(crate) fn rust_type(ty: &Type, models: &TokenStream) -> TokenStream {
    match ty {
        Type::String(_) => quote!(String),
        Type::Secret(_) => quote!(Secret),
        Type::File(_) => quote!(FilePart),
        Type::Uuid => quote!(Uuid),
        Type::Date => quote!(NaiveDate),
        Type::DateTime => quote!(DateTime),
        Type::Ipv4 => quote!(Ipv4Addr),
        Type::Ipv6 => quote!(Ipv6Addr),
        Type::Integer(width, _) => format_ident!("{}", width.rust_name()).to_token_stream(),
        Type::Any => quote!(JsonValue),
        Type::Number(_) => quote!(f64),
        Type::Boolean => quote!(bool),
        Type::Open(_) => quote!(JsonObject),
        Type::Ref(name) => {
            let name = format_ident!("{name}");
            quote!(#models #name)
        }
        Type::Array(items, _) => {
            let items = field_type(items, models);
            quote!(Vec<#items>)
        }
        Type::Map { keys, values, .. } => {
            let values = field_type(values, models);
            let keys = match keys {
                Some(name) => {
                    let name = format_ident!("{name}");
                    quote!(#models #name)
                }
                None => quote!(String),
            };
            quote!(BTreeMap<#keys, #values>)
        }
        Type::Nullable(inner) => rust_type(inner, models),
    }
}

/// The type, in an `Option` where it may be null.
pub(crate) fn field_type(ty: &Type, models: &TokenStream) -> TokenStream {
    let inner = rust_type(ty, models);
    if matches!(ty, Type::Nullable(_)) {
        quote!(Option<#inner>)
    } else {
        inner
    }
}

/// A default as an expression of its type, or `None` for a value that the document's reader rejects.
pub(crate) fn rust_value(value: &Value, ty: &Type, schemas: &[Schema], models: &TokenStream) -> Option<TokenStream> {
    Some(match ty {
        Type::Nullable(inner) => return rust_value(value, inner, schemas, models),
        Type::Ref(name) => {
            let schema = schemas.iter().find(|schema| schema.name == *name)?;
            let (name, variant) = (format_ident!("{name}"), schema.variant(value.as_str()?));
            let variant = format_ident!("{variant}");
            quote!(#models #name::#variant)
        }
        Type::String(_) => {
            let text = value.as_str()?;
            quote!(#text.to_owned())
        }
        Type::Boolean => value.as_bool()?.to_token_stream(),
        Type::Integer(..) => Literal::i64_unsuffixed(value.as_i64()?).to_token_stream(),
        Type::Number(_) => Literal::f64_unsuffixed(value.as_f64()?).to_token_stream(),
        Type::Array(items, _) => {
            let values = value
                .as_array()?
                .iter()
                .map(|item| rust_value(item, items, schemas, models));
            let values: Vec<_> = values.collect::<Option<_>>()?;
            quote!(vec![#(#values),*])
        }
        Type::Map { keys, values, .. } => {
            let keys = match keys {
                Some(name) => Type::Ref(name.clone()),
                None => Type::String(TextLimits::default()),
            };
            let members = value.as_object()?.iter().map(|(name, member)| {
                let name = rust_value(&Value::from(name.as_str()), &keys, schemas, models)?;
                let member = rust_value(member, values, schemas, models)?;
                Some(quote!((#name, #member)))
            });
            let members: Vec<_> = members.collect::<Option<_>>()?;
            quote!(BTreeMap::from([#(#members),*]))
        }
        Type::Open(_) => {
            let text = value.to_string();
            quote!(object_of(#text))
        }
        _ => return None,
    })
}
