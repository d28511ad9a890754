//! Source of a conversion: the order, its results, and the ids of resources.

use wearlab_models::{LabResults, Order};

use crate::links::Links;

/// Order and results of a bundle, with the ids of its resources.
pub(crate) struct Source<'a> {
    pub(crate) order: &'a Order,
    pub(crate) results: &'a LabResults,
    pub(crate) links: Links,
}
