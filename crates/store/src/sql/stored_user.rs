//! Row of a user.

use super::user_row::UserRow;

/// What is kept of a user and their connections, as it stands in the row.
#[derive(Clone)]
pub(super) struct StoredUser {
    pub(super) row: UserRow,
    pub(super) document: String,
    pub(super) available: Option<String>,
}
