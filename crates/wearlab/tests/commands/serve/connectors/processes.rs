//! Tests of pulls in processes of their own.

use wearlab_providers::simulated;

use super::{Serving, World, options, oura};

#[tokio::test(flavor = "multi_thread")]
async fn a_process_of_its_own_pulls_for_a_service() {
    let simulation = oura::simulation();
    let world = World::new("oura", simulated::oura(&simulation)).await;
    let settings = world.settings();
    let arguments = [options(&settings), vec!["--no-pulls"]].concat();
    let serving = Serving::start(&world.fixture, &arguments);
    let mut connect = world
        .fixture
        .command(&["connect", "--listen", "127.0.0.1:0", "--set", "log.format=json"]);
    connect.args(options(&settings));
    let connecting = Serving::of(connect);

    world.link(&serving).await;
    oura::wait_for_days(&world, &serving, &simulation).await;

    let pulled = "wearlab_pulls_total{provider=\"oura\"";
    assert!(connecting.probe("/metrics").body.contains(pulled));
    assert!(!serving.probe("/metrics").body.contains(pulled));
    assert_eq!(connecting.get("/readyz", &[]).status, 200);
    assert_eq!(connecting.get("/v2/user", &[]).status, 404, "it has no API");
    World::end(connecting);
    World::end(serving);
}

#[tokio::test]
async fn without_a_connector_there_is_nothing_to_pull() {
    let world = World::new("oura", axum::Router::new()).await;
    let output = world.fixture.command(&["connect", "--listen", "127.0.0.1:0"]).output();
    let output = output.expect("the binary starts");
    assert!(!output.status.success());
    assert_eq!(
        String::from_utf8_lossy(&output.stderr),
        "wearlab: no connector is on: set client_id in a section of the configuration such as [connectors.oura]\n"
    );
}
