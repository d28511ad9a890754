//! Shares of the parts of a document, and their names.

use std::fmt;

/// A part of a document that is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Measure {
    /// Operations.
    Generated,
    /// Operations with every parameter, body, typed success and alternative of credentials.
    Whole,
    /// Parameters in the path.
    Path,
    /// Parameters in the query.
    Query,
    /// Parameters in headers.
    Header,
    /// Parameters in cookies.
    Cookie,
    /// Bodies of requests.
    Bodies,
    /// Successful responses with the type of their body.
    Successes,
    /// Headers of successful responses.
    Headers,
    /// Responses to errors.
    Errors,
    /// Alternatives of credentials.
    Security,
    /// Properties of named and inline schemas.
    Properties,
    /// Properties, of those, with a type where the document declares one.
    Typed,
    /// Values of enums.
    Values,
}

impl Measure {
    /// All measures, in the order of a table.
    pub const ALL: [Self; 14] = [
        Self::Generated,
        Self::Whole,
        Self::Path,
        Self::Query,
        Self::Header,
        Self::Cookie,
        Self::Bodies,
        Self::Successes,
        Self::Headers,
        Self::Errors,
        Self::Security,
        Self::Properties,
        Self::Typed,
        Self::Values,
    ];

    /// The heading of its column in a table.
    pub fn heading(self) -> &'static str {
        match self {
            Self::Generated => "generated",
            Self::Whole => "whole",
            Self::Path => "path",
            Self::Query => "query",
            Self::Header => "header",
            Self::Cookie => "cookie",
            Self::Bodies => "bodies",
            Self::Successes => "successes",
            Self::Headers => "headers",
            Self::Errors => "errors",
            Self::Security => "security",
            Self::Properties => "properties",
            Self::Typed => "typed",
            Self::Values => "values",
        }
    }

    /// The parts, for a sentence.
    pub fn noun(self) -> &'static str {
        match self {
            Self::Generated | Self::Whole => "operations",
            Self::Path => "path parameters",
            Self::Query => "query parameters",
            Self::Header => "header parameters",
            Self::Cookie => "cookie parameters",
            Self::Bodies => "request bodies",
            Self::Successes => "successful responses",
            Self::Headers => "headers of successes",
            Self::Errors => "error responses",
            Self::Security => "alternatives of credentials",
            Self::Properties => "properties",
            Self::Typed => "properties with their type",
            Self::Values => "enum values",
        }
    }
}

/// Number of kept parts, of all that the document declares.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Share {
    /// Parts that generated code has.
    pub kept: usize,
    /// Parts of the document.
    pub all: usize,
}

impl fmt::Display for Share {
    /// Writes a percentage, rounded down, so that only a whole share is 100. Empty without parts.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (1000 * self.kept).checked_div(self.all) {
            Some(thousandths) => f.pad(&format!("{}.{}", thousandths / 10, thousandths % 10)),
            None => f.pad(""),
        }
    }
}
