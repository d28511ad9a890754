//! All tables, with their columns and keys.

/// A table that both engines have.
pub(crate) struct Table {
    pub(crate) name: &'static str,
    /// Columns, those of the key first, without generated ones.
    pub(crate) columns: &'static [&'static str],
    /// Number of columns of the key.
    pub(crate) key: usize,
    /// The column that may be long.
    pub(crate) long: Option<&'static str>,
}

const fn table(name: &'static str, key: usize, columns: &'static [&'static str]) -> Table {
    Table {
        name,
        columns,
        key,
        long: None,
    }
}

const fn long(column: &'static str, table: Table) -> Table {
    Table {
        long: Some(column),
        ..table
    }
}

/// Tables of both engines, each after those that it refers to.
#[rustfmt::skip]
pub(crate) const TABLES: &[Table] = &[
    table("meta", 1, &["name", "value"]),
    table("organisations", 1, &["organisation_id"]),
    table("teams", 1, &["team_id", "organisation_id", "environment", "region"]),
    table("keys", 1, &["hash", "team_id", "organisation_id", "name", "created_on", "revoked_on", "scopes"]),
    long("document", table("users", 1, &["id", "team_id", "user_id", "client_user_id", "created_on", "document", "available"])),
    table("user_blocks", 3, &["team_id", "created_on", "user_id", "users"]),
    table("user_groups", 3, &["team_id", "created_on", "user_id", "users", "blocks"]),
    long("document",
        table("connections", 1, &["id", "user_row", "slug", "created_on", "document", "made"])),
    table("link_tokens", 1, &["hash", "team_id", "expires", "user_row", "document"]),
    table("redirect_urls", 2, &["team_id", "position", "url"]),
    long("document", table("provider_settings", 1, &["id", "organisation_id", "slug", "document"])),
    long("document", table("authorization_requests", 1,
        &["id", "link_token", "provider", "session", "expires", "exchanging_since", "document"])),
    long("document", table("oauth_tokens", 1,
        &["connection", "grant_id", "version", "expires", "refresh_due", "refreshing_until", "failures", "uncertain",
            "document"])),
    table("provider_users", 1, &["connection", "provider", "provider_user_id"]),
    long("document", table("devices", 1, &["id", "team_id", "device_id", "user_row", "document"])),
    long("document", table("pipelines", 1, &["team_id", "document"])),
    long("document", table("providers", 1, &["slug", "source_type", "document", "link"])),
    table("lab_tests", 1, &["lab_test_id", "name", "document"]),
    long("document", table("markers", 1, &["marker_id", "document"])),
    table("lab_test_markers", 2, &["lab_test_id", "marker_id"]),
    table("lab_accounts", 1, &["id", "team_id", "account_id"]),
    table("lab_account_tests", 2, &["account", "lab_test_id"]),
    table("lab_account_markers", 3, &["account", "lab_test_id", "marker_id"]),
    long("document", table("cancellation_reasons", 1, &["id", "name", "document"])),
    long("document", table("orders", 1,
        &["id", "team_id", "order_id", "user_row", "created_at", "updated_at", "status", "sealed_by", "document"])),
    long("document", table("order_results", 1, &["order_row", "sealed_by", "document"])),
    table("arrivals", 1, &["id", "user_row", "arrival_id", "taken_on"]),
    table("days", 5, &["user_row", "provider", "resource", "day", "source", "hash", "has_data"]),
    table("resources", 3, &["user_row", "provider", "resource", "attempted_on", "failed", "events"]),
    table("pulls", 1,
        &["id", "user_row", "provider", "resource", "pull_id", "chunks", "arrived", "bytes", "touched_on", "started_on",
            "first_day", "last_day"]),
    long("data", table("pull_chunks", 2, &["pull", "chunk", "day", "data", "source", "hash"])),
    long("document", table("summaries", 1,
        &["id", "user_row", "summary_id", "resource", "provider", "source", "day", "starts", "ends", "document",
            "derived_id", "provider_id"])),
    long("chunk", table("samples", 1, &["id", "user_row", "resource", "provider", "source", "day", "part", "chunk"])),
    long("payload",
        table("events", 1, &["number", "event_id", "team_id", "user_id", "event_type", "created_on", "payload"])),
    table("attempts", 2,
        &["number", "nth", "kind", "webhook_id", "attempt", "attempted_on", "duration_ms", "outcome", "status", "reason",
            "content_type", "content_length"]),
    long("document", table("webhooks", 1, &["webhook_id", "team_id", "document"])),
    table("destinations", 1, &["id", "team_id", "kind", "webhook_id", "cursor"]),
    table("deliveries", 2, &["destination", "number", "user_id", "state", "attempts", "due", "reason"]),
    table("audit_log", 1,
        &["number", "organisation_id", "team_id", "written_on", "key_id", "request_id", "operation", "subject"]),
    long("response", table("repeatable_requests", 1, &["request_hash", "content_hash", "kept_on", "response", "user_row"])),
    table("revisions", 1, &["name", "number"]),
];

/// Tables of delivering processes: both engines have them, and they are not copied to another store.
pub(crate) const LOCAL_TABLES: &[Table] = &[table("outages", 1, &["destination", "since", "next_attempt", "reason"])];

/// Tables of one engine or of its schema.
#[cfg(test)]
const OTHERS: &[&str] = &["leases", "schema_version", "users_changed", "workers"];

#[cfg(test)]
mod tests;
