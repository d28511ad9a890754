use super::NamespaceConfig;

fn endpoint(text: &str) -> Result<NamespaceConfig, &'static str> {
    NamespaceConfig::parse(&format!("{text};SharedAccessKeyName=send;SharedAccessKey=a2V5"))
}

#[test]
fn the_emulator_is_spoken_to_without_tls_at_its_own_port() {
    for (text, host, port, tls) in [
        (
            "Endpoint=sb://n.servicebus.windows.net/",
            "n.servicebus.windows.net",
            5671,
            true,
        ),
        ("Endpoint=sb://n.example:5999", "n.example", 5999, true),
        (
            "Endpoint=sb://localhost;UseDevelopmentEmulator=true;",
            "localhost",
            5672,
            false,
        ),
        (
            "Endpoint=sb://127.0.0.1:15672/;UseDevelopmentEmulator=True",
            "127.0.0.1",
            15672,
            false,
        ),
        (
            "Endpoint=sb://[::1]:5673;UseDevelopmentEmulator=false",
            "[::1]",
            5673,
            true,
        ),
    ] {
        let endpoint = endpoint(text).expect(text);
        assert_eq!(
            (endpoint.host.as_str(), endpoint.port, endpoint.tls),
            (host, port, tls),
            "{text}"
        );
        assert_eq!(endpoint.only_hub, None);
    }
    let one = endpoint("Endpoint=sb://n;EntityPath=events").expect("an endpoint");
    assert_eq!(one.only_hub.as_deref(), Some("events"));
}

#[test]
fn what_cannot_be_used_is_said() {
    for text in [
        "",
        "Endpoint=",
        "Endpoint=hunter2",
        "Endpoint=https://hunter2/",
        "Endpoint=sb:///hunter2",
    ] {
        let reason = endpoint(text).expect_err(text);
        assert!(reason.contains("Endpoint") && !reason.contains("hunter2"), "{reason}");
    }
    for text in [
        "Endpoint=sb://n",
        "Endpoint=sb://n;SharedAccessKey=hunter2",
        "Endpoint=sb://n;SharedAccessKeyName=hunter2",
        "Endpoint=sb://n;SharedAccessKeyName=;SharedAccessKey=hunter2",
        "Endpoint=sb://n;SharedAccessKeyName=a;SharedAccessKey=b;SharedAccessSignature=hunter2",
    ] {
        let reason = NamespaceConfig::parse(text).expect_err(text);
        assert!(
            reason.contains("SharedAccessKey") && !reason.contains("hunter2"),
            "{reason}"
        );
    }
}
