//! Page of the outcome of linking.

use axum::http::StatusCode;
use axum::response::Response;
use wearlab_linking::{ErrorCode, Finished, Linker, Outcome};
use wearlab_models::OAuthProvider;

use super::errors::NOT_AVAILABLE;
use super::layout::Notice;

/// Returns the page of an outcome.
pub(super) async fn page(linker: &Linker, outcome: &Outcome) -> Response {
    match outcome {
        Outcome::Linked(finished) => {
            let name = name(linker, finished).await;
            Notice {
                done: true,
                status: StatusCode::OK,
                title: &format!("{name} is linked"),
                text: "You can close this page, and go back to the app that you came from.",
                link: None,
            }
            .response()
        }
        Outcome::Failed(finished, error) => {
            let name = name(linker, finished).await;
            let again = finished.link_token.as_ref();
            let again = again.map(|token| linker.linking.page_url(token.expose()));
            let (status, title, text) = words(*error);
            Notice {
                done: false,
                status,
                title: &title.replace("{}", &name),
                text: &text.replace("{}", &name),
                link: again.as_deref().map(|url| (url, "Try again")),
            }
            .response()
        }
        Outcome::UnknownState => Notice {
            done: false,
            status: StatusCode::BAD_REQUEST,
            title: "This page is not valid any more",
            text: "Linking takes at most ten minutes, and each attempt counts once. Go back to the app that you came \
                   from, and begin again there.",
            link: None,
        }
        .response(),
        Outcome::OtherBrowser => Notice {
            done: false,
            status: StatusCode::BAD_REQUEST,
            title: "This is not the browser that you began in",
            text: "For your safety, nothing was linked. If you began linking yourself, begin again, and stay in one \
                   browser. If somebody sent you this link, close this page.",
            link: None,
        }
        .response(),
    }
}

/// Returns the display name of a provider.
async fn name(linker: &Linker, finished: &Finished) -> String {
    let slug = &finished.provider;
    let catalogued = linker.store.oauth_provider(slug).await.ok().flatten();
    let catalogued = catalogued.and_then(|provider| serde_json::from_slice::<OAuthProvider>(provider.as_bytes()).ok());
    catalogued.map_or_else(|| slug.clone(), |provider| provider.name)
}

fn words(error: ErrorCode) -> (StatusCode, &'static str, &'static str) {
    let bad = StatusCode::BAD_REQUEST;
    match error {
        ErrorCode::AccessDenied => (
            StatusCode::OK,
            "{} is not linked",
            "You did not give your consent. Nothing was linked.",
        ),
        ErrorCode::ProviderUnavailable | ErrorCode::ServerError | ErrorCode::TemporarilyUnavailable => (
            StatusCode::BAD_GATEWAY,
            "{} does not respond",
            "The provider has a problem at the moment. Nothing was linked. Try again later.",
        ),
        ErrorCode::AlreadyUsed => (
            bad,
            "This page was opened before",
            "Each attempt to link counts once. If {} is not linked yet, try again.",
        ),
        ErrorCode::Expired => (
            bad,
            "{} is not linked",
            "The link that you came by is no longer valid. Go back to the app that you came from, and begin again there.",
        ),
        ErrorCode::UserActionRequired => (
            bad,
            "{} is not linked",
            "{} asks you to do something there first. Sign in at {}, and check your consents, your permissions and your \
             membership. Then try again.",
        ),
        ErrorCode::LinkingNotAvailable => (StatusCode::NOT_IMPLEMENTED, NOT_AVAILABLE.0, NOT_AVAILABLE.1),
        ErrorCode::WrongIssuer | ErrorCode::WrongRedirectUri => (
            bad,
            "{} is not linked",
            "For your safety, nothing was linked: the response did not come from {}.",
        ),
        _ => (
            bad,
            "{} is not linked",
            "The provider did not accept the request. Nothing was linked.",
        ),
    }
}
