//! The types of the generated table of tools.

use std::fmt::Debug;

use wearlab_kit_cli::{Commands, Operation};

/// A document: its operations as tools. Implemented by generated code.
pub trait Tools: Clone + Copy + Debug + Send + Sync + 'static {
    /// The document as the command line has it.
    type Commands: Commands;
    /// The title of the service.
    const TITLE: &'static str;
    /// The version of the document.
    const VERSION: &'static str;
    /// The tools, in the document's order.
    const TOOLS: &'static [&'static Tool<Self::Commands>];
    /// The JSON Schemas that those of arguments refer to, by their names.
    const SCHEMAS: &'static [(&'static str, &'static str)];
    /// The operations that are not tools: they upload or stream bytes.
    const LEFT_OUT: &'static [&'static str];
}

/// An operation as a tool.
pub struct Tool<C: Commands> {
    /// Its name.
    pub name: &'static str,
    /// The tag of the operation.
    pub tag: &'static str,
    /// The operation.
    pub operation: &'static Operation<C>,
    /// The JSON Schemas of the parameters, in the order of the operation.
    pub parameters: &'static [&'static str],
    /// The JSON Schema of the body, if the operation has one.
    pub body: Option<&'static str>,
}
