//! What becomes of progenitor's `send`. Each change fails if it no longer finds what it is about.
//!
//! Kept: the query and the headers of the request. Replaced: the address, since progenitor lets `..` through; the text
//! of values in paths and headers; the `api-version` header; and all that comes after the request is built, which our
//! transport does (credentials, errors, decoding).

use quote::{format_ident, quote};
use syn::visit_mut::{VisitMut, visit_expr_method_call_mut, visit_expr_mut, visit_local_mut};
use syn::{Block, Expr, ExprLit, ExprMethodCall, ImplItemFn, Lit, Member, Pat, Stmt, parse_quote};

use super::internal;
use crate::Error;
use crate::document::{Location, Operation, Parameter, Type};
use crate::rust::{constant_name, present, rust_type};

/// `send` ends where progenitor has built the request.
pub(super) fn send(function: &mut ImplItemFn, operation: &Operation) -> Result<(), Error> {
    let body = rust_type(&operation.body, &quote!(models::));
    let constant = constant_name(operation);
    function.attrs = vec![parse_quote!(#[doc = " Sends the request and reads the answer."])];
    function.sig.output = parse_quote!(-> Result<Response<#body>, Error>);
    let block = &mut function.block;
    let end = position(block, "info")?;
    block.stmts.truncate(end);
    block.stmts.push(Stmt::Expr(
        parse_quote!(client.call(&operations::#constant, request).await),
        None,
    ));
    let url = position(block, "url")?;
    block.stmts[url] = address(operation);
    headers(block, operation)?;
    Changes { operation }.visit_block_mut(block);
    Ok(())
}

/// Where `send` declares a variable.
fn position(block: &Block, name: &str) -> Result<usize, Error> {
    let declares = |statement: &Stmt| match statement {
        Stmt::Local(local) => matches!(&local.pat, Pat::Ident(pat) if pat.ident == name),
        _ => false,
    };
    let found = block.stmts.iter().position(declares);
    found.ok_or_else(|| internal(format!("`send` no longer has a `{name}`")))
}

/// The address: the transport knows the operation's server, and lets no value leave its path segment.
fn address(operation: &Operation) -> Stmt {
    let constant = constant_name(operation);
    let segments = operation.path.split('/').filter_map(|segment| {
        let name = segment.strip_prefix('{')?.strip_suffix('}')?;
        let parameter = operation
            .parameters
            .iter()
            .find(|parameter| parameter.location == Location::Path && parameter.name == name)?;
        let value = format_ident!("{}", parameter.field());
        Some(match present(&parameter.ty) {
            Type::DateTime => quote!(&#value.to_rfc3339()),
            _ => quote!(&#value),
        })
    });
    parse_quote!(let url = client.url(&operations::#constant, &[#(#segments),*])?;)
}

/// Progenitor sends the document's version with every call, in a header that the interface does not have.
fn headers(block: &mut Block, operation: &Operation) -> Result<(), Error> {
    let version = block
        .stmts
        .iter()
        .position(|statement| match statement {
            Stmt::Expr(Expr::MethodCall(call), _) => call.method == "append" && parameter(operation, call).is_none(),
            _ => false,
        })
        .ok_or_else(|| internal("`send` no longer adds the `api-version` header"))?;
    block.stmts.remove(version);
    let map = position(block, "header_map")?;
    if has_headers(operation) {
        block.stmts[map] = parse_quote!(let mut header_map = reqwest::header::HeaderMap::new(););
    } else {
        block.stmts.remove(map);
    }
    Ok(())
}

fn has_headers(operation: &Operation) -> bool {
    operation
        .parameters
        .iter()
        .any(|parameter| parameter.location == Location::Header)
}

/// The parameter that is added to the headers.
fn parameter<'o>(operation: &'o Operation, append: &ExprMethodCall) -> Option<&'o Parameter> {
    let Some(Expr::Lit(ExprLit {
        lit: Lit::Str(name), ..
    })) = append.args.first()
    else {
        return None;
    };
    operation
        .parameters
        .iter()
        .find(|parameter| parameter.location == Location::Header && parameter.name == name.value())
}

/// The small changes inside `send`.
struct Changes<'o> {
    operation: &'o Operation,
}

impl VisitMut for Changes<'_> {
    fn visit_local_mut(&mut self, local: &mut syn::Local) {
        if let Pat::Ident(pat) = &mut local.pat
            && pat.ident == "request"
        {
            pat.mutability = None;
            local.attrs.clear();
        }
        visit_local_mut(self, local);
    }

    fn visit_expr_method_call_mut(&mut self, call: &mut ExprMethodCall) {
        visit_expr_method_call_mut(self, call);
        if call.method == "append"
            && let Some(parameter) = parameter(self.operation, call)
            && let Some(text) = call.args.last_mut()
        {
            // The value of an optional parameter is unwrapped around this.
            let value = format_ident!(
                "{}",
                if parameter.required {
                    parameter.field()
                } else {
                    "value".to_owned()
                }
            );
            *text = match present(&parameter.ty) {
                Type::String { .. } => parse_quote!(#value.try_into()?),
                Type::DateTime => parse_quote!(#value.to_rfc3339().try_into()?),
                _ => parse_quote!(#value.to_string().try_into()?),
            };
        }
    }

    fn visit_expr_mut(&mut self, expression: &mut Expr) {
        visit_expr_mut(self, expression);
        match expression {
            Expr::Path(path) if is(&path.path, &["Error", "InvalidRequest"]) => {
                *expression = parse_quote!(Error::invalid_request);
            }
            // `.headers(header_map)` adds nothing once `api-version` is gone.
            Expr::MethodCall(call) if call.method == "headers" && !has_headers(self.operation) => {
                *expression = (*call.receiver).clone();
            }
            Expr::Field(field)
                if matches!(&field.member, Member::Named(name) if name == "client")
                    && matches!(&*field.base, Expr::Path(base) if is(&base.path, &["client"])) =>
            {
                *expression = parse_quote!(client.http());
            }
            _ => {}
        }
    }
}

fn is(path: &syn::Path, names: &[&str]) -> bool {
    path.segments.len() == names.len()
        && path
            .segments
            .iter()
            .zip(names)
            .all(|(segment, name)| segment.ident == name)
}
