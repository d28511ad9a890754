//! Users, their devices, the order of their list, and the export of one user.

pub(crate) mod available;
pub(crate) mod cache;
pub(crate) mod devices;
pub(crate) mod lookup;
pub(crate) mod order;
pub(crate) mod row;
pub(crate) mod stored_user;
pub(crate) mod user;
pub(crate) mod user_export;
