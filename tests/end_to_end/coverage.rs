//! Coverage of responses: every field of every schema is seen with a value and, if it is optional, without one.

use chrono::{TimeDelta, Utc};
use serde_json::{Value, json};
use wearlab_models::{LinkTokenInput, Uuid};
use wearlab_store::{DeprecatedForms, KeyRecord, OAuthTokens, Record, StoreError, Until, WebhookEndpoint};
use wearlab_tests::coverage::{Coverage, reachable, response};
use wearlab_tests::values::{self, Optional};
use wearlab_tests::{QUERY, Running, linked, orders, reads, undelivered};

use crate::administration::Admin;

/// Gaps of the sample, with the test that covers each.
const ELSEWHERE: [&str; 17] = [
    // It defaults to the time of the report.
    "BiomarkerResult.timestamp is never seen without a value",
    // It is never sent.
    "Order.requisition_form_url is never seen with a value",
    // Every pipeline fits on one page: `paging` walks several.
    "PipelineList.next_cursor is never seen with a value",
    // All samples fit on one page: `values` walks several.
    "BloodPressurePage.next is never seen with a value",
    "BloodPressurePage.next_cursor is never seen with a value",
    "NotePage.next is never seen with a value",
    "NotePage.next_cursor is never seen with a value",
    "SamplePage.next is never seen with a value",
    "SamplePage.next_cursor is never seen with a value",
    // Only after an upgrade of a version without them: the store's tests have files of one.
    "IntrospectedResource.sent_count is never seen without a value",
    // Always an app here: `values` has others.
    "SourceContext.app_id is never seen without a value",
    // Reads always have them.
    "ProviderSettings.redirect_uri is never seen without a value",
    "ProviderSettings.redirect_uri_mode is never seen without a value",
    // Only for settings of earlier versions: `linking::mix_up` covers it.
    "RedirectUriMode: shared is never seen",
    // Optional in responses of other services, always sent by this one.
    "ConnectedSource.provider is never seen without a value",
    // Only providers that link by OAuth show their source type. The catalogue's filter covers the others.
    "ProviderSourceType: ble is never seen",
    "ProviderSourceType: lab is never seen",
];
/// One sample does not have every compression: the seed decides which one the second hub has.
const SEEDS_OF_PIPELINES: std::ops::RangeInclusive<u64> = 1..=8;

/// Coverage of the responses of operations.
#[derive(Default)]
struct ResponseCoverage {
    coverage: Coverage,
}

impl ResponseCoverage {
    fn take(&mut self, template: &str, answered: &Value) {
        self.coverage.walk(response(template), answered);
    }

    /// Records every operation once, with the sample's values.
    async fn take_each(&mut self, running: &Running) {
        for operation in reads() {
            let path = format!("{}{QUERY}", running.path(operation.path));
            self.take(operation.path, &running.json(&path).await);
        }
    }

    /// Records introspection during a pull, and after its connection has failed.
    async fn take_introspection(&mut self, running: &Running) {
        let sample = &running.sample;
        let of_user = |kind: &str, more: Value| {
            let mut fields = json!({"team_id": sample.team_id, "user_id": sample.user_id, "provider": "stridewell"});
            let Value::Object(more) = more else { panic!("an object") };
            fields.as_object_mut().expect("an object").extend(more);
            format!("{}\n", json!({ kind: fields }))
        };
        let data = |resource: &str, chunks: Option<u32>| {
            let mut fields = json!({"resource": resource, "date": values::DAY,
                "data": [{"timestamp": format!("{}T10:00:00Z", values::DAY), "value": 1}]});
            if let Some(chunks) = chunks {
                fields["pull"] = json!({"id": "p", "chunk": 1, "chunks": chunks});
            }
            of_user("data", fields)
        };
        let steps = json!({"resource": "steps", "start": "2020-01-01T00:00:00Z", "end": "2030-01-01T00:00:00Z"});
        let provider = json!({"name": "Stridewell", "slug": "stridewell", "logo": "", "status": "connected",
            "created_on": "2026-01-01T00:00:00Z", "resource_availability": {}});
        let error = json!({"error_details": {"error_message": "The grant is gone."}});
        let parts = [
            of_user("connection_made", json!({ "provider": provider }))
                + &data("heartrate", None)
                + &data("floors_climbed", Some(1))
                + &data("weight", Some(2))
                + &data("steps", None)
                + &of_user("data_deleted", steps),
            of_user("connection_failed", error),
        ];
        for lines in parts {
            let mut acknowledged = running
                .client()
                .ingest_arrivals(lines)
                .send()
                .await
                .expect("a stream")
                .into_inner();
            while let Some(line) = acknowledged.try_next().await.expect("a line") {
                assert!(line.accepted.is_some(), "{line:?}");
            }
            for template in ["/v2/introspect/resources", "/v2/introspect/historical_pull"] {
                self.take(template, &running.json(template).await);
                self.take(template, &running.json(&format!("{template}?user_limit=1")).await);
                let last = format!("{template}?user_id={}", sample.user_id);
                self.take(template, &running.json(&last).await);
            }
        }
    }

