//! Requisition forms: with a key, or at a signed URL.

use std::fmt;

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};
use wearlab_models::{LabTest, Marker, Order, RequisitionUrl, Secret, Uuid};
use wearlab_requisition::{Address, Answer, Consent, Diagnosis, Insurance, Lab, Patient, Physician, Requisition, Test};
use wearlab_server::ApiError;
use wearlab_server::operations::GET_ORDER_REQUISITION;
use wearlab_store::{Actor, KeyHash, StoreError, TeamId, Transaction};

use super::tests_ordered::TestsOrdered;
use crate::auth::{LOCAL, actor};
use crate::cursor::Listing;
use crate::{Opened, Service, store_error};

/// Lifetime of a signed URL.
const LIFETIME: TimeDelta = TimeDelta::days(7);
/// Maximum difference between the clocks of two processes.
const CLOCK_SKEW: TimeDelta = TimeDelta::minutes(5);

/// Detail of a refusal to sign a URL.
const NO_URLS: &str = "The service has no secret key to sign URLs with. Read the form with a key at \
                       /v3/order/{order_id}/requisition/pdf, or let the operator set secret_key_file.";

/// Claims of a signed URL.
#[derive(Deserialize, Serialize)]
struct Grant {
    team_id: Uuid,
    order_id: Uuid,
    /// Id of the key that requested it. The URL is valid as long as this key.
    key_id: String,
    /// Expiry in seconds since 1970.
    expires: i64,
}

/// Result of a signed URL.
pub enum SignedForm {
    /// Form as PDF.
    Pdf(Vec<u8>),
    /// Valid signature, outside of its lifetime.
    Expired,
    /// Invalid signature, or a deleted order.
    Unknown,
}

impl Service {
    /// Signs a URL of the requisition form of an order, which is valid as long as the key.
    ///
    /// # Errors
    ///
    /// 403 without a secret key to sign URLs with.
    pub(super) fn signed_url(&self, team: TeamId, order_id: Uuid, key_id: String) -> Result<RequisitionUrl, ApiError> {
        let expires = (self.now)() + LIFETIME;
        let Opened { urls, .. } = self.opened()?;
        let urls = urls.as_ref().ok_or_else(|| ApiError::forbidden(NO_URLS))?;
        let grant = Grant {
            team_id: team.uuid(),
            order_id,
            key_id,
            expires: expires.timestamp(),
        };
        let token = urls.seal(&grant, &listing());
        let expires_at = DateTime::from_timestamp(grant.expires, 0).unwrap_or(expires);
        Ok(RequisitionUrl::builder()
            .id(id(&token))
            .url(Secret::new(self.linking.requisition_url(&token)))
            .expires_at(expires_at.fixed_offset())
            .build())
    }

    /// Returns the form of a signed URL, and records the read in the audit log.
    pub async fn signed_requisition(&self, token: Option<&str>) -> Result<SignedForm, ApiError> {
        let Opened { urls, store, .. } = self.opened()?;
        let (Some(urls), Some(token)) = (urls, token) else {
            return Ok(SignedForm::Unknown);
        };
        // A caller with a forged token learns only that it is invalid.
        let grant = urls.after::<Grant>(Some(token), &listing()).ok().flatten();
        let Some(grant) = grant else {
            return Ok(SignedForm::Unknown);
        };
        if !grant.is_valid_at((self.now)()) {
            return Ok(SignedForm::Expired);
        }
        let Some(team) = store.signed_team(grant.team_id).await.map_err(store_error)? else {
            return Ok(SignedForm::Unknown);
        };
        let Some(form) = self.requisition_form(team, grant.order_id).await? else {
            return Ok(SignedForm::Unknown);
        };
        let (reader, now) = (actor(format!("url:{}", id(token))), (self.now)());
        let audited = store.write(|write| {
            let permitted = grant.key_is_active(write, team)?;
            if permitted {
                audit(write, team, &reader, now, grant.order_id)?;
            }
            Ok(permitted)
        });
        match audited.await.map_err(store_error)? {
            true => Ok(SignedForm::Pdf(form)),
            // The key that requested it is revoked.
            false => Ok(SignedForm::Unknown),
        }
    }

