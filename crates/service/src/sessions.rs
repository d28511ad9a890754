//! Sessions of browsers, in memory.
//!
//! A session holds the management key, so that each page is subject to the current state of that key: revoking it ends
//! its sessions. Sessions end with the process. Behind a load balancer, a browser has to stay at one process.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use chrono::{DateTime, Utc};
use sha2::{Digest, Sha256};
use wearlab_linking::random_text;
use wearlab_models::Secret;

/// Lifetime of a session.
pub const LONGEST: Duration = Duration::from_secs(12 * 60 * 60);
/// Idle timeout of a session.
const IDLE_TIMEOUT: Duration = Duration::from_secs(60 * 60);
/// Maximum sessions of one key, and of all keys. Beyond that, the one that was idle for longest ends.
const MAX_SESSIONS_OF_KEY: usize = 20;
const MAX_SESSIONS: usize = 10_000;

/// A message that the browser shows once, on the next page that it loads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// True for an error.
    pub failed: bool,
    /// The message.
    pub text: String,
}

/// The data of a session for a request.
pub struct Session {
    /// The management key.
    pub key: Secret,
    /// Token of every form of its pages.
    pub form_token: String,
}

struct Entry {
    key: Secret,
    form_token: String,
    secure: bool,
    began: DateTime<Utc>,
    used: DateTime<Utc>,
    notice: Option<Notice>,
}

/// Hash of a session's id: only browsers keep the ids themselves.
type Id = [u8; 32];

/// All sessions of this process.
#[derive(Default)]
pub struct Sessions(Mutex<HashMap<Id, Entry>>);

impl Sessions {
    /// Begins a session with a new id, never one that the browser had before. `secure` is true if the browser uses
    /// https: a request without it belongs to another session.
    pub fn begin(&self, key: Secret, secure: bool, now: DateTime<Utc>) -> String {
        let id = random_text();
        let kept = Entry {
            key,
            form_token: random_text(),
            secure,
            began: now,
            used: now,
            notice: None,
        };
        let mut sessions = self.lock();
        sessions.retain(|_, kept| kept.is_good(now));
        // A key that begins many sessions ends its own, not those of others.
        let of_key = |other: &Entry| other.key.expose() == kept.key.expose();
        if sessions.values().filter(|other| of_key(other)).count() >= MAX_SESSIONS_OF_KEY {
            end_oldest(&mut sessions, of_key);
        } else if sessions.len() >= MAX_SESSIONS {
            end_oldest(&mut sessions, |_| true);
        }
        sessions.insert(hash(&id), kept);
        id
    }

    /// Returns the session with an id, and resets its idle time. Requests of scripts do not, so that an open page does
    /// not keep a session.
    pub fn find(&self, id: &str, secure: bool, by_script: bool, now: DateTime<Utc>) -> Option<Session> {
        let mut sessions = self.lock();
        let kept = sessions.get_mut(&hash(id));
        let kept = kept.filter(|kept| kept.secure == secure && kept.is_good(now))?;
        if !by_script {
            kept.used = now;
        }
        Some(Session {
            key: kept.key.clone(),
            form_token: kept.form_token.clone(),
        })
    }

    /// Sets the notice of the next page.
    pub fn notify(&self, id: &str, notice: Notice) {
        if let Some(kept) = self.lock().get_mut(&hash(id)) {
            kept.notice = Some(notice);
        }
    }

    /// Takes the notice for this page.
    pub fn take_notice(&self, id: &str) -> Option<Notice> {
        self.lock().get_mut(&hash(id))?.notice.take()
    }