    /// Records the pulls of a connector.
    async fn take_pulls(&mut self, running: &Running) {
        let sample = &running.sample;
        let put = running.store.write(|write| {
            let team = write
                .team(sample.team_id)?
                .ok_or(StoreError::Missing { what: "team" })?;
            let slug = &sample.oauth_provider;
            linked::put(write, &sample.org_id, team, sample.user_id, slug)?;
            linked::put_pulls(write, team, sample.user_id, slug)
        });
        put.await.expect("pulls");
        let historical = "/v2/introspect/historical_pull";
        self.take(historical, &running.json(historical).await);
        let pulls = "/v1/org/{org_id}/teams/{team_id}/users/{user_id}/pulls";
        self.take(pulls, &running.json(&running.path(pulls)).await);
    }

    /// Records users and markers.
    async fn take_team(&mut self, running: &Running) {
        let sample = &running.sample;
        let users = running.json("/v2/user/?limit=500").await;
        let ids: Vec<_> = users["users"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|user| user["user_id"].as_str())
            .collect();
        let mut paths = vec![
            ("/v2/user/", "/v2/user/?limit=500".to_owned()),
            (
                "/v3/lab_tests/{lab_test_id}/markers",
                format!("/v3/lab_tests/{}/markers?size=100", sample.lab_test_id),
            ),
        ];
        for id in &ids {
            paths.push(("/v2/user/{user_id}", format!("/v2/user/{id}")));
            paths.push(("/v2/user/providers/{user_id}", format!("/v2/user/providers/{id}")));
            paths.push(("/v2/user/{user_id}/device", format!("/v2/user/{id}/device")));
        }
        for slug in wearlab_models::OAuthProviderSlug::KNOWN {
            paths.push((
                "/v2/link/provider/oauth/{oauth_provider}",
                format!("/v2/link/provider/oauth/{slug}"),
            ));
        }
        for (template, path) in paths {
            self.take(template, &running.json(&path).await);
        }
    }

    /// Records teams, keys and the log of an organisation.
    async fn take_organisation(&mut self, running: &Running) {
        let admin = Admin::of(running);
        let team = json!({"environment": "sandbox", "region": "us"});
        let team = admin.post("/teams", &team).await.body;
        let key = json!({"team_id": team["team_id"], "name": "a name", "scopes": ["read", "write", "ingest", "admin"]});
        admin.post("/keys", &key).await;
        let own = admin.post("/keys", &json!({})).await.body;
        let path = format!("/keys/{}", own["key_id"].as_str().expect("an id"));
        admin.delete(&path).await;
        let imported = KeyRecord::of_organisation(&running.sample.org_id, "wl_mgmt_of_an_import");
        running
            .store
            .write(|write| write.put_key(&imported))
            .await
            .expect("a key");
        let (of_key, of_org) = ("/v1/org/{org_id}/keys/{key_id}", "/v1/org/{org_id}");
        for page in ["/teams", "/teams?limit=1", "/keys", "/keys?limit=1", "/audit_log"] {
            let of = page.split('?').next().expect("a path");
            self.take(&format!("{of_org}{of}"), &admin.get(page).await.body);
        }
        self.take(of_key, &admin.get(&path).await.body);
        let path = format!("/teams/{}", team["team_id"].as_str().expect("an id"));
        self.take("/v1/org/{org_id}/teams/{team_id}", &admin.get(&path).await.body);
    }

