//! Row of a user.

use super::row::UserRow;

/// What is kept of a user and their connections, as it stands in the row.
#[derive(Clone)]
pub(crate) struct StoredUser {
    pub(crate) row: UserRow,
    pub(crate) document: String,
    pub(crate) available: Option<String>,
}
