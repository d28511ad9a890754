//! A back end that implements a part of the interface.

use std::sync::Arc;

use axum::body::Body;
use axum::http::{Request, StatusCode};
use tower::ServiceExt;
use wearlab_server::models::CancellationReason;
use wearlab_server::{ApiError, ApiResult, Auth, Partial, PartialApi, router};

/// A back end with one operation.
struct Reasons;

impl Auth for Reasons {
    type TeamApiKey = ();
    type LinkToken = ();
    type ManagementKey = ();

    async fn team_api_key(&self, credential: &str) -> Result<(), ApiError> {
        match credential {
            "secret" => Ok(()),
            _ => Err(ApiError::unauthorized("Unknown key.")),
        }
    }

    async fn link_token(&self, _: &str) -> Result<(), ApiError> {
        Ok(())
    }

    async fn management_key(&self, _: &str) -> Result<(), ApiError> {
        Ok(())
    }
}

impl PartialApi for Reasons {
    async fn list_cancellation_reasons(&self, (): ()) -> ApiResult<Vec<CancellationReason>> {
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
    // Credentials and parameters are checked before.
    assert_eq!(status("/v2/user/", "wrong").await, StatusCode::UNAUTHORIZED);
    let status = status("/v2/user/?limit=x", "secret").await;
    assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY);
}
