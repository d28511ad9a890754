//! Tables of the parts of bodies (`multipart/form-data`), shared by client, server and mocks.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use crate::document::{Field, FieldKind};

/// The table of the parts of a body.
pub(crate) fn fields(fields: &[Field]) -> TokenStream {
    let rows = fields.iter().map(|field| {
        let (name, content_types) = (&field.name, &field.content_types);
        let kind = match field.kind {
            FieldKind::Text => format_ident!("text"),
            FieldKind::Json => format_ident!("json"),
            FieldKind::File => format_ident!("file"),
        };
        let list = field.list.then(|| quote!(.list()));
        let of = (!content_types.is_empty()).then(|| quote!(.of(&[#(#content_types),*])));
        quote!(Field::#kind(#name) #list #of)
    });
    quote!(&[#(#rows),*])
}
