//! Row of a user.

use super::row::UserRow;

/// Columns of a user's row.
#[derive(Clone)]
pub(crate) struct StoredUser {
    pub(crate) row: UserRow,
    pub(crate) document: String,
    pub(crate) available: Option<String>,
}
