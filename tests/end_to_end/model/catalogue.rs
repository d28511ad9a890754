//! Changes of providers, reasons and labs, applied to the store and to the model.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;
use wearlab_models::Uuid;
use wearlab_store::{LabAccountRecord, LabTestRecord, ProviderRecord, Record};

use super::Draw;
use super::changes::{TEAM, Writer, value};
use super::world::{ACCOUNTS, KINDS, TESTS};

impl Writer {
    pub(super) async fn provider(&mut self, draw: &mut Draw) {
        let slug = format!("model-{}", draw.below(12));
        let kind = *draw.one_of(&KINDS);
        let record: ProviderRecord = value(json!({
            "source_type": kind,
            "supported": {"name": "N", "slug": slug, "description": format!("{}", draw.below(3)), "logo": null},
        }));
        self.world
            .providers
            .insert(slug, (kind.to_owned(), record.supported.clone()));
        self.put(Record::Provider(record)).await;
    }

    pub(super) async fn reason(&mut self, draw: &mut Draw) {
        let id = Uuid::from_u128(u128::from(draw.below(8))).to_string();
        let reason: wearlab_models::CancellationReason =
            value(json!({"id": id, "name": format!("Reason {}", draw.below(4)), "is_refundable": draw.below(2) == 0}));
        self.world.reasons.insert(id, reason.clone());
        self.put(Record::CancellationReason(reason)).await;
    }

    /// Changes the markers of a lab test. A removed marker is also removed from the accounts.
    pub(super) async fn lab_test(&mut self, test: usize, draw: &mut Draw) {
        let (keep, version) = (2 + draw.below(6), draw.below(4));
        let mut markers = Vec::new();
        for id in 10_000..10_090 {
            if draw.below(8) < keep {
                markers.push(value::<wearlab_models::Marker>(json!({
                    "id": id, "name": format!("Marker {version}"), "slug": "m", "description": "d", "lab_id": 1,
                    "provider_id": "p", "type": "biomarker", "unit": null, "price": "N/A", "expected_results": [],
                })));
            }
        }
        let ids = markers.iter().map(|marker| marker.id).collect();
        for account in &mut self.world.accounts {
            if let Some(seen) = account.get_mut(&test) {
                *seen = seen.intersection(&ids).copied().collect();
            }
        }
        self.world.tests[test] = ids;
        self.world
            .markers
            .extend(markers.iter().map(|marker| (marker.id, marker.clone())));
        let lab_test_id = TESTS[test].to_owned();
        let name = format!("Version {version}");
        self.put(Record::LabTest(LabTestRecord {
            lab_test_id,
            name,
            markers,
            details: None,
        }))
        .await;
    }

    pub(super) async fn account(&mut self, draw: &mut Draw) {
        let account = draw.index(ACCOUNTS.len());
        let mut seen = BTreeMap::new();
        for (test, ids) in self.world.tests.iter().enumerate() {
            if draw.below(4) > 0 {
                seen.insert(test, ids.iter().copied().filter(|_| draw.below(3) > 0).collect());
            }
        }
        self.world.accounts[account].clone_from(&seen);
        let visible = seen
            .into_iter()
            .map(|(test, ids): (_, BTreeSet<i64>)| (TESTS[test].to_owned(), ids.into_iter().collect()));
        self.put(Record::LabAccount(LabAccountRecord {
            team_id: TEAM,
            lab_account_id: ACCOUNTS[account],
            visible: visible.collect(),
        }))
        .await;
    }
}
