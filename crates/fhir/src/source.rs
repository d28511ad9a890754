//! Source of a conversion: the order, its results, and the ids that resources refer to each other by.

use wearlab_models::{LabResults, Order};

use crate::links::Links;

/// Order and results that a bundle is made of, with the ids of its resources.
pub(crate) struct Source<'a> {
    pub(crate) order: &'a Order,
    pub(crate) results: &'a LabResults,
    pub(crate) links: Links,
}
