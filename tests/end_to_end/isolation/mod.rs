//! Isolation of reads: every operation and every kind of object, with every kind of missing permission.

mod table;

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use serde_json::Value;
use wearlab_models::Uuid;
use wearlab_server::operations::Credential;
use wearlab_tests::owners::{Owner, owners};
use wearlab_tests::{EXPIRED_LINK_TOKEN, LINK_TOKEN, Running, reads};

use self::table::{Whose, rows};

const KEY: &str = "x-service-api-key";
const LINK: &str = "x-service-link-token";
const MANAGEMENT: &str = "x-management-key";
const OLDER_MANAGEMENT: &str = "x-service-org-key";

async fn ask(address: &str, headers: &[(&str, &str)]) -> (u16, Value) {
    let mut fields = HeaderMap::new();
    for (name, value) in headers {
        let name: HeaderName = name.parse().expect("a name");
        fields.append(name, HeaderValue::from_str(value).expect("a value"));
    }
    let request = wearlab_tests::http().get(address).headers(fields);
    let response = request.send().await.expect("a response");
    (response.status().as_u16(), response.json().await.expect("JSON"))
}

/// Returns a problem without the members of a single request.
fn problem(mut body: Value) -> Value {
    let members = body.as_object_mut().expect("a problem");
    members.remove("instance");
    members.remove("request_id").expect("an id");
    body
}

#[tokio::test]
async fn nobody_reads_what_is_anothers() {
    let running = Running::start(60).await;
    let owners = owners(&running).await;
    for operation in reads() {
        for owner in &owners {
            let nothing = Owner {
                team: Uuid::nil(),
                user: Uuid::nil(),
                account: Uuid::nil(),
                event_id: "evt_none".to_owned(),
                org: "org_none".to_owned(),
                ..owner.clone()
            };
            let nothing = rows(operation, &nothing, &running);
            for ((address, whose), (nowhere, _)) in rows(operation, owner, &running).into_iter().zip(nothing) {
                let credential = |of: &Owner| match whose {
                    Whose::Organisation => (MANAGEMENT, of.org_key.clone()),
                    _ => (KEY, of.key.clone()),
                };
                let asked_by = async |address: &str, asker: &Owner| {
                    let (header, key) = credential(asker);
                    ask(address, &[(header, &key)]).await
                };
                let (status, own) = asked_by(&address, owner).await;
                assert_eq!(status, 200, "{address}: its owner");
                for asker in &owners {
                    let mine = match whose {
                        Whose::Organisation => asker.org == owner.org,
                        _ => asker.team == owner.team,
                    };
                    let (status, body) = asked_by(&address, asker).await;
                    match whose {
                        _ if mine => assert_eq!((status, &body), (200, &own), "{address}"),
                        Whose::All => assert_eq!((status, &body), (200, &own), "{address}"),
                        Whose::EachTeam => {
                            let text = body.to_string();
                            let names = |of: &Owner| [of.user, of.team].map(|id| text.contains(&id.to_string()));
                            assert!(names(asker).contains(&true), "{address}");
                            assert_eq!(names(owner), [false; 2], "{address}");
                            let mut members = body.as_object().expect("a page").values();
                            let list = members.find_map(Value::as_array).expect("a list");
                            let total = body.get("total").is_none_or(|total| *total == list.len());
                            assert!(!list.is_empty() && total, "{address}");
                        }
                        Whose::Team | Whose::Organisation => {
                            assert_eq!(status, 404, "{address}");
                            // The response does not reveal that it exists.
                            let (_, nothing) = asked_by(&nowhere, asker).await;
                            assert_eq!(problem(body), problem(nothing), "{address}");
                        }
                    }
                }
            }
        }
    }
}

