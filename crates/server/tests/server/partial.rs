//! A back end that implements a part of the interface.

use std::sync::Arc;

use axum::body::Body;
use axum::http::{Request, StatusCode};
use tower::ServiceExt;
use wearlab_server::models::CancellationReason;
use wearlab_server::{ApiError, ApiResult, Auth, Partial, PartialApi, Scoped, router};

/// A back end with one operation.
struct Reasons;

/// A caller, with or without permission to read.
struct Caller {
    reads: bool,
}

impl Scoped for Caller {
    fn has_scope(&self, scope: &str) -> bool {
        scope == "read" && self.reads
    }
}

impl Auth for Reasons {
    type TeamApiKey = Caller;
    type LinkToken = ();
    type ManagementKey = Caller;

    async fn team_api_key(&self, credential: &str) -> Result<Caller, ApiError> {
        match credential {
            "secret" => Ok(Caller { reads: true }),
            "no scopes" => Ok(Caller { reads: false }),
            _ => Err(ApiError::unauthorized("Unknown key.")),
        }
    }

    async fn link_token(&self, _: &str) -> Result<(), ApiError> {
        Ok(())
    }

    async fn management_key(&self, _: &str) -> Result<Caller, ApiError> {
        Ok(Caller { reads: true })
    }
}

impl PartialApi for Reasons {
    async fn list_cancellation_reasons(&self, _: Caller) -> ApiResult<Vec<CancellationReason>> {
        Ok(Vec::new().into())
    }
}

async fn status(path: &str, key: &str) -> StatusCode {
    let request = Request::builder().uri(path).header("x-service-api-key", key);
    let request = request.body(Body::empty()).expect("a request");
    let response = router(Arc::new(Partial(Reasons))).oneshot(request).await;
    response.expect("a response").status()
}

#[tokio::test]
async fn an_operation_that_is_left_out_is_a_501() {
    let reasons = "/v3/order/psc/appointment/cancellation-reasons";
    assert_eq!(status(reasons, "secret").await, StatusCode::OK);
    assert_eq!(status("/v2/user/", "secret").await, StatusCode::NOT_IMPLEMENTED);
    // Credentials, their scopes and parameters are checked earlier.
    assert_eq!(status("/v2/user/", "wrong").await, StatusCode::UNAUTHORIZED);
    assert_eq!(status(reasons, "no scopes").await, StatusCode::FORBIDDEN);
    assert_eq!(status("/v2/user/?limit=x", "no scopes").await, StatusCode::FORBIDDEN);
    let status = status("/v2/user/?limit=x", "secret").await;
    assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY);
}
