//! Values of a user that reads of the store return.

use std::collections::BTreeMap;

use serde_json::Value;
use uuid::Uuid;
use wearlab_store::{Record, TeamStore, ValuePosition, ValuesRecord};

/// Members that differ between stores with the same values.
const OF_STORE: [&str; 3] = ["id", "created_at", "updated_at"];

/// Values by resource and kind of source, in order.
pub(crate) type Values = BTreeMap<(String, String), Vec<String>>;

/// Reads all values of a user.
pub(crate) async fn values(team: TeamStore<'_>, user_id: Uuid) -> Values {
    let mut values = Values::new();
    let mut position = Some(ValuePosition::default());
    while let Some(after) = position {
        let page = team.user_export_values(user_id, after).await;
        let (records, next) = page.expect("reads").expect("a user");
        for record in records {
            let Record::Values(record) = record else {
                panic!("values are of one kind");
            };
            add(&mut values, record);
        }
        position = next;
    }
    values.values_mut().for_each(|list| list.sort_unstable());
    values
}

fn add(values: &mut Values, record: ValuesRecord) {
    let source = record.source.type_.unwrap_or_default();
    let list = values.entry((record.resource.to_string(), source)).or_default();
    for value in &record.data {
        let text = serde_json::to_string(value).expect("JSON");
        let mut value: Value = serde_json::from_str(&text).expect("JSON");
        let members = value.as_object_mut().expect("an object");
        OF_STORE.iter().for_each(|name| drop(members.remove(*name)));
        list.push(value.to_string());
    }
}

/// Checks that the values of two stores are the same. A failure shows a difference of each resource.
pub(crate) fn check_same(found: &Values, expected: &Values) {
    let mut differences = Vec::new();
    let none = Vec::new();
    for key in found.keys().chain(expected.keys()) {
        let (found, expected) = (found.get(key).unwrap_or(&none), expected.get(key).unwrap_or(&none));
        if found != expected {
            let missing = expected.iter().find(|value| !found.contains(value));
            let other = found.iter().find(|value| !expected.contains(value));
            let counts = [found.len(), expected.len()];
            differences.push(format!(
                "{key:?} {counts:?}: missing {missing:?}, and there is {other:?}"
            ));
        }
    }
    differences.dedup();
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}
