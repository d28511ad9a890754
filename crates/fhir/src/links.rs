//! Ids of the resources, and references to them.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use uuid::Uuid;
use wearlab_labs::results::ResultKey;
use wearlab_models::{LabResults, Order};

use crate::prune::is_blank;

/// Ids of the resources in a bundle. Absent resources have none.
pub(crate) struct Links {
    pub(crate) bundle: Uuid,
    pub(crate) patient: Uuid,
    pub(crate) request: Uuid,
    pub(crate) report: Uuid,
    /// Ids of the results, then of the missing ones.
    pub(crate) observations: Vec<Uuid>,
    pub(crate) specimen: Option<Uuid>,
    pub(crate) physician: Option<Uuid>,
    /// Lab that received the order.
    pub(crate) lab: Option<Uuid>,
    /// Lab that reported, if it has another name.
    pub(crate) reporter: Option<Uuid>,
}

impl Links {
    pub(crate) fn new(order: &Order, results: &LabResults) -> Self {
        let metadata = &results.metadata;
        let id = |what: &str| Uuid::new_v5(&order.id, what.as_bytes());
        let optional = |what: &str, is_known: bool| is_known.then(|| id(what));
        let lab = order.lab_test.lab.as_ref().map_or("", |lab| lab.name.trim());
        let reporter = metadata.laboratory.as_deref().unwrap_or("").trim();
        let provider = metadata.provider.as_deref().unwrap_or("");
        Self {
            bundle: id("Bundle"),
            patient: id("Patient"),
            request: id("ServiceRequest"),
            report: id("DiagnosticReport"),
            observations: observations(results, &id),
            specimen: optional("Specimen", !is_blank(&metadata.specimen_number)),
            physician: optional("Practitioner", order.physician.is_some() || !is_blank(provider)),
            lab: optional("Organization", !is_blank(lab)),
            reporter: optional(
                "Organization that reported",
                !is_blank(reporter) && !reporter.eq_ignore_ascii_case(lab),
            ),
        }
    }

    /// Returns the lab that is responsible for the results.
    pub(crate) fn performer(&self) -> Option<Uuid> {
        self.reporter.or(self.lab)
    }
}

/// Returns the URL of a resource within a bundle.
pub(crate) fn urn(id: Uuid) -> String {
    format!("urn:uuid:{id}")
}

/// Creates a reference to a resource of the bundle; null without one.
pub(crate) fn reference(id: impl Into<Option<Uuid>>) -> Value {
    id.into().map_or(Value::Null, |id| json!({"reference": urn(id)}))
}

/// Creates an identifier that other systems can compare, from an id of the service.
pub(crate) fn identifier(id: Uuid) -> Value {
    json!({"system": "urn:ietf:rfc:3986", "value": urn(id)})
}

/// Creates the ids of results from their merge keys: a corrected result has the id of the one before it.
fn observations(results: &LabResults, id: &dyn Fn(&str) -> Uuid) -> Vec<Uuid> {
    let measured = results
        .results
        .iter()
        .map(|result| (&result.loinc, &result.slug, &result.name));
    let missing = results.missing_results.iter().flatten();
    let missing = missing.map(|result| (&result.loinc, &result.slug, &result.name));
    let mut seen: BTreeMap<ResultKey, usize> = BTreeMap::new();
    let mut ids = Vec::new();
    for (loinc, slug, name) in measured.chain(missing) {
        let key = ResultKey::new(loinc.as_deref(), slug.as_deref(), name);
        let text = match &key {
            ResultKey::Loinc(text) => format!("loinc {text}"),
            ResultKey::Slug(text) => format!("slug {text}"),
            ResultKey::Name(text) => format!("name {text}"),
        };
        // The service merges them; results of another source may repeat one.
        let times = seen.entry(key).and_modify(|times| *times += 1).or_insert(0);
        ids.push(id(&format!("Observation {times} {text}")));
    }
    ids
}
