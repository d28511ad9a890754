//! `Debug` of generated structs: derived, or an `impl` where a field is redacted.

use proc_macro2::TokenStream;
use quote::quote;
use syn::Ident;

/// The `derive` of a struct, with a leading comma, or else the `impl` where one of the fields is sensitive.
/// `placeholder` is the expression that is shown for such a field.
pub(crate) fn debug(
    name: &Ident,
    generics: Option<TokenStream>,
    fields: &[(Ident, bool)],
    placeholder: &TokenStream,
) -> (TokenStream, TokenStream) {
    if !fields.iter().any(|(_, sensitive)| *sensitive) {
        return (quote!(, Debug), quote!());
    }
    let shown = fields.iter().map(|(ident, sensitive)| {
        let label = ident.to_string();
        if *sensitive {
            quote!(.field(#label, &#placeholder))
        } else {
            quote!(.field(#label, &self.#ident))
        }
    });
    let text = name.to_string();
    let written = quote! {
        impl std::fmt::Debug for #name #generics {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.debug_struct(#text) #(#shown)* .finish()
            }
        }
    };
    (quote!(), written)
}
