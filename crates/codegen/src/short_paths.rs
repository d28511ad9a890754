//! Shortens full paths in the output of libraries: `Option<String>` instead of
//! `::std::option::Option<::std::string::String>`. Each crate's `codegen` module imports the rest.

use syn::visit_mut::{VisitMut, visit_field_value_mut, visit_path_mut};
use syn::{Expr, Member};

pub(crate) struct ShortPaths;

impl VisitMut for ShortPaths {
    fn visit_field_value_mut(&mut self, field: &mut syn::FieldValue) {
        visit_field_value_mut(self, field);
        if let (Member::Named(name), Expr::Path(value)) = (&field.member, &field.expr)
            && value.path.is_ident(name)
        {
            field.colon_token = None;
        }
    }

    fn visit_path_mut(&mut self, path: &mut syn::Path) {
        visit_path_mut(self, path);
        let full: Vec<_> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        let full: Vec<_> = full.iter().map(String::as_str).collect();
        let kept = match full.as_slice() {
            ["std", "option", "Option"]
            | ["std", "string", "String"]
            | ["std", "vec", "Vec"]
            | ["std", "boxed", "Box"]
            | ["std", "convert", "TryInto"]
            | ["std", "net", "Ipv4Addr" | "Ipv6Addr"]
            | ["uuid", "Uuid"]
            | ["super", "Client"] => 1,
            ["serde_json", "Map"] => {
                *path = syn::parse_quote!(JsonObject);
                return;
            }
            ["serde_json", "Value"] => {
                *path = syn::parse_quote!(JsonValue);
                return;
            }
            _ => return,
        };
        path.leading_colon = None;
        path.segments = path.segments.iter().skip(full.len() - kept).cloned().collect();
    }
}
