//! Sessions of the console.

use super::operator::Operator;
use crate::sessions::Sessions;

/// Sessions of the console, and the secret of the credentials with which its pages read teams.
pub(super) struct ConsoleAccess {
    pub(super) sessions: Sessions,
    pub(super) reader: Operator,
}

impl ConsoleAccess {
    pub(super) fn new() -> Self {
        Self {
            sessions: Sessions::default(),
            reader: Operator::new(rand::random()),
        }
    }
}
