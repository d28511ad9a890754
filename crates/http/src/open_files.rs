//! Limit of connections by the open files that the system allows.

use wearlab_settings::InvalidSetting;

use super::open_connections::RESERVE;

/// Open files for everything else: the store, deliveries, the log.
const OTHER_FILES: u64 = 256;

/// Minimum connections to start with. A lower limit is accepted if the operator sets it.
const MIN_CONNECTIONS: u64 = 16;

/// Raises the soft limit of open files for so many connections at each listener. Returns the connections that each may
/// have: fewer, with a warning, if the hard limit is too low.
///
/// # Errors
///
/// If next to none would be left.
pub fn allow(connections: usize, listeners: u64) -> Result<usize, InvalidSetting> {
    let needed = listeners * (connections + RESERVE) as u64 + OTHER_FILES;
    let allowed = rlimit::increase_nofile_limit(needed).unwrap_or_else(|error| {
        tracing::warn!(%error, "cannot raise the limit of open files");
        // The current limit may suffice.
        needed
    });
    fit(connections, listeners, needed, allowed)
}

fn fit(connections: usize, listeners: u64, needed: u64, allowed: u64) -> Result<usize, InvalidSetting> {
    if allowed >= needed {
        return Ok(connections);
    }
    let each = (allowed.saturating_sub(OTHER_FILES) / listeners).saturating_sub(RESERVE as u64);
    if each < MIN_CONNECTIONS.min(connections as u64) {
        let reason = format!(
            "{connections} needs {needed} open files, and the system allows {allowed}: raise that limit \
             (ulimit -n, LimitNOFILE)"
        );
        return Err(InvalidSetting::new("http.limits.connections", reason));
    }
    tracing::warn!(
        configured = connections,
        connections = each,
        needed,
        allowed,
        "http.limits.connections is lowered to what the limit of open files allows: raise that (ulimit -n, LimitNOFILE)"
    );
    Ok(usize::try_from(each).unwrap_or(connections))
}

#[cfg(test)]
mod tests {
    use super::fit;

    #[test]
    fn the_bound_is_what_the_open_files_allow() {
        assert_eq!(fit(1024, 1, 1296, 1296).expect("enough"), 1024);
        assert_eq!(fit(1024, 1, 1296, 1024).expect("fewer"), 752);
        assert_eq!(fit(1024, 2, 2336, 1024).expect("fewer"), 368);
        assert_eq!(fit(4, 1, 276, 276).expect("as few as wanted"), 4);
        let refused = fit(1024, 1, 1296, 256).expect_err("none").to_string();
        assert!(
            refused.contains("http.limits.connections") && refused.contains("256") && refused.contains("1296"),
            "{refused}"
        );
    }
}
