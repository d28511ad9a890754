//! The trait for back ends that implement a part of the interface: that of all operations, with defaults.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{FnArg, Ident, ItemTrait, Pat, TraitItem, TraitItemFn};

use super::traits;
use crate::Error;
use crate::document::Document;
use crate::output::GeneratedFile;
use crate::responses::response_name;
use crate::rust::{input_name, trait_name};

/// Follows the tokens of the traits, so that other kinds of arguments need no change here.
pub(super) fn emit(document: &Document, path: String) -> Result<GeneratedFile, Error> {
    let parse = |tokens| syn::parse2::<ItemTrait>(tokens).map_err(|error| Error::internal("server", error));
    let auth = parse(traits::auth(document))?;
    let types = auth.items.iter().filter_map(|item| match item {
        TraitItem::Type(item) => {
            let name = &item.ident;
            Some(quote!(type #name = T::#name;))
        }
        _ => None,
    });
    let checks = functions(&auth).map(delegate);
    let (mut names, mut defaults, mut delegates) = (Vec::new(), TokenStream::new(), TokenStream::new());
    for tag in document.operation_tags() {
        let operations: Vec<_> = document.operations_of(tag).collect();
        let name = trait_name(&tag.name);
        let own = parse(traits::of_tag(tag, &operations))?;
        defaults.extend(functions(&own).map(default));
        let calls = functions(&own).map(delegate);
        delegates.extend(quote!(impl<T: PartialApi> #name for Partial<T> { #(#calls)* }));
        names.push(name);
        for operation in operations {
            names.extend(operation.has_input().then(|| input_name(operation)));
            names.extend(operation.is_choice().then(|| response_name(operation)));
        }
    }
    GeneratedFile::new(
        path,
        "For back ends that implement a part of the interface.",
        quote! {
            use super::{Auth #(, #names)*};
            use crate::codegen::*;

            /// The operations of the interface, one method each. Each has a default, which responds 501.
            ///
            /// [`Partial`] makes an [`Api`](super::Api) of it. Prefer the traits of the tags for a back end that has all
            /// operations: there, a missing one does not compile.
            pub trait PartialApi: Auth { #defaults }

            /// An [`Api`](super::Api) of a back end that implements a part of it.
            #[derive(Clone, Copy, Debug)]
            pub struct Partial<T>(pub T);

            impl<T: Auth> Auth for Partial<T> {
                #(#types)*
                #(#checks)*
            }

            #delegates
        },
    )
}

fn functions(of: &ItemTrait) -> impl Iterator<Item = &TraitItemFn> {
    of.items.iter().filter_map(|item| match item {
        TraitItem::Fn(function) => Some(function),
        _ => None,
    })
}

/// The names of the arguments behind `self`.
fn arguments(function: &TraitItemFn) -> Vec<&Ident> {
    let typed = function.sig.inputs.iter().filter_map(|input| match input {
        FnArg::Typed(argument) => Some(&*argument.pat),
        FnArg::Receiver(_) => None,
    });
    let names = typed.filter_map(|pattern| match pattern {
        Pat::Ident(pattern) => Some(&pattern.ident),
        _ => None,
    });
    names.collect()
}

/// A method that responds 501.
fn default(function: &TraitItemFn) -> TokenStream {
    let (attributes, signature, arguments) = (&function.attrs, &function.sig, arguments(function));
    let id = function.sig.ident.to_string();
    quote! {
        #(#attributes)*
        #signature {
            #(let _ = #arguments;)*
            async { Err(ApiError::not_implemented(#id)) }
        }
    }
}

/// A method of the back end.
fn delegate(function: &TraitItemFn) -> TokenStream {
    let (signature, arguments, name) = (&function.sig, arguments(function), &function.sig.ident);
    quote!(#signature { self.0.#name(#(#arguments),*) })
}
