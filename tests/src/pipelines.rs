//! Organisation with more pipelines than a page holds.

use wearlab_models::{DeliveryKind, Environment, Pipeline, PipelinePreferences, Region, Uuid};
use wearlab_store::{KeyRecord, Store, TeamRecord};

/// Id of the organisation.
pub const ORGANISATION: &str = "org_many";
/// Management key of the organisation.
pub const KEY: &str = "wl_mgmt_many";

/// Returns the id of a team by its number, from 1.
pub fn team_id(number: u128) -> Uuid {
    Uuid::from_u128(number << 64)
}

/// Writes the organisation with `count` teams, each with a pipeline.
pub async fn teams(store: &Store, environment: Environment, region: Region, count: u128) {
    let written = store.write(move |write| {
        let organisation = write.put_organisation(ORGANISATION)?;
        write.put_key(&KeyRecord::of_organisation(organisation.as_str(), KEY))?;
        for number in 1..=count {
            let team = TeamRecord {
                team_id: team_id(number),
                org_id: organisation.as_str().to_owned(),
                environment,
                region,
            };
            let team = write.put_team(&team)?;
            let preferences = PipelinePreferences::builder()
                .preferred(DeliveryKind::Svix)
                .enabled(vec![DeliveryKind::Svix])
                .build();
            let pipeline = Pipeline::builder()
                .team_id(team_id(number))
                .preferences(preferences)
                .push_historical_data(false)
                .provider_raw_data(false)
                .event_type_prefixes(Vec::new())
                .build();
            write.put_pipeline(team, &pipeline)?;
        }
        Ok(())
    });
    written.await.expect("an organisation");
}