    /// Records the settings and the results of linking.
    async fn take_linking(&mut self, running: &Running) {
        let admin = Admin::of(running);
        let (sample, of_org) = (&running.sample, "/v1/org/{org_id}");
        let slug = &sample.oauth_provider;
        let team = format!("/teams/{}", sample.team_id);
        let urls = json!({"redirect_urls": ["https://app.example.com/linked"]});
        assert_eq!(admin.put(&format!("{team}/redirect_urls"), &urls).await.status, 200);
        let full = json!({
            "client_id": "wearlab", "client_secret": "a secret", "token_auth_method": "client_secret_post",
            "authorization_url": "https://auth.example.com/authorize", "token_url": "https://auth.example.com/token",
            "revocation_url": "https://auth.example.com/revoke", "issuer": "https://auth.example.com",
            "scopes": {"sleep": {"required": ["sleep:read"], "optional": ["heart:read"]}}, "extra_scopes": ["offline"],
            "redirect_uri_mode": "own", "scope_separator": "comma", "pkce": false, "revocation_auth_method": "client_secret_basic",
            "revocation_method": "query",
            "authorization_parameters": {"mode": "demo"}, "token_parameters": {"action": "requesttoken"},
            "refresh_parameters": {"scope": "offline"}, "token_response_path": "/body",
            "provider_user_id_path": "/body/userid",
            "token_errors": [
                {"http_status": 200, "path": "/error", "contains": "refresh_token", "meaning": "link_again"},
                {"path": "/status", "equals": "601", "meaning": "temporary"},
            ],
        });
        let other = running.json("/v2/providers/").await;
        let others = other.as_array().into_iter().flatten();
        let others = others.filter(|one| one["auth_type"] == "oauth" && one["slug"] != slug.as_str());
        let others: Vec<_> = others.filter_map(|one| one["slug"].as_str()).take(2).collect();
        let mut bare = full.clone();
        bare["token_auth_method"] = "none".into();
        let shape = [
            "scope_separator",
            "pkce",
            "revocation_auth_method",
            "revocation_method",
            "authorization_parameters",
            "token_parameters",
        ];
        let more = [
            "refresh_parameters",
            "token_response_path",
            "provider_user_id_path",
            "token_errors",
        ];
        bare.as_object_mut()
            .expect("an object")
            .retain(|name, _| !shape.contains(&name.as_str()) && !more.contains(&name.as_str()));
        let (mut spaced, mut without) = (bare.clone(), bare.clone());
        spaced["scope_separator"] = "space".into();
        spaced["token_errors"] = json!([
            {"http_status": 400, "meaning": "client"}, {"http_status": 403, "meaning": "user_action"},
        ]);
        spaced["revocation_method"] = "bearer_delete".into();
        without["scope_separator"] = "none".into();
        without["revocation_method"] = "rfc7009".into();
        let (first, second) = (others[0], others[1]);
        for (slug, settings) in [(first, &full), (second, &spaced), (second, &without), (second, &bare)] {
            assert_eq!(admin.put(&format!("/providers/{slug}"), settings).await.status, 200);
            let (template, path) = (format!("{of_org}/providers/{{slug}}"), format!("/providers/{slug}"));
            self.take(&template, &admin.get(&path).await.body);
        }
        for body in [
            json!({"user_id": sample.user_id}),
            json!({"user_id": sample.user_id, "provider": slug, "filter_on_providers": [slug],
                "redirect_url": "https://app.example.com/linked"}),
        ] {
            let body: LinkTokenInput = serde_json::from_value(body).expect("a body");
            let client = running.client();
            client.create_link_token(body).send().await.expect("a link token");
        }
        for page in ["/providers", "/connections?limit=500", "/connections?limit=1"] {
            let of = page.split('?').next().expect("a path");
            self.take(&format!("{of_org}{of}"), &admin.get(page).await.body);
        }
        for page in ["/link_tokens", "/link_tokens?limit=1", "/redirect_urls"] {
            let of = page.split('?').next().expect("a path");
            let template = format!("{of_org}/teams/{{team_id}}{of}");
            self.take(&template, &admin.get(&format!("{team}{page}")).await.body);
        }
        let token = format!("{team}/users/{}/connections/{slug}/access_token", sample.user_id);
        let template = format!("{of_org}/teams/{{team_id}}/users/{{user_id}}/connections/{{provider}}/access_token");
        self.take(&template, &admin.get(&token).await.body);
        let tokens = OAuthTokens {
            access_token: "access".into(),
            token_type: "Bearer".to_owned(),
            refresh_token: None,
            expires_at: Some(Utc::now() + TimeDelta::hours(1)),
            scopes: vec!["sleep:read".to_owned()],
            origins: None,
        };
        let put = running.store.write(|write| {
            let team = write
                .team(sample.team_id)?
                .ok_or(StoreError::Missing { what: "team" })?;
            write.put_provider_user(team, sample.user_id, slug, Some("31337"))?;
            write.put_tokens(team, sample.user_id, slug, &tokens, None, Uuid::now_v7())
        });
        put.await.expect("tokens");
        self.take(
            &format!("{of_org}/connections"),
            &admin.get("/connections?limit=500").await.body,
        );
        self.take(&template, &admin.get(&token).await.body);
    }

