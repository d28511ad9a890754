//! Named changes to what progenitor writes. Each fails if it no longer finds what it is about.
//!
//! Kept: the builder structs, their setters, the address and the query of each request. Replaced: the tail of
//! `send`, which our transport does (credentials, errors, decoding); the encoding of path values, which lets `..`
//! through; the `api-version` header; the text of setter errors. Left out: types, which are the models', and the
//! client struct, which is ours.

use std::collections::BTreeMap;

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};
use syn::punctuated::Punctuated;
use syn::visit_mut::VisitMut;
use syn::{Block, Expr, ImplItem, ImplItemFn, Item, Pat, Stmt, Token, parse_quote};

use crate::Error;
use crate::debug::debug;
use crate::document::{Location, Operation};
use crate::output::doc;
use crate::rust::{builder_name, constant_name, rust_type};
use crate::short_paths::ShortPaths;

/// The builder struct of each operation, with its implementation.
pub(super) struct Builders {
    items: BTreeMap<String, Vec<Item>>,
}

impl Builders {
    /// Takes the builders out of a generated client.
    pub(super) fn from_progenitor(tokens: TokenStream) -> Result<Self, Error> {
        let file: syn::File = syn::parse2(tokens).map_err(internal)?;
        let mut items: BTreeMap<String, Vec<Item>> = BTreeMap::new();
        let builder = file
            .items
            .into_iter()
            .find_map(|item| match item {
                Item::Mod(module) if module.ident == "builder" => module.content,
                _ => None,
            })
            .ok_or_else(|| internal("progenitor wrote no `mod builder`"))?;
        for item in builder.1 {
            let name = match &item {
                Item::Use(_) => continue,
                Item::Struct(item) => item.ident.to_string(),
                Item::Impl(item) => type_name(&item.self_ty),
                other => {
                    return Err(internal(format!(
                        "unforeseen in `mod builder`: {}",
                        other.to_token_stream()
                    )));
                }
            };
            items.entry(name).or_default().push(item);
        }
        Ok(Self { items })
    }

