//! Golden values of seed 1.
//!
//! A filled store keeps only its seed, from which its keys are derived again: these tests show a change of the draws,
//! or of their order. Such a change makes existing stores unusable for the sample, and belongs in the changelog.

use super::Sample;

#[test]
fn seed_1_stands_for_these_ids_and_keys() {
    let sample = Sample::describe(1);
    let (team, elsewhere) = (&sample.other_team, &sample.other_organisation);
    let ids = [
        sample.team_id,
        sample.user_id,
        sample.lab_account_id,
        sample.other_lab_account_id,
        team.team_id,
        team.user_id,
        elsewhere.team.team_id,
        elsewhere.team.user_id,
    ];
    assert_eq!(
        ids.map(|id| id.to_string()),
        [
            "b10da48c-ea4c-4967-ab8e-0efcd8069414",
            "9a5b2750-a7dc-4c20-bfe0-52391d8b00aa",
            "cdebfb7c-e5a6-4ba9-9f4b-f2d8a3bb206d",
            "62a35411-ae75-4e6f-9f54-bdae36e279a6",
            "79f015c9-7c4a-46f2-9d43-fe41e6451c22",
            "f0939f1b-0b7b-4d24-a7ac-bbbe70c21378",
            "f4d1c03a-4b1c-4239-ae7f-4d6a43c300f4",
            "d7c50d0d-326c-42d9-9304-19747901f96b"
        ]
    );
    let texts = [
        &sample.org_id,
        &sample.lab_test_id,
        &sample.team_api_key,
        &sample.management_key,
        &team.team_api_key,
        &elsewhere.org_id,
        &elsewhere.management_key,
        &elsewhere.team.team_api_key,
    ];
    assert_eq!(
        texts,
        [
            "org_zzutzjIVheLZ",
            "8e8e0b2f-38b3-40bf-b801-9f5c10fee619",
            "wl_team_DaNDpHuiUSi92sAh1TwZp6yGRSRH2ziu",
            "wl_mgmt_pczT2ehbn4TEjQpMhMFFYa3H1tCeqDNc",
            "wl_team_3LCTAOv0n3FBsWoGD5761zDhF65Z5jWh",
            "org_gMvF7yeX5w6F",
            "wl_mgmt_vGh8tOTsLsi4KrCxAve7Q2v1DaQidmzx",
            "wl_team_z79dYnsa0tZNfTlv3KjcAHEEeZbwiLau"
        ]
    );
}

#[test]
fn debug_shows_no_key() {
    let sample = Sample::describe(1);
    assert!(sample.team_api_key.starts_with("wl_team_") && sample.team_api_key.len() == 40);
    assert!(sample.management_key.starts_with("wl_mgmt_") && sample.management_key.len() == 40);
    let shown = format!("{sample:?}");
    for key in [
        &sample.team_api_key,
        &sample.management_key,
        &sample.other_team.team_api_key,
        &sample.other_organisation.management_key,
        &sample.other_organisation.team.team_api_key,
    ] {
        assert!(!shown.contains(key.as_str()));
    }
}
