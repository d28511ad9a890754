//! The rules of bodies of requests: a table for each schema that one contains, and for each body that has no schema of its
//! own.

use std::collections::BTreeSet;

use heck::ToShoutySnakeCase;
use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};
use syn::Ident;

use crate::Error;
use crate::document::{
    Document, Members, NumberLimits, Operation, Parameter, Property, Schema, SchemaKind, SizeLimits, TextLimits, Type,
    Union, Width, pattern,
};
use crate::output::GeneratedFile;
use crate::rust::{constant_name, rust_type};

/// The name of the module of the tables.
pub(super) const MODULE: &str = "body_rules";

/// The file of the tables, unless no operation has a body with one.
pub(super) fn emit(document: &Document, path: String) -> Result<Option<GeneratedFile>, Error> {
    let checked: Vec<_> = document.operations.iter().flat_map(checked).collect();
    if checked.is_empty() {
        return Ok(None);
    }
    let contained = contained(document, checked.iter().map(|(_, ty)| *ty));
    let mut items = quote!(
        use crate::codegen::schema_rules::*;
    );
    for schema in document
        .schemas
        .iter()
        .filter(|schema| contained.contains(schema.name.as_str()))
    {
        let (name, rule) = (schema_name(&schema.name), of_schema(schema));
        items.extend(quote!(pub(super) static #name: Rule = #rule;));
    }
    for (name, ty) in checked {
        if !matches!(ty, Type::Ref(_)) {
            let rule = of_type(ty);
            items.extend(quote!(pub(super) static #name: Rule = #rule;));
        }
    }
    GeneratedFile::new(
        path,
        "What bodies of requests must be, and parameters that are objects or JSON.",
        items,
    )
    .map(Some)
}

/// The table of an operation's body.
pub(super) fn name(operation: &Operation) -> Option<TokenStream> {
    let (name, ty) = body(operation)?;
    Some(path(name, ty))
}

/// The table of a parameter that is an object or JSON.
pub(super) fn name_of_parameter(operation: &Operation, parameter: &Parameter) -> TokenStream {
    let (name, ty) = self::parameter(operation, parameter);
    path(name, ty)
}

fn path(own: Ident, ty: &Type) -> TokenStream {
    let name = match ty {
        Type::Ref(name) => schema_name(name),
        _ => own,
    };
    let module = format_ident!("{MODULE}");
    quote!(super::#module::#name)
}

/// The body of a table, with the name that it has without a schema.
fn checked(operation: &Operation) -> impl Iterator<Item = (Ident, &Type)> {
    let structured = operation
        .parameters
        .iter()
        .filter(|parameter| parameter.structure.is_some());
    body(operation)
        .into_iter()
        .chain(structured.map(|parameter| self::parameter(operation, parameter)))
}

fn body(operation: &Operation) -> Option<(Ident, &Type)> {
    let ty = operation.request.as_ref()?.content.ty()?;
    Some((format_ident!("{}_BODY", constant_name(operation)), ty))
}

fn parameter<'d>(operation: &Operation, parameter: &'d Parameter) -> (Ident, &'d Type) {
    let field = parameter.field().to_shouty_snake_case();
    let name = format_ident!("{}_{field}_VALUE", constant_name(operation));
    (name, parameter.ty.without_null())
}

/// Tables of schemas end in `_RULE`, those of bodies in `_BODY`, those of parameters in `_VALUE`.
fn schema_name(schema: &str) -> Ident {
    format_ident!("{}_RULE", schema.to_shouty_snake_case())
}

/// The names of all schemas that types contain.
fn contained<'d>(document: &'d Document, types: impl Iterator<Item = &'d Type>) -> BTreeSet<&'d str> {
    let (mut names, mut rest) = (BTreeSet::new(), Vec::new());
    types.for_each(|ty| ty.references(&mut rest));
    while let Some(name) = rest.pop() {
        if names.insert(name)
            && let Some(schema) = document.schemas.iter().find(|schema| schema.name == name)
        {
            rest.extend(schema.references());
        }
    }
    names
}

fn of_schema(schema: &Schema) -> TokenStream {
    match &schema.kind {
        SchemaKind::Object { properties, members } => object(properties, members, &schema.size),
        SchemaKind::OpenEnum(_) => quote!(Rule::Text(TextRule::ANY)),
        SchemaKind::ClosedEnum(values) => quote!(Rule::Choice(&[#(#values),*])),
        SchemaKind::IntegerEnum(_) => of_type(&Type::Integer(Width::I64, NumberLimits::default())),
        SchemaKind::Union(union) => of_union(union),
        SchemaKind::Alias(ty) => of_type(ty),
    }
}

fn object(properties: &[Property], members: &Members, limits: &SizeLimits) -> TokenStream {
    let properties = properties.iter().map(|property| {
        let name = &property.name;
        let nullable = matches!(property.ty, Type::Nullable(_));
        let presence = match (property.required, property.default.is_some()) {
            // The models read it as absent, too.
            (_, true) => quote!(OrNull),
            (true, false) if nullable => quote!(Optional),
            (true, false) => quote!(Required),
            // Null differs from absence where the document does not allow it.
            (false, false) if nullable => quote!(OrNull),
            (false, false) => quote!(Optional),
        };
        let rule = of_type(&property.ty);
        let aliases = &property.aliases;
        let rule = match aliases.is_empty() {
            true => rule,
            false => quote!(Rule::Aliased(&[#(#aliases),*], &#rule)),
        };
        quote!(Member(#name, Presence::#presence, #rule))
    });
    let others = match members {
        Members::Ignored | Members::Kept => quote!(Others::Allowed),
        Members::Refused => quote!(Others::Refused),
        Members::Typed(ty) => {
            let rule = of_type(ty);
            quote!(Others::Of(&#rule))
        }
    };
    let size = size(limits);
    quote!(Rule::Object(&[#(#properties),*], #others, #size))
}

fn of_union(union: &Union) -> TokenStream {
    let rules = union.variants.iter().map(|variant| of_type(&variant.ty));
    match &union.discriminator {
        Some(property) => {
            let choices = union.variants.iter().zip(rules).map(|(variant, rule)| {
                let tags = &variant.tags;
                quote!((&[#(#tags),*], #rule))
            });
            quote!(Rule::Tagged(#property, &[#(#choices),*]))
        }
        None if union.exclusive => quote!(Rule::ExactlyOne(&[#(#rules),*])),
        None => quote!(Rule::OneOf(&[#(#rules),*])),
    }
}

fn of_type(ty: &Type) -> TokenStream {
    match ty {
        Type::Any => quote!(Rule::Any),
        Type::Boolean => quote!(Rule::Boolean),
        Type::String(TextLimits { only: Some(text), .. }) => quote!(Rule::Choice(&[#text])),
        Type::String(limits) | Type::Secret(limits) => {
            let rule = text(limits);
            quote!(Rule::Text(#rule))
        }
        Type::File(limits) => {
            let size = size(limits);
            quote!(Rule::File(#size))
        }
        Type::DateTime => quote!(Rule::DateTime),
        Type::Uuid | Type::Date | Type::Ipv4 | Type::Ipv6 => {
            let ty = rust_type(ty, &quote!());
            quote!(Rule::Parsed(parsed::<#ty>))
        }
        Type::Integer(width, limits) => {
            let (least, most) = width.range();
            let limits = NumberLimits {
                min: limits.min.or(Some(least)),
                max: limits.max.or(Some(most)),
                ..limits.clone()
            };
            let bounds = bounds(&limits, Literal::i128_unsuffixed);
            quote!(Rule::Integer(#bounds))
        }
        Type::Number(limits) => {
            let bounds = bounds(limits, Literal::f64_unsuffixed);
            quote!(Rule::Number(#bounds))
        }
        Type::Array(items, limits) => {
            let (items, size) = (of_type(items), size(limits));
            quote!(Rule::List(&#items, #size))
        }
        Type::Open(limits) => {
            let size = size(limits);
            quote!(Rule::Map(&Rule::Any, &Rule::Any, #size))
        }
        Type::Map {
            keys,
            values,
            size: limits,
        } => {
            let keys = keys.as_deref().map_or_else(|| quote!(Rule::Any), see);
            let (values, size) = (of_type(values), size(limits));
            quote!(Rule::Map(&#keys, &#values, #size))
        }
        Type::Ref(name) => see(name),
        Type::Nullable(inner) => {
            let inner = of_type(inner);
            quote!(Rule::Nullable(&#inner))
        }
    }
}

fn see(schema: &str) -> TokenStream {
    let name = schema_name(schema);
    quote!(Rule::See(&#name))
}

/// The limits of a text.
pub(super) fn text(limits: &TextLimits) -> TokenStream {
    let pattern = limits
        .pattern
        .as_deref()
        .and_then(|pattern| pattern::translate(pattern).ok());
    let limits = [
        limits
            .min
            .map(|min| (format_ident!("min"), Literal::u64_unsuffixed(min))),
        limits
            .max
            .map(|max| (format_ident!("max"), Literal::u64_unsuffixed(max))),
        pattern.map(|pattern| (format_ident!("pattern"), Literal::string(&pattern))),
    ];
    some(&quote!(TextRule), limits.len(), limits.into_iter().flatten().collect())
}

/// The limits of a number.
pub(super) fn bounds<T: Copy>(limits: &NumberLimits<T>, literal: fn(T) -> Literal) -> TokenStream {
    let limits = [
        ("min", limits.min),
        ("max", limits.max),
        ("above", limits.above),
        ("below", limits.below),
        ("multiple_of", limits.multiple_of),
    ];
    let limits = limits
        .into_iter()
        .filter_map(|(name, limit)| Some((format_ident!("{name}"), literal(limit?))));
    some(&quote!(Bounds), 5, limits.collect())
}

fn size(limits: &SizeLimits) -> TokenStream {
    let bounds = [("min", limits.min), ("max", limits.max)];
    let bounds = bounds.into_iter().filter_map(|(name, bound)| {
        let (name, bound) = (format_ident!("{name}"), Literal::u64_unsuffixed(bound?));
        Some(quote!(#name: Some(#bound)))
    });
    let set: Vec<_> = bounds.chain(limits.unique.then(|| quote!(unique: true))).collect();
    match set.len() {
        0 => quote!(Size::ANY),
        3 => quote!(Size { #(#set),* }),
        _ => quote!(Size { #(#set,)* ..Size::ANY }),
    }
}

/// Limits, some of which are set.
fn some(name: &TokenStream, all: usize, set: Vec<(Ident, Literal)>) -> TokenStream {
    if set.is_empty() {
        return quote!(#name::ANY);
    }
    let set: Vec<_> = set.iter().map(|(name, value)| quote!(#name: Some(#value))).collect();
    // Clippy rejects an empty rest.
    let rest = (set.len() < all).then(|| quote!(..#name::ANY));
    quote!(#name { #(#set,)* #rest })
}
