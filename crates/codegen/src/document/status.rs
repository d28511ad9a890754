//! Statuses of responses, and their names.

/// The status of an error, as the document has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ErrorStatus {
    Exact(u16),
    /// `4XX` or `5XX`: the first digit.
    Class(u16),
    /// Any status that the document does not list.
    Default,
}

impl ErrorStatus {
    pub(super) fn read(status: &str) -> Option<Self> {
        match status {
            "default" => Some(Self::Default),
            "4XX" => Some(Self::Class(4)),
            "5XX" => Some(Self::Class(5)),
            _ => {
                let number = status.parse().ok().filter(|number| (400..600).contains(number))?;
                (status.len() == 3).then_some(Self::Exact(number))
            }
        }
    }

    /// The status in the document.
    pub(crate) fn text(self) -> String {
        match self {
            Self::Exact(number) => number.to_string(),
            Self::Class(digit) => format!("{digit}XX"),
            Self::Default => "default".to_owned(),
        }
    }

    /// The name of its variant.
    pub(crate) fn variant(self) -> String {
        match self {
            Self::Exact(number) => variant(number),
            Self::Class(4) => "ClientError".to_owned(),
            Self::Class(_) => "ServerError".to_owned(),
            Self::Default => "Default".to_owned(),
        }
    }
}

/// The variant of a status: its registered name in Rust's case, or its number.
pub(crate) fn variant(status: u16) -> String {
    let name = match status {
        200 => "Ok",
        201 => "Created",
        202 => "Accepted",
        203 => "NonAuthoritativeInformation",
        204 => "NoContent",
        205 => "ResetContent",
        206 => "PartialContent",
        207 => "MultiStatus",
        301 => "MovedPermanently",
        302 => "Found",
        303 => "SeeOther",
        307 => "TemporaryRedirect",
        308 => "PermanentRedirect",
        400 => "BadRequest",
        401 => "Unauthorized",
        402 => "PaymentRequired",
        403 => "Forbidden",
        404 => "NotFound",
        405 => "MethodNotAllowed",
        406 => "NotAcceptable",
        408 => "RequestTimeout",
        409 => "Conflict",
        410 => "Gone",
        411 => "LengthRequired",
        412 => "PreconditionFailed",
        413 => "ContentTooLarge",
        415 => "UnsupportedMediaType",
        416 => "RangeNotSatisfiable",
        422 => "UnprocessableContent",
        423 => "Locked",
        424 => "FailedDependency",
        428 => "PreconditionRequired",
        429 => "TooManyRequests",
        500 => "InternalServerError",
        501 => "NotImplemented",
        502 => "BadGateway",
        503 => "ServiceUnavailable",
        504 => "GatewayTimeout",
        other => return format!("Status{other}"),
    };
    name.to_owned()
}