    /// Ends a session.
    pub fn end(&self, id: &str) {
        self.lock().remove(&hash(id));
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<Id, Entry>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Entry {
    fn is_good(&self, now: DateTime<Utc>) -> bool {
        now < self.began + LONGEST && now < self.used + IDLE_TIMEOUT
    }
}

fn end_oldest(sessions: &mut HashMap<Id, Entry>, which: impl Fn(&Entry) -> bool) {
    let these = sessions.iter().filter(|(_, kept)| which(kept));
    let oldest = these.min_by_key(|(_, kept)| kept.used).map(|(id, _)| *id);
    oldest.map(|id| sessions.remove(&id));
}

fn hash(id: &str) -> Id {
    Sha256::digest(id).into()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use chrono::{DateTime, Utc};
    use wearlab_models::Secret;

    use super::{IDLE_TIMEOUT, LONGEST, MAX_SESSIONS_OF_KEY, Notice, Sessions};

    fn begin(sessions: &Sessions, now: DateTime<Utc>) -> String {
        sessions.begin(Secret::from("key".to_owned()), false, now)
    }

    #[test]
    fn a_session_ends_when_it_is_idle_old_or_ended() {
        let (sessions, now) = (Sessions::default(), DateTime::UNIX_EPOCH);
        let step = IDLE_TIMEOUT - Duration::from_secs(1);
        let id = begin(&sessions, now);
        let mut at = now;
        while at + step < now + LONGEST {
            at += step;
            assert!(sessions.find(&id, false, false, at).is_some(), "it is used");
        }
        assert!(
            sessions.find(&id, false, false, now + LONGEST).is_none(),
            "it is too old"
        );
        let id = begin(&sessions, now);
        assert!(
            sessions.find(&id, false, false, now + IDLE_TIMEOUT).is_none(),
            "it was idle"
        );
        let id = begin(&sessions, now);
        sessions.end(&id);
        assert!(sessions.find(&id, false, false, now).is_none(), "it was ended");
    }

    #[test]
    fn a_session_is_found_by_its_own_id_and_scheme_alone() {
        let (sessions, now) = (Sessions::default(), DateTime::UNIX_EPOCH);
        let (id, other) = (begin(&sessions, now), begin(&sessions, now));
        assert_ne!(id, other);
        let found = sessions.find(&id, false, false, now).expect("a session");
        assert_ne!(
            found.form_token,
            sessions.find(&other, false, false, now).expect("another").form_token
        );
        assert!(sessions.find(&id, true, false, now).is_none());
        assert!(sessions.find("", false, false, now).is_none());
        let tampered = id.to_uppercase();
        assert!(sessions.find(&tampered, false, false, now).is_none());
    }

    #[test]
    fn a_notice_is_for_one_page() {
        let (sessions, now) = (Sessions::default(), DateTime::UNIX_EPOCH);
        let id = begin(&sessions, now);
        let notice = Notice {
            failed: false,
            text: "Done.".to_owned(),
        };
        sessions.notify(&id, notice.clone());
        assert_eq!(sessions.take_notice(&id), Some(notice));
        assert_eq!(sessions.take_notice(&id), None);
    }

    #[test]
    fn a_script_does_not_keep_a_session() {
        let (sessions, now) = (Sessions::default(), DateTime::UNIX_EPOCH);
        let id = begin(&sessions, now);
        assert!(sessions.find(&id, false, true, now + IDLE_TIMEOUT / 2).is_some());
        assert!(
            sessions.find(&id, false, true, now + IDLE_TIMEOUT).is_none(),
            "nobody used it"
        );
    }

    #[test]
    fn a_key_has_few_sessions_and_ends_its_own_alone() {
        let (sessions, now) = (Sessions::default(), DateTime::UNIX_EPOCH);
        let other = sessions.begin(Secret::from("another".to_owned()), false, now);
        let first = begin(&sessions, now);
        let later = now + Duration::from_secs(1);
        for _ in 0..MAX_SESSIONS_OF_KEY {
            begin(&sessions, later);
        }
        assert!(sessions.find(&first, false, false, later).is_none(), "it made room");
        assert!(sessions.find(&other, false, false, later).is_some());
        assert_eq!(sessions.lock().len(), MAX_SESSIONS_OF_KEY + 1);
    }
}
