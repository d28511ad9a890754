//! Values of one of several types, in enums that are `#[non_exhaustive]` and keep unknown values.

use super::change::Element;
use super::context::Context;
use super::pairs::pairs;
use super::types::describe;
use super::{Change, Impact, Kind, limits};
use crate::document::{Union, Variant};

pub(super) fn compare(element: &Element, context: &Context<'_>, old: &Union, new: &Union) -> Vec<Change> {
    let mut changes = Vec::new();
    if old.discriminator != new.discriminator {
        let what = match &new.discriminator {
            Some(property) => format!("its variants are told apart by `{property}`"),
            None => "its variants are told apart by their shapes".to_owned(),
        };
        changes.push(element.change(Kind::UnionDiscriminator, what).breaks_both());
    }
    changes.extend(limits::union(element, element.direction, old, new));
    let same = |a: &Variant, b: &Variant| a.name == b.name;
    for pair in pairs(&old.variants, &new.variants, &[&same]) {
        changes.extend(match pair {
            (None, Some(variant)) => {
                let what = format!("the variant {} is new", variant.name);
                let change = element.change(Kind::ValueAdded, what);
                vec![change.impacts(Impact::Additive, Impact::Additive)]
            }
            (Some(variant), None) => {
                let what = format!("the variant {} is gone", variant.name);
                vec![element.change(Kind::ValueRemoved, what).breaks_both()]
            }
            (Some(before), Some(after)) => both(
                element,
                context,
                old.discriminator == new.discriminator,
                (before, after),
            ),
            (None, None) => Vec::new(),
        });
    }
    let names = |union: &Union, other: &Union| -> Vec<String> {
        let named = |name: &str| other.variants.iter().any(|variant| variant.name == name);
        let names = union.variants.iter().map(|variant| variant.name.clone());
        names.filter(|name| named(name)).collect()
    };
    if new.discriminator.is_none() && names(old, new) != names(new, old) {
        let what = "the order of its variants changed";
        let change = element.change(Kind::ValuesReordered, what).breaks_both();
        changes.push(change.note("the first one that fits a value is chosen"));
    }
    changes
}

fn both(
    element: &Element,
    context: &Context<'_>,
    same_property: bool,
    (old, new): (&Variant, &Variant),
) -> Vec<Change> {
    let name = &new.name;
    if context.old_type(&old.ty) != context.new_type(&new.ty) || old.boxed != new.boxed {
        let shown = |variant: &Variant| {
            let boxed = if variant.boxed { " in a `Box`" } else { "" };
            format!("{}{boxed}", describe(&variant.ty))
        };
        let what = format!("the variant {name} is of type {}, was {}", shown(new), shown(old));
        return vec![element.change(Kind::SchemaType, what).breaks_both()];
    }
    if same_property && old.tags != new.tags {
        let what = format!(
            "the variant {name} is named {}, was {}",
            new.tags.join(", "),
            old.tags.join(", ")
        );
        return vec![element.change(Kind::UnionDiscriminator, what).breaks_both()];
    }
    limits::compare(
        element,
        element.direction,
        &format!("the variant {name}"),
        &old.ty,
        &new.ty,
    )
}