    pub(super) async fn requisition_form(&self, team: TeamId, order_id: Uuid) -> Result<Option<Vec<u8>>, ApiError> {
        let store = self.store()?.team(team);
        let found = store.order_with_results(order_id).await.map_err(store_error)?;
        let Some((order, _)) = found else { return Ok(None) };
        let ordered = TestsOrdered::of(store, &order).await.map_err(store_error)?;
        let requisition = requisition(order, &ordered);
        // Writing the form takes some milliseconds of CPU time.
        let form = tokio::task::spawn_blocking(move || requisition.to_pdf()).await;
        // A panic message may contain data of the patient.
        let form = form.map_err(|_| ApiError::internal("the requisition form could not be made"))?;
        let form = form.map_err(ApiError::internal)?;
        Ok(Some(form))
    }
}

impl Grant {
    fn is_valid_at(&self, now: DateTime<Utc>) -> bool {
        let (now, longest) = (now.timestamp(), (LIFETIME + CLOCK_SKEW).num_seconds());
        // A longer lifetime is from a clock that is ahead.
        now < self.expires && self.expires - now <= longest
    }

    /// Returns true if the key that requested the URL is active and belongs to the team.
    fn key_is_active(&self, write: &Transaction<'_>, team: TeamId) -> Result<bool, StoreError> {
        if self.key_id == LOCAL {
            return Ok(true);
        }
        let key = write.team_key_info(team, &self.key_id)?;
        Ok(key.is_some_and(|key| key.record.revoked_on.is_none()))
    }
}

/// Records in the audit log that the form of an order was read.
pub(super) fn audit(
    write: &Transaction<'_>,
    team: TeamId,
    reader: &Actor,
    now: DateTime<Utc>,
    order_id: Uuid,
) -> Result<(), StoreError> {
    write.audit(team, reader, now, GET_ORDER_REQUISITION.id, Some(&order_id.to_string()))
}

/// Returns the id of a signed URL, which gives no access.
fn id(token: &str) -> String {
    KeyHash::of(token).id()
}

impl fmt::Debug for SignedForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SignedForm(..)")
    }
}

/// Listing that separates signed URLs from cursors of lists.
fn listing() -> Listing {
    Listing::new("requisition", ())
}

/// Returns the content of the form of an order.
fn requisition(order: Order, ordered: &TestsOrdered) -> Requisition {
    let lab = order.lab_test.lab.clone();
    let (answers, icd_codes) = (answers(&order, ordered), order.icd_codes.unwrap_or_default());
    let mut tests: Vec<_> = ordered.tests().map(test).collect();
    if !ordered.add_on.is_empty() {
        let markers = ordered.add_on.iter().map(marker).collect();
        tests.push(Test::builder().name("In addition").markers(markers).build());
    }
    let diagnoses = icd_codes.into_iter().map(|code| {
        let known = wearlab_diagnoses::find(&code).map(|diagnosis| diagnosis.description);
        Diagnosis::builder()
            .code(code)
            .description(known.unwrap_or_default())
            .build()
    });
    let consents = order.consents.into_iter().flatten().map(|consent| {
        Consent::builder()
            .name(consent.consent_type)
            .maybe_version(consent.version)
            .maybe_given_at(consent.time_of_consent.map(|time| time.to_utc()))
            .build()
    });
    Requisition::builder()
        .order_id(order.id)
        .created_at(order.created_at.to_utc())
        .ordered_by(order.team_id.to_string())
        .priority(order.priority == Some(true))
        .collection_method(order.details.type_.as_str())
        .maybe_activate_by(order.activate_by)
        .maybe_billing_type(order.billing_type.map(|billing| billing.as_str().to_owned()))
        .patient(patient(order.patient_details))
        .address(address(order.patient_address))
        .maybe_lab(lab.map(|lab| {
            Lab::builder()
                .name(lab.name)
                .first_line_address(lab.first_line_address)
                .city(lab.city)
                .zipcode(lab.zipcode)
                .build()
        }))
        .maybe_physician(order.physician.map(|physician| {
            Physician::builder()
                .first_name(physician.first_name)
                .last_name(physician.last_name)
                .npi(physician.npi)
                .maybe_email(physician.email)
                .build()
        }))
        .maybe_insurance(order.health_insurance.map(insurance))
        .tests(tests)
        .diagnoses(diagnoses.collect())
        .answers(answers)
        .maybe_clinical_notes(order.clinical_notes)
        .consents(consents.collect())
        .build()
}

