//! Status of the tasks of connectors, and the reasons of their failures in words.

use wearlab_models::PullStatus;

use crate::PullTask;

impl PullTask {
    /// Returns the status. `scheduled` waits for its next time, `success` has nothing more to do, and `failure` waits for
    /// the user or the operator.
    pub fn status(&self) -> PullStatus {
        self.refusal().unwrap_or_else(|| match self.history() {
            _ if self.leased_until.is_some() => PullStatus::InProgress,
            _ if self.due.is_none() => PullStatus::Success,
            Some(history) if history.windows_done() > 0 => PullStatus::InProgress,
            _ => PullStatus::Scheduled,
        })
    }

    /// Returns true unless the task has nothing more to do.
    pub fn is_open(&self) -> bool {
        self.due.is_some() || self.leased_until.is_some()
    }

    /// Returns the status after the last attempt, if it gave no data.
    pub(crate) fn refusal(&self) -> Option<PullStatus> {
        self.reason.as_deref().map(|code| match code {
            "unauthorized" | "forbidden" | "own_client" => PullStatus::Failure,
            "paused" => PullStatus::Scheduled,
            _ => PullStatus::Retrying,
        })
    }

    /// Returns in words why the last attempt gave no data.
    pub fn error(&self) -> Option<&'static str> {
        self.reason.as_deref().map(|code| match code {
            "rate_limited" => "The provider limits requests.",
            "provider_unavailable" | "retry_after" => "The provider does not respond now.",
            "unauthorized" => "The provider does not accept the access token: the user may have to link it again.",
            "forbidden" => "The provider does not permit it: the user has to grant the permission, or to renew a membership.",
            "not_found" => "The provider does not have the data, or not yet.",
            "own_client" => {
                "The organisation has settings of its own for this provider: the connector of the service does not pull it."
            }
            "paused" => "The connection is paused.",
            _ => "The response of the provider cannot be read or stored: the log of the service says why.",
        })
    }
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;
    use wearlab_models::PullStatus;

    use crate::PullTask;

    #[test]
    fn a_task_has_one_status() {
        let now = Some(DateTime::UNIX_EPOCH);
        let history = |next: u32| {
            format!(
                r#"{{"pull":"{}","end":"2026-03-11","days":70,"window_days":30,"next":{next}}}"#,
                uuid::Uuid::nil()
            )
        };
        for (name, due, leased_until, reason, state, expected) in [
            ("recent:sleep", now, None, None, String::new(), PullStatus::Scheduled),
            ("recent:sleep", None, now, None, String::new(), PullStatus::InProgress),
            (
                "recent:sleep",
                now,
                None,
                Some("rate_limited"),
                String::new(),
                PullStatus::Retrying,
            ),
            (
                "recent:sleep",
                now,
                None,
                Some("forbidden"),
                String::new(),
                PullStatus::Failure,
            ),
            (
                "recent:sleep",
                now,
                None,
                Some("paused"),
                String::new(),
                PullStatus::Scheduled,
            ),
            ("history:sleep", now, None, None, history(1), PullStatus::Scheduled),
            ("history:sleep", now, None, None, history(2), PullStatus::InProgress),
            (
                "history:sleep",
                now,
                None,
                Some("a new code"),
                history(2),
                PullStatus::Retrying,
            ),
            ("history:sleep", None, None, None, history(4), PullStatus::Success),
            ("history:sleep", now, None, None, "{}".to_owned(), PullStatus::Scheduled),
            ("link", None, None, None, "{}".to_owned(), PullStatus::Success),
        ] {
            let task = PullTask {
                provider: "stridewell".to_owned(),
                name: name.to_owned(),
                due,
                leased_until,
                failures: u32::from(reason.is_some()),
                reason: reason.map(str::to_owned),
                attempted_on: None,
                state,
            };
            assert_eq!(task.status(), expected, "{task:?}");
            assert_eq!(task.error().is_some(), reason.is_some());
        }
    }
}
