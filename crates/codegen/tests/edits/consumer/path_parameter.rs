//! Calls with the path parameter, which comes first.

use wearlab_client::{Client, Error};
use wearlab_models::Diagnosis;
use wearlab_server::{ApiResult, SearchDiagnosesInput};

/// The client.
pub async fn call(client: &Client) -> Result<Vec<Diagnosis>, Error> {
    let call = client.search_diagnoses(2025, "gout");
    Ok(call.send().await?.into_inner())
}

/// The implementer.
pub fn respond(input: &SearchDiagnosesInput) -> ApiResult<Vec<Diagnosis>> {
    let hit = Diagnosis::builder()
        .diagnosis_code(input.edition.to_string())
        .description(&input.diagnosis_query);
    Ok(vec![hit.build()].into())
}
