//! Reads and makes a marker without a description.

use wearlab_models::{Marker, MarkerType};

/// The type for readers is an option.
pub fn description(marker: &Marker) -> &str {
    marker.description.as_deref().unwrap_or("-")
}

/// A marker may have one.
pub fn markers() -> [Marker; 2] {
    let marker = || {
        Marker::builder()
            .id(88)
            .name("HDL Cholesterol")
            .slug("hdl-cholesterol")
            .lab_id(4)
            .provider_id("M-0088")
            .type_(MarkerType::Biomarker)
            .price("N/A")
            .expected_results(Vec::new())
    };
    [marker().build(), marker().description("Cholesterol.").build()]
}
