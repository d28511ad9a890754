//! The trait for back ends that implement a part of the interface: that of all operations, with defaults.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{FnArg, Ident, Item, ItemTrait, ItemUse, Pat, TraitItem, TraitItemFn};

use crate::Error;
use crate::output::GeneratedFile;

/// Follows the file of the traits, so that another kind of argument needs nothing here.
pub(super) fn emit(traits: &GeneratedFile, path: String) -> Result<GeneratedFile, Error> {
    let internal = |error: syn::Error| Error::internal("server", error);
    let file = syn::parse_file(&traits.text).map_err(internal)?;
    let (mut imports, mut auth, mut api): (Vec<ItemUse>, _, _) = (Vec::new(), None, None);
    for item in file.items {
        match item {
            Item::Use(item) => imports.push(item),
            Item::Trait(item) if item.ident == "Auth" => auth = Some(item),
            Item::Trait(item) if item.ident == "Api" => api = Some(item),
            _ => {}
        }
    }
    let (Some(auth), Some(api)) = (auth, api) else {
        return Err(Error::internal("server", "there is no `Auth` or no `Api`"));
    };
    let types = auth.items.iter().filter_map(|item| match item {
        TraitItem::Type(item) => {
            let name = &item.ident;
            Some(quote!(type #name = T::#name;))
        }
        _ => None,
    });
    let defaults = functions(&api).map(default);
    let (checks, calls) = (functions(&auth).map(delegate), functions(&api).map(delegate));
    GeneratedFile::new(
        path,
        "For back ends that implement a part of the interface.",
        quote! {
            #(#imports)*
            use super::{Api, Auth};

            /// The operations of the interface, one method each. Each has a default, which responds 501.
            ///
            /// [`Partial`] makes an [`Api`] of it. Prefer [`Api`] for a back end that has all operations: there, a missing
            /// one does not compile.
            pub trait PartialApi: Auth { #(#defaults)* }

            /// An [`Api`] of a back end that implements a part of it.
            #[derive(Clone, Copy, Debug)]
            pub struct Partial<T>(pub T);

            impl<T: Auth> Auth for Partial<T> {
                #(#types)*
                #(#checks)*
            }

            impl<T: PartialApi> Api for Partial<T> { #(#calls)* }
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
