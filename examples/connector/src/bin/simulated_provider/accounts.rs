//! Accounts of the simulated provider, one for each consent: tokens, changes, and rate limits.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use chrono::NaiveDate;
use uuid::Uuid;

/// Maximum requests of an account before a pause, at any rate: tests do not depend on the machine.
const REQUESTS: u32 = 50;
/// Pause of an account at its limit.
pub(crate) const PAUSE: Duration = Duration::from_secs(1);

pub(crate) struct Accounts {
    pub(crate) token_seconds: u32,
    state: Mutex<State>,
}

#[derive(Default)]
pub(crate) struct State {
    pub(crate) accounts: Vec<Account>,
    /// Codes and refresh tokens, which are valid once.
    pub(crate) grants: HashMap<String, usize>,
    tokens: HashMap<String, (usize, Instant)>,
    /// Number of requests that were rejected by the rate limit.
    pub(crate) limited: u32,
}

pub(crate) struct Account {
    /// Changes, each with its kind and its day.
    pub(crate) changes: Vec<(&'static str, NaiveDate)>,
    /// Remaining requests before the pause.
    left: u32,
    /// End of the pause.
    pausing_until: Option<Instant>,
}

/// Reason of a rejected request.
pub(crate) enum Refused {
    Token,
    TooMany,
}

impl Accounts {
    pub(crate) fn new(token_seconds: u32) -> Self {
        Self {
            token_seconds,
            state: Mutex::default(),
        }
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Creates an account and a code for it.
    pub(crate) fn consent(&self) -> String {
        let mut state = self.state();
        state.accounts.push(Account {
            changes: Vec::new(),
            left: REQUESTS,
            pausing_until: None,
        });
        let account = state.accounts.len() - 1;
        state.grant(account)
    }

    /// Exchanges a code or a refresh token for an access token and the next refresh token.
    pub(crate) fn exchange(&self, grant: &str) -> Option<(String, String)> {
        let mut state = self.state();
        let account = state.grants.remove(grant)?;
        let token = Uuid::new_v4().to_string();
        let ends = Instant::now() + Duration::from_secs(self.token_seconds.into());
        state.tokens.insert(token.clone(), (account, ends));
        Some((token, state.grant(account)))
    }

    /// Returns the account of an access token, and counts a request of it.
    pub(crate) fn request(&self, token: &str) -> Result<usize, Refused> {
        let mut state = self.state();
        let (now, known) = (Instant::now(), state.tokens.get(token).copied());
        let (account, _) = known.filter(|(_, ends)| *ends > now).ok_or(Refused::Token)?;
        let found = &mut state.accounts[account];
        if found.pausing_until.take_if(|until| *until <= now).is_some() {
            found.left = REQUESTS;
        }
        if found.left == 0 {
            found.pausing_until.get_or_insert(now + PAUSE);
            state.limited += 1;
            return Err(Refused::TooMany);
        }
        found.left -= 1;
        Ok(account)
    }
}

impl State {
    fn grant(&mut self, account: usize) -> String {
        let grant = Uuid::new_v4().to_string();
        self.grants.insert(grant.clone(), account);
        grant
    }
}