#[tokio::test]
async fn nobody_reads_anything_without_the_right_key() {
    let running = Running::start(60).await;
    let owners = owners(&running).await;
    for operation in reads() {
        for (owner, other) in [(0, 1), (1, 2), (2, 0)].map(|(owner, other)| (&owners[owner], &owners[other])) {
            for (address, whose) in rows(operation, owner, &running) {
                let managed = whose == Whose::Organisation;
                let refused: &[&[(&str, &str)]] = if managed {
                    &[
                        &[],
                        &[(MANAGEMENT, "")],
                        &[(MANAGEMENT, &owner.key)],
                        &[(KEY, &owner.key)],
                        &[(KEY, &owner.org_key)],
                        &[(MANAGEMENT, &owner.revoked_org_key)],
                        &[(OLDER_MANAGEMENT, &owner.revoked_org_key)],
                        &[(LINK, LINK_TOKEN)],
                        &[(LINK, EXPIRED_LINK_TOKEN)],
                        &[(MANAGEMENT, &owner.org_key), (OLDER_MANAGEMENT, "wl_mgmt_none")],
                        &[(MANAGEMENT, "wl_mgmt_none"), (OLDER_MANAGEMENT, &owner.org_key)],
                        &[(MANAGEMENT, &owner.org_key), (MANAGEMENT, &owner.revoked_org_key)],
                        &[(MANAGEMENT, &owner.org_key), (MANAGEMENT, "")],
                    ]
                } else {
                    &[
                        &[],
                        &[(KEY, "")],
                        &[(KEY, &owner.org_key)],
                        &[(MANAGEMENT, &owner.org_key)],
                        &[(OLDER_MANAGEMENT, &owner.org_key)],
                        &[(MANAGEMENT, &owner.key)],
                        &[(KEY, &owner.revoked)],
                        &[(LINK, LINK_TOKEN)],
                        &[(LINK, EXPIRED_LINK_TOKEN)],
                        &[(LINK, &owner.key)],
                        &[(KEY, &owner.key), (KEY, &other.key)],
                        &[(KEY, &other.key), (KEY, &owner.key)],
                        &[(KEY, &owner.key), (KEY, &owner.revoked)],
                        &[(KEY, &owner.key), (KEY, "")],
                    ]
                };
                for headers in refused {
                    let (status, body) = ask(&address, headers).await;
                    assert_eq!(status, 401, "{address}: {headers:?}");
                    assert_eq!(body["type"], "urn:wearlab:problem:unauthorized", "{address}");
                }
                // A repeated header is the same.
                let (header, key) = if managed {
                    (MANAGEMENT, &owner.org_key)
                } else {
                    (KEY, &owner.key)
                };
                assert_eq!(ask(&address, &[(header, key), (header, key)]).await.0, 200, "{address}");
                // A link token is checked if the operation takes one, and must then be valid.
                let looks = operation
                    .security
                    .iter()
                    .any(|all| all.contains(&Credential::LinkToken));
                for token in [EXPIRED_LINK_TOKEN, "wl_link_none"] {
                    let (status, _) = ask(&address, &[(header, key), (LINK, token)]).await;
                    assert_eq!(status, if looks { 401 } else { 200 }, "{address}: {token}");
                }
                let (status, _) = ask(&address, &[(header, key), (LINK, LINK_TOKEN)]).await;
                let its_own = owner.team == running.sample.team_id;
                assert_eq!(
                    status,
                    if looks && !its_own { 401 } else { 200 },
                    "{address}: another team's token"
                );
                // Keys of two organisations are two keys, also in two headers.
                if managed && owner.org != other.org {
                    for names in [[MANAGEMENT, OLDER_MANAGEMENT], [OLDER_MANAGEMENT, MANAGEMENT]] {
                        let headers = [(names[0], owner.org_key.as_str()), (names[1], &other.org_key)];
                        assert_eq!(ask(&address, &headers).await.0, 401, "{address}");
                    }
                }
            }
        }
    }
}

#[tokio::test]
async fn a_cursor_and_a_filter_lead_to_no_other_organisation() {
    let running = Running::start(5).await;
    let [owner, sister, stranger] = owners(&running).await;
    let path = |owner: &Owner| {
        let (url, org) = (&running.management_url, &owner.org);
        format!("{url}/v1/org/{org}/team_etl_pipelines/{}/{}", owner.env, owner.region)
    };
    for team in [stranger.team, sister.team, Uuid::nil()] {
        // The sister is a team of the same organisation, in another place.
        let address = format!("{}?team_id={team}", path(&owner));
        let (status, body) = ask(&address, &[(MANAGEMENT, &owner.org_key)]).await;
        assert_eq!((status, &body["pipelines"]), (200, &Value::Array(Vec::new())), "{team}");
    }
    for cursor in ["", "wl", &Uuid::nil().simple().to_string(), &stranger.team.to_string()] {
        let address = format!("{}?next_cursor={cursor}", path(&owner));
        let (status, _) = ask(&address, &[(MANAGEMENT, &owner.org_key)]).await;
        assert_eq!(status, 422, "{cursor:?}");
    }
}
