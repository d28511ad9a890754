//! Imports of generated code: the runtime of each crate, from the kit, and items of other files of the crate.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use crate::Error;
use crate::output::GeneratedFile;

/// The module, which each crate has at its root, too.
pub(crate) const MODULE: &str = "codegen";

/// The file of a crate, named by its directory. `others` are imported beside the kit's crate.
pub(crate) fn emit(name: &str, others: &TokenStream) -> Result<GeneratedFile, Error> {
    // `models` is a crate of types.
    let kit = match name {
        "models" => format_ident!("wearlab_kit_types"),
        other => format_ident!("wearlab_kit_{other}"),
    };
    let items = quote! {
        pub(crate) use #kit as kit;
        pub(crate) use #kit::codegen::*;

        #others
    };
    let path = format!("crates/{name}/src/generated/{MODULE}.rs");
    GeneratedFile::new(path, "Imports of generated code.", items)
}

/// The declaration of the module. Not every document needs every import.
pub(crate) fn module() -> TokenStream {
    let module = format_ident!("{MODULE}");
    quote! {
        #[allow(unused_imports, clippy::allow_attributes, reason = "the document decides what is needed")]
        pub(crate) mod #module;
    }
}