    /// The trimmed builder of an operation.
    pub(super) fn take(&mut self, operation: &Operation) -> Result<TokenStream, Error> {
        let name = builder_name(operation).to_string();
        let items = self
            .items
            .remove(&name)
            .ok_or_else(|| internal(format!("progenitor wrote no `{name}`")))?;
        let mut out = TokenStream::new();
        for item in items {
            match item {
                Item::Struct(mut item) => {
                    let docs = doc(&[format!("A call of [`Client::{}`], before it is sent.", operation.id)]);
                    let fields: Vec<_> = item
                        .fields
                        .iter()
                        .filter_map(|field| field.ident.clone())
                        .map(|ident| (ident.clone(), is_sensitive(&ident, operation)))
                        .collect();
                    let ident = &item.ident;
                    let (derive_debug, debug) = debug(&quote!(#ident<'_>), &fields, &quote!(format_args!("..")));
                    item.attrs = vec![
                        parse_quote!(#[derive(Clone #derive_debug)]),
                        parse_quote!(#[must_use = "a call does nothing until it is sent"]),
                    ];
                    ShortPaths.visit_item_struct_mut(&mut item);
                    out.extend(quote!(#docs #item #debug));
                }
                Item::Impl(mut item) => {
                    for member in &mut item.items {
                        if let ImplItem::Fn(function) = member {
                            trim(function, operation)?;
                        }
                    }
                    ShortPaths.visit_item_impl_mut(&mut item);
                    out.extend(item.into_token_stream());
                }
                _ => {}
            }
        }
        Ok(out)
    }

    /// Fails if progenitor wrote builders that no operation took.
    pub(super) fn finish(self) -> Result<(), Error> {
        match self.items.into_keys().next() {
            None => Ok(()),
            Some(name) => Err(internal(format!("the builder `{name}` belongs to no operation"))),
        }
    }
}

/// Whether a field of a builder holds what must not show.
fn is_sensitive(field: &syn::Ident, operation: &Operation) -> bool {
    operation
        .parameters
        .iter()
        .any(|parameter| parameter.sensitive && *field == parameter.field())
}

fn trim(function: &mut ImplItemFn, operation: &Operation) -> Result<(), Error> {
    match function.sig.ident.to_string().as_str() {
        "new" => {
            // Builders begin at the client's methods.
            function.vis = parse_quote!(pub(crate));
            Ok(())
        }
        "send" => send(function, operation),
        parameter => {
            let parameter = parameter.to_owned();
            setter(function, &parameter, operation)
        }
    }
}

/// A setter keeps its signature; a value that does not convert is told apart by the parameter's name.
fn setter(function: &mut ImplItemFn, field: &str, operation: &Operation) -> Result<(), Error> {
    let parameter = operation
        .parameters
        .iter()
        .find(|parameter| parameter.field() == field)
        .ok_or_else(|| internal(format!("the setter `{field}` of `{}` sets no parameter", operation.id)))?;
    let docs = doc(&parameter.paragraphs());
    let deprecated = parameter.docs.deprecated_attribute();
    let attributes = quote!(#docs #deprecated);
    function.attrs = syn::parse::Parser::parse2(syn::Attribute::parse_outer, attributes).map_err(internal)?;
    let (name, ident) = (&parameter.name, format_ident!("{field}"));
    let convert = quote!(argument(#name, value.try_into()));
    function.block = if parameter.required {
        parse_quote!({ self.#ident = #convert; self })
    } else {
        parse_quote!({ self.#ident = #convert.map(Some); self })
    };
    Ok(())
}

/// `send` ends where progenitor has built the request: the transport does the rest.
fn send(function: &mut ImplItemFn, operation: &Operation) -> Result<(), Error> {
    let body = rust_type(&operation.body, &quote!(models::));
    let constant = constant_name(operation);
    function.attrs = vec![parse_quote!(#[doc = " Sends the request and reads the answer."])];
    function.sig.output = parse_quote!(-> Result<Response<#body>, Error>);
    let end = function
        .block
        .stmts
        .iter()
        .position(|statement| declares(statement, "info"))
        .ok_or_else(|| internal("`send` no longer makes an `OperationInfo`"))?;
    function.block.stmts.truncate(end);
    function.block.stmts.push(Stmt::Expr(
        parse_quote!(client.call(&operations::#constant, request).await),
        None,
    ));
    let headers = operation
        .parameters
        .iter()
        .any(|parameter| parameter.location == Location::Header);
    without_api_version(&mut function.block, headers)?;
    address(&mut function.block, operation)?;
    Changes { headers }.visit_block_mut(&mut function.block);
    Ok(())
}

/// The address: the transport knows the operation's server, and lets no value leave its path segment.
fn address(block: &mut Block, operation: &Operation) -> Result<(), Error> {
    let unforeseen = || {
        internal(format!(
            "the address of `{}` is not of the form that was foreseen",
            operation.id
        ))
    };
    let statement = block
        .stmts
        .iter_mut()
        .find(|statement| declares(statement, "url"))
        .ok_or_else(unforeseen)?;
    let Stmt::Local(local) = &*statement else {
        return Err(unforeseen());
    };
    let Some(Expr::Macro(format)) = local.init.as_ref().map(|init| &*init.expr) else {
        return Err(unforeseen());
    };
    let arguments = format
        .mac
        .parse_body_with(Punctuated::<Expr, Token![,]>::parse_terminated)
        .map_err(internal)?;
    let mut segments = Vec::new();
    for argument in arguments {
        if let Expr::Call(call) = argument
            && let Some(Expr::Reference(value)) = call.args.first()
        {
            segments.push(value.expr.clone());
        }
    }
    if segments.len() != operation.path.matches('{').count() {
        return Err(unforeseen());
    }
    let constant = constant_name(operation);
    *statement = parse_quote!(let url = client.url(&operations::#constant, &[#(#segments),*])?;);
    Ok(())
}

/// Progenitor sends the document's version with every call, in a header that the interface does not have.
fn without_api_version(block: &mut Block, other_headers: bool) -> Result<(), Error> {
    let before = block.stmts.len();
    block.stmts.retain(|statement| {
        let adds_version = statement.to_token_stream().to_string().contains("api-version");
        !(adds_version || declares(statement, "header_map") && !other_headers)
    });
    if block.stmts.len() + 1 + usize::from(!other_headers) != before {
        return Err(internal("`send` no longer adds the `api-version` header"));
    }
    Ok(())
}

fn declares(statement: &Stmt, name: &str) -> bool {
    match statement {
        Stmt::Local(local) => matches!(&local.pat, Pat::Ident(pat) if pat.ident == name),
        _ => false,
    }
}

/// The small changes inside `send`.
struct Changes {
    /// Whether the operation has header parameters.
    headers: bool,
}

impl VisitMut for Changes {
    fn visit_local_mut(&mut self, local: &mut syn::Local) {
        if let Pat::Ident(pat) = &mut local.pat
            && pat.ident == "request"
        {
            pat.mutability = None;
            local.attrs.clear();
        }
        syn::visit_mut::visit_local_mut(self, local);
    }

    fn visit_expr_mut(&mut self, expression: &mut Expr) {
        syn::visit_mut::visit_expr_mut(self, expression);
        let text = expression.to_token_stream().to_string();
        match expression {
            Expr::Path(_) if text == "Error :: InvalidRequest" => *expression = parse_quote!(Error::invalid_request),
            // `.headers(header_map)` adds nothing once `api-version` is gone.
            Expr::MethodCall(call) if call.method == "headers" && !self.headers => {
                *expression = (*call.receiver).clone();
            }
            Expr::Field(_) if text == "client . client" => *expression = parse_quote!(client.http()),
            _ => {}
        }
    }
}

fn type_name(ty: &syn::Type) -> String {
    match ty {
        syn::Type::Path(path) => path
            .path
            .segments
            .last()
            .map(|last| last.ident.to_string())
            .unwrap_or_default(),
        _ => String::new(),
    }
}

fn internal(error: impl ToString) -> Error {
    Error::internal("client", error)
}
