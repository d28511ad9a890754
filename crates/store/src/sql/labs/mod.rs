//! Lab tests, lab accounts, and orders.

pub(crate) mod accounts;
pub(crate) mod lab_tests;
pub(crate) mod order_arrivals;
pub(crate) mod order_lists;
pub(crate) mod orders;
pub(crate) mod reasons;
