//! A value of a call: an argument of the client's method if it is required, or else a setter.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::Ident;

use crate::document::{Body, Docs, Parameter, Type};
use crate::output::doc;
use crate::rust::upload_type;
use crate::wrap::wrap;

/// A parameter, or the body.
pub(super) struct Field<'o> {
    pub(super) ident: Ident,
    /// The type of its value.
    ty: TokenStream,
    source: Source<'o>,
}

enum Source<'o> {
    Parameter(&'o Parameter),
    Body(&'o Body),
}

impl<'o> Field<'o> {
    pub(super) fn parameter(parameter: &'o Parameter, ty: TokenStream) -> Self {
        Self {
            ident: format_ident!("{}", parameter.setter()),
            ty,
            source: Source::Parameter(parameter),
        }
    }

    pub(super) fn body(body: &'o Body) -> Self {
        Self {
            ident: format_ident!("body"),
            ty: upload_type(&body.content),
            source: Source::Body(body),
        }
    }

    /// Returns whether it is required to begin a call.
    pub(super) fn is_argument(&self) -> bool {
        match self.source {
            Source::Parameter(parameter) => parameter.is_argument(),
            Source::Body(body) => body.required,
        }
    }

    /// Returns whether `Debug` hides its value.
    pub(super) fn is_sensitive(&self) -> bool {
        matches!(self.source, Source::Parameter(parameter) if parameter.sensitive)
    }

    /// The field in the struct of the call.
    pub(super) fn declaration(&self) -> TokenStream {
        let (ident, ty) = (&self.ident, &self.ty);
        if self.is_argument() {
            quote!(#ident: #ty)
        } else {
            quote!(#ident: Option<#ty>)
        }
    }

    /// The argument of the client's method.
    pub(super) fn argument(&self) -> TokenStream {
        let (ident, accepted) = (&self.ident, self.accepted());
        quote!(#ident: #accepted)
    }

    /// The value at the beginning of a call.
    pub(super) fn first_value(&self) -> TokenStream {
        let (ident, value) = (&self.ident, self.value());
        match (self.is_argument(), self.converts()) {
            (true, false) => quote!(#ident),
            (true, true) => quote!(#ident: #value),
            (false, _) => quote!(#ident: None),
        }
    }

    /// The setter.
    pub(super) fn setter(&self) -> TokenStream {
        let (ident, argument, value) = (&self.ident, self.argument(), self.value());
        let (paragraphs, deprecated) = match self.source {
            Source::Parameter(parameter) => (parameter.paragraphs(), parameter.docs.deprecated_attribute()),
            Source::Body(body) => (body.paragraphs(), None),
        };
        let docs = doc(&paragraphs);
        quote! {
            #docs
            #deprecated
            pub fn #ident(mut self, #argument) -> Self {
                self.#ident = Some(#value);
                self
            }
        }
    }

    /// The item in the list of arguments.
    pub(super) fn list_item(&self) -> String {
        let (text, docs) = match self.source {
            Source::Parameter(parameter) => (parameter.line(), Some(&parameter.docs)),
            Source::Body(body) => (body.line(), None),
        };
        let deprecation = docs.and_then(Docs::deprecation);
        let about = [Some(text), deprecation].into_iter().flatten();
        let about: Vec<_> = about.filter(|text| !text.is_empty()).collect();
        let text = match about.is_empty() {
            true => format!("`{}`", self.ident),
            false => format!("`{}`: {}", self.ident, about.join(" ")),
        };
        format!("- {}", wrap(&text).join("\n  "))
    }

    /// Returns whether its argument is convertible: text, types that the document names, and streams.
    fn converts(&self) -> bool {
        match self.source {
            Source::Parameter(parameter) => matches!(parameter.ty.without_null(), Type::String(_) | Type::Ref(_)),
            Source::Body(body) => body.content.is_stream(),
        }
    }

    /// The type of its argument or setter.
    fn accepted(&self) -> TokenStream {
        let ty = &self.ty;
        if self.converts() {
            quote!(impl Into<#ty>)
        } else {
            ty.clone()
        }
    }

    /// The value, converted from the argument.
    fn value(&self) -> TokenStream {
        let ident = &self.ident;
        if self.converts() {
            quote!(#ident.into())
        } else {
            quote!(#ident)
        }
    }
}