    /// Records the pipeline and the endpoints of a team: a disabled and an enabled one.
    async fn take_delivery(&mut self, running: &Running) {
        let (admin, of_team) = (Admin::of(running), "/v1/org/{org_id}/teams/{team_id}");
        let team = format!("/teams/{}", running.sample.team_id);
        let mut disabled = values::webhook(running.sample.team_id, "wh_disabled");
        disabled.disabled = Some("responded 410".to_owned());
        disabled.event_type_prefixes = vec!["daily.".to_owned()];
        let put = running.store.write(|write| write.put_webhook(&disabled));
        put.await.expect("a webhook");
        for page in ["/pipeline", "/webhooks", "/webhooks?limit=1"] {
            let of = page.split('?').next().expect("a path");
            let answered = admin.get(&format!("{team}{page}")).await.body;
            self.take(&format!("{of_team}{of}"), &answered);
        }
        for id in ["wh_disabled".to_owned(), values::webhook_of(running.sample.team_id)] {
            let answered = admin.get(&format!("{team}/webhooks/{id}")).await.body;
            self.take(&format!("{of_team}/webhooks/{{webhook_id}}"), &answered);
        }
    }

    /// Records a destination that is down, and one that is not.
    async fn take_undelivered(&mut self, running: &Running) {
        let (admin, sample) = (Admin::of(running), &running.sample);
        let behind = undelivered::put(&running.store, sample.team_id, sample.user_id).await;
        undelivered::put_idle(&running.store, sample.team_id).await;
        for page in ["/undelivered", "/undelivered?limit=1", "/destinations"] {
            let of = page.split('?').next().expect("a path");
            self.take(&format!("/v1/org/{{org_id}}{of}"), &admin.get(page).await.body);
        }
        let path = format!("/events/{}/attempts", behind.event_ids[2]);
        let attempts = admin.get(&path).await.body;
        self.take("/v1/org/{org_id}/events/{event_id}/attempts", &attempts);
        // Also an event that waits for a destination other than a webhook.
        let client = running.client();
        let replayed = client.replay_event(&sample.org_id, &behind.event_ids[2]);
        replayed.send().await.expect("a replay");
        self.take("/v1/org/{org_id}/undelivered", &admin.get("/undelivered").await.body);
        // Destinations that get nothing, each for another reason.
        let written = running.store.write(|write| {
            let team = write.team(sample.team_id)?.expect("the team");
            let disabled = WebhookEndpoint {
                disabled: Some("responded 410".to_owned()),
                ..values::webhook(sample.team_id, "wh_stopped")
            };
            let unusable = WebhookEndpoint {
                url: "ftp://hooks.invalid/".to_owned(),
                ..values::webhook(sample.team_id, "wh_unusable")
            };
            for endpoint in [disabled, unusable] {
                write.put_webhook(&endpoint)?;
                write.destination(team, "webhook", Some(&endpoint.webhook_id))?;
            }
            write.destination(team, "brand_new", None)
        });
        written.await.expect("destinations");
        self.take("/v1/org/{org_id}/destinations", &admin.get("/destinations").await.body);
    }