fn patient(patient: Option<wearlab_models::PatientDetails>) -> Patient {
    let patient = patient.map(|patient| {
        Patient::builder()
            .first_name(patient.first_name)
            .last_name(patient.last_name)
            .dob(patient.dob)
            .gender(patient.gender.as_str())
            .phone_number(patient.phone_number)
            .email(patient.email)
            .build()
    });
    // Every order that was created here has one.
    patient.unwrap_or_else(|| {
        Patient::builder()
            .first_name("")
            .last_name("")
            .dob(chrono::NaiveDate::default())
            .gender("unknown")
            .build()
    })
}

fn address(address: Option<wearlab_models::PatientAddress>) -> Address {
    let address = address.map(|address| {
        Address::builder()
            .maybe_receiver_name(address.receiver_name)
            .first_line(address.first_line)
            .maybe_second_line(address.second_line)
            .city(address.city)
            .state(address.state)
            .zip(address.zip)
            .country(address.country)
            .maybe_access_notes(address.access_notes)
            .build()
    });
    address.unwrap_or_else(|| {
        let nothing = Address::builder().first_line("").city("").state("");
        nothing.zip("").country("").build()
    })
}

fn insurance(insurance: wearlab_models::HealthInsurance) -> Insurance {
    let insured = insurance.insured;
    Insurance::builder()
        .maybe_payer_name(insurance.payer_name)
        .maybe_payer_code(insurance.payer_code)
        .maybe_member_id(insurance.member_id)
        .maybe_group_id(insurance.group_id)
        .maybe_relationship(
            insurance
                .relationship
                .map(|relationship| relationship.as_str().to_owned()),
        )
        .maybe_insured_name(
            insured
                .as_ref()
                .map(|insured| format!("{} {}", insured.first_name, insured.last_name)),
        )
        .maybe_insured_dob(insured.and_then(|insured| insured.dob))
        .build()
}

fn test(test: &LabTest) -> Test {
    Test::builder()
        .name(&test.name)
        .sample_type(test.sample_type.as_str())
        .maybe_fasting(test.fasting)
        .markers(test.markers.iter().flatten().map(marker).collect())
        .build()
}

fn marker(marker: &Marker) -> wearlab_requisition::Marker {
    let loinc = marker.expected_results.iter().map(|result| result.loinc.code.clone());
    wearlab_requisition::Marker::builder()
        .name(&marker.name)
        .provider_id(&marker.provider_id)
        .loinc(loinc.collect())
        .build()
}

/// Returns the answers on order entry. Labs identify questions by their numbers.
fn answers(order: &Order, ordered: &TestsOrdered) -> Vec<Answer> {
    let markers = ordered.markers();
    let answers = order.aoe_answers.iter().flatten().map(|answer| {
        let marker = markers.iter().find(|marker| marker.id == answer.marker_id);
        let of = marker.map_or_else(|| format!("Marker {}", answer.marker_id), |marker| marker.name.clone());
        Answer::builder()
            .question(format!("{of}, question {}", answer.question_id))
            .answer(&answer.answer)
            .build()
    });
    answers.collect()
}
