//! The input of an operation: a struct, and its reader.

use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};

use super::rules;
use crate::debug::debug;
use crate::document::{
    Body, ContentKind, Document, NumberLimits, Operation, ParamLocation, Parameter, Separator, Structure, TextLimits,
    Type,
};
use crate::output::doc;
use crate::rust::{content_type, input_name, rust_type, rust_value, trait_name};

pub(super) fn emit(document: &Document, operation: &Operation) -> TokenStream {
    if !operation.has_input() {
        return TokenStream::new();
    }
    let name = input_name(operation);
    let docs = doc(&[format!(
        "The input of [`{}::{}`].",
        trait_name(&operation.tag),
        operation.id
    )]);
    let mut shown: Vec<_> = operation
        .parameters
        .iter()
        .map(|p| (field_name(p), p.sensitive))
        .collect();
    shown.extend(operation.request.iter().map(|_| (format_ident!("body"), false)));
    let names: Vec<_> = shown.iter().map(|(name, _)| name).collect();
    let fields = operation.parameters.iter().map(field);
    let fields = fields.chain(operation.request.as_ref().map(body_field));
    let (derive_debug, debug) = debug(&name, None, &shown, &quote!(format_args!("..")));
    // A stream is read once.
    let stream = operation.request.as_ref().is_some_and(|body| body.content.is_stream());
    let derives = match (stream, derive_debug.is_empty()) {
        (false, _) => quote!(#[derive(Clone #derive_debug, PartialEq)]),
        (true, false) => quote!(#[derive(Debug)]),
        (true, true) => quote!(),
    };
    let reads = operation
        .parameters
        .iter()
        .map(|parameter| read(document, operation, parameter));
    let reads = reads.chain(operation.request.as_ref().map(|body| read_body(operation, body)));
    quote! {
        #docs
        #derives
        #[non_exhaustive]
        pub struct #name { #(#fields),* }

        #debug

        impl #name {
            /// Reads all of it before it fails, so that every violation is reported.
            fn read(request: &mut Input) -> Option<Self> {
                #(#reads)*
                Some(Self { #(#names: #names?),* })
            }
        }
    }
}

fn field_name(parameter: &Parameter) -> syn::Ident {
    format_ident!("{}", parameter.field())
}

fn field(parameter: &Parameter) -> TokenStream {
    let docs = doc(&parameter.paragraphs());
    let name = field_name(parameter);
    let ty = rust_type(&parameter.ty, &quote!(models::));
    let ty = if parameter.is_option() { quote!(Option<#ty>) } else { ty };
    let deprecated = parameter.docs.deprecated_attribute();
    quote!(#docs #deprecated pub #name: #ty)
}

fn body_field(body: &Body) -> TokenStream {
    let docs = doc(&body.paragraphs());
    let ty = content_type(&body.content);
    let ty = if body.required || body.content.is_stream() {
        ty
    } else {
        quote!(Option<#ty>)
    };
    quote!(#docs pub body: #ty)
}

fn read_body(operation: &Operation, body: &Body) -> TokenStream {
    let end = if body.required {
        quote!(required())
    } else {
        quote!(optional())
    };
    let rule = rules::name(operation);
    match &body.content.kind {
        ContentKind::Json(_) => quote!(let body = request.json(&#rule).#end;),
        ContentKind::Form(..) => quote!(let body = request.form(&#rule).#end;),
        ContentKind::Multipart(..) => quote!(let body = request.parts(&#rule).#end;),
        ContentKind::Text => quote!(let body = request.text().#end;),
        ContentKind::Lines(_) if body.content.is_sequence() => quote!(let body = Some(request.sequence(&#rule));),
        ContentKind::Lines(_) => quote!(let body = Some(request.lines(&#rule));),
        ContentKind::Events(_) | ContentKind::Bytes => quote!(let body = Some(request.bytes());),
    }
}

fn read(document: &Document, operation: &Operation, parameter: &Parameter) -> TokenStream {
    let local = field_name(parameter);
    let name = &parameter.name;
    if let Some(structure) = &parameter.structure {
        let rule = rules::name_of_parameter(operation, parameter);
        let value = match structure {
            Structure::Deep => quote!(query_object(#name, &#rule)),
            Structure::Members(members) => quote!(query_members(&[#(#members),*], &#rule)),
            Structure::Json => quote!(query_json(#name, &#rule)),
        };
        let end = if parameter.required {
            quote!(required())
        } else {
            quote!(optional())
        };
        return quote!(let #local = request.#value.#end;);
    }
    let location = match parameter.location {
        ParamLocation::Path => format_ident!("path"),
        ParamLocation::Query => format_ident!("query"),
        ParamLocation::Header => format_ident!("header"),
        ParamLocation::Cookie => format_ident!("cookie"),
    };
    let source = match parameter.separator.map(Separator::character) {
        None if !parameter.aliases.is_empty() => {
            let (several, aliases) = (format_ident!("{location}_of"), &parameter.aliases);
            quote!(request.#several(&[#name, #(#aliases),*]))
        }
        Some(None) => quote!(request.query_all(#name)),
        Some(Some(character)) => quote!(request.#location(#name).split(#character)),
        None => quote!(request.#location(#name)),
    };
    let parse = match parameter.ty.without_null() {
        Type::Array(items, limits) => {
            let (min, max) = (
                bound(limits.min.map(Literal::u64_unsuffixed)),
                bound(limits.max.map(Literal::u64_unsuffixed)),
            );
            let (item, unique) = (parse(document, items), limits.unique.then(|| quote!(.unique())));
            quote!(each(|item| item.#item).sized(#min, #max) #unique)
        }
        other => parse(document, other),
    };
    let default = parameter.default.as_ref();
    let end = match default.and_then(|default| rust_value(default, &parameter.ty, &document.schemas, &quote!(models::)))
    {
        Some(default) => quote!(or(#default)),
        None if parameter.required => quote!(required()),
        // Without items, a list is not sent.
        None if parameter.separator.is_some() => quote!(or(Vec::new())),
        None => quote!(optional()),
    };
    quote!(let #local = #source.#parse.#end;)
}

/// The reader of one value.
fn parse(document: &Document, ty: &Type) -> TokenStream {
    match ty.without_null() {
        Type::String(limits) => {
            let (min, max) = (
                bound(limits.min.map(Literal::u64_unsuffixed)),
                bound(limits.max.map(Literal::u64_unsuffixed)),
            );
            let pattern = limits.pattern.as_ref().map(|_| {
                let rule = rules::text(&TextLimits {
                    pattern: limits.pattern.clone(),
                    ..TextLimits::default()
                });
                quote!(.check(|text| #rule.check(text)))
            });
            quote!(text(#min, #max) #pattern)
        }
        Type::Integer(_, limits) => {
            let (min, max) = (
                bound(limits.min.map(Literal::i128_unsuffixed)),
                bound(limits.max.map(Literal::i128_unsuffixed)),
            );
            let multiple = limits.multiple_of.map(|_| {
                let rule = rules::bounds(
                    &NumberLimits {
                        multiple_of: limits.multiple_of,
                        ..NumberLimits::default()
                    },
                    Literal::i128_unsuffixed,
                );
                quote!(.check(|number| #rule.check(i128::from(*number))))
            });
            quote!(integer(#min, #max) #multiple)
        }
        Type::Number(limits) if *limits != NumberLimits::default() => {
            let rule = rules::bounds(limits, Literal::f64_unsuffixed);
            quote!(parse().check(|number| #rule.check(*number)))
        }
        Type::Ref(name) => match document.open_enums.contains(name) {
            true => {
                let values = document.enum_values(name);
                quote!(choice_of(&[#(#values),*]))
            }
            false => quote!(choice()),
        },
        _ => quote!(parse()),
    }
}

fn bound(bound: Option<Literal>) -> TokenStream {
    match bound {
        Some(bound) => quote!(Some(#bound)),
        None => quote!(None),
    }
}
