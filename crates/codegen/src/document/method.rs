//! The methods of operations.

/// A method that an operation may have. A path with GET has HEAD by itself, unless it declares it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Method {
    Get,
    Put,
    Post,
    Patch,
    Delete,
    Head,
    Options,
}

impl Method {
    /// The method of a key of a path item.
    pub(crate) fn of_key(key: &str) -> Option<Self> {
        Some(match key {
            "get" => Self::Get,
            "put" => Self::Put,
            "post" => Self::Post,
            "patch" => Self::Patch,
            "delete" => Self::Delete,
            "head" => Self::Head,
            "options" => Self::Options,
            _ => return None,
        })
    }

    /// The key in a path item, which is also the function of the router.
    pub(crate) fn key(self) -> &'static str {
        match self {
            Self::Get => "get",
            Self::Put => "put",
            Self::Post => "post",
            Self::Patch => "patch",
            Self::Delete => "delete",
            Self::Head => "head",
            Self::Options => "options",
        }
    }

    /// The name on the wire, which is also the name of the constant.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Put => "PUT",
            Self::Post => "POST",
            Self::Patch => "PATCH",
            Self::Delete => "DELETE",
            Self::Head => "HEAD",
            Self::Options => "OPTIONS",
        }
    }
}
