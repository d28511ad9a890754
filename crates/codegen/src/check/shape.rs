//! Elements of the grammar: shapes of values, and kinds of objects.

/// The shape of a value.
#[derive(Clone, Copy)]
pub(super) enum Shape {
    /// Any JSON value: examples, defaults.
    Any,
    Text,
    Bool,
    Integer,
    Number,
    /// A list of strings.
    Texts,
    /// A list of any JSON values.
    Values,
    /// A type name, or a type name and `"null"`.
    TypeNames,
    Node(&'static Node),
    /// An object with free keys.
    Map(&'static Shape),
    List(&'static Shape),
    /// `true`, `false` or a schema.
    BoolOrSchema,
    /// A string, true or false, a list of strings, or a reference to a schema.
    Attribute,
}

/// One kind of object of the document.
pub(super) struct Node {
    /// Name in messages.
    pub(super) name: &'static str,
    pub(super) keys: &'static [(&'static str, Shape)],
    pub(super) required: &'static [&'static str],
    /// The references that are allowed in its place: the components that it refers to, and the allowed sibling keys.
    pub(super) reference: Option<(&'static str, &'static [&'static str])>,
}

pub(super) const fn node(
    name: &'static str,
    required: &'static [&'static str],
    keys: &'static [(&'static str, Shape)],
) -> Node {
    Node {
        name,
        keys,
        required,
        reference: None,
    }
}

pub(super) const fn referable(
    name: &'static str,
    component: &'static str,
    required: &'static [&'static str],
    keys: &'static [(&'static str, Shape)],
) -> Node {
    Node {
        name,
        keys,
        required,
        reference: Some((component, &[])),
    }
}

/// An inline schema.
pub(super) const fn schema(
    name: &'static str,
    siblings: &'static [&'static str],
    keys: &'static [(&'static str, Shape)],
) -> Node {
    Node {
        name,
        keys,
        required: &[],
        reference: Some(("schemas", siblings)),
    }
}