    /// Records lab tests, orders and results.
    async fn take_orders(&mut self, running: &Running) {
        let sample = &running.sample;
        let variants = orders::variants(sample.team_id, sample.user_id);
        let put = running
            .store
            .write(|write| variants.iter().try_for_each(|record| write.put(record)));
        put.await.expect("orders");
        for page in [
            "/v3/lab_test",
            "/v3/lab_test?lab_test_limit=1",
            "/v3/lab_tests",
            "/v3/orders?size=100",
        ] {
            let template = page.split('?').next().expect("a path");
            self.take(template, &running.json(page).await);
        }
        for test in [&sample.lab_test_id, "variant-0", "variant-6"] {
            self.take(
                "/v3/lab_tests/{lab_test_id}",
                &running.json(&format!("/v3/lab_tests/{test}")).await,
            );
        }
        let ids = variants.iter().filter_map(|record| match record {
            Record::Order(order) => Some(order.order.id),
            _ => None,
        });
        for order in ids.chain([orders::order_of(sample.user_id)]) {
            for of in ["", "/result", "/result/metadata", "/result/fhir"] {
                let answered = running.json(&format!("/v3/order/{order}{of}")).await;
                self.take(&format!("/v3/order/{{order_id}}{of}"), &answered);
            }
        }
    }

    async fn take_pipelines(&mut self, running: &Running) {
        let sample = &running.sample;
        let (other, stranger) = (&sample.other_team, &sample.other_organisation);
        let (own_key, other_key) = (&sample.management_key, &stranger.management_key);
        for (organisation, key, env, region) in [
            (&sample.org_id, own_key, sample.env, sample.region),
            (&sample.org_id, own_key, other.env, other.region),
            (&stranger.org_id, other_key, stranger.team.env, stranger.team.region),
        ] {
            let path = format!("/v1/org/{organisation}/team_etl_pipelines/{env}/{region}");
            self.take(
                "/v1/org/{org_id}/team_etl_pipelines/{env}/{region}",
                &running.json_as(key, &path).await,
            );
        }
    }
}

#[tokio::test]
async fn every_field_is_seen_with_a_value_and_without() {
    let mut responses = ResponseCoverage::default();
    let running = Running::start(200).await;
    responses.take_each(&running).await;
    responses.take_team(&running).await;
    responses.take_introspection(&running).await;
    responses.take_pulls(&running).await;
    responses.take_organisation(&running).await;
    responses.take_linking(&running).await;
    responses.take_delivery(&running).await;
    responses.take_undelivered(&running).await;
    responses.take_orders(&running).await;
    for seed in SEEDS_OF_PIPELINES {
        responses.take_pipelines(&Running::start_seed(seed, 3).await).await;
    }
    let forms = DeprecatedForms {
        source_details: Until::Always,
        result_value: Until::Always,
        ..DeprecatedForms::default()
    };
    let detailed = Running::start_forms(5, forms).await;
    let results = "/v3/order/{order_id}/result";
    responses.take(results, &detailed.json(&detailed.path(results)).await);
    let bare = values::profile(detailed.sample.team_id, detailed.sample.user_id, Optional::Missing);
    detailed.store.write(|write| write.put(&bare)).await.expect("writes");
    let profile = "/v2/summary/profile/{user_id}";
    responses.take(profile, &detailed.json(&detailed.path(profile)).await);
    for source_type in ["ble", "lab"] {
        let found = running.json(&format!("/v2/providers/?source_type={source_type}")).await;
        assert!(found.as_array().is_some_and(|list| !list.is_empty()), "{source_type}");
    }

    let all = reads().map(|operation| response(operation.path));
    let mut missing = responses.coverage.missing(&reachable(all));
    for line in ELSEWHERE {
        assert!(missing.iter().any(|missing| missing == line), "no longer true: {line}");
    }
    missing.retain(|line| !ELSEWHERE.contains(&line.as_str()));
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}
