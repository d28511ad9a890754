//! Kinds of resources: summaries, and time series with their units.

use wearlab_models::{ResourceName, SchemaVisitor};

/// Kind of the values of a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DataKind {
    /// Summaries, each of a day or a session.
    Summary,
    /// Samples of a time series, all in one unit.
    Samples {
        /// Unit of the samples.
        unit: &'static str,
    },
    /// Neither summaries nor samples: sent only as events.
    Other,
}

impl DataKind {
    /// Returns the kind of the values of a resource.
    pub const fn of(resource: &ResourceName) -> Self {
        match (resource.unit(), resource.identity()) {
            (Some(unit), _) => Self::Samples { unit },
            (None, Some(_)) => Self::Summary,
            (None, None) => Self::Other,
        }
    }
}

/// Returns whether the values of a resource are numbers: samples without a schema of their own.
pub fn is_numeric(resource: &ResourceName) -> bool {
    struct Exists;
    impl SchemaVisitor for Exists {
        type Output = ();
        fn visit<T>(self) {}
    }
    resource.unit().is_some() && resource.visit_schema(Exists).is_none()
}

/// Returns the arrival for data of a documented resource that `data` does not accept: its values would not be stored.
pub(crate) fn other_arrival(resource: &ResourceName) -> Option<&'static str> {
    use ResourceName as R;
    Some(match resource {
        R::WorkoutStream => "samples of a workout come as heartrate, distance and other time series",
        R::SleepStream => "samples of a night come as heartrate, hrv and other time series",
        R::Connection => "connections come as connection_made",
        R::Device | R::DeviceLegacy => "devices come as device",
        R::Order => "steps of orders come as lab_order_updated",
        R::Result | R::Ige | R::Igg => "results of labs come as lab_result",
        R::Appointment => "appointments are steps of orders, which come as lab_order_updated",
        _ => return None,
    })
}

/// Returns the members of a value that are times, those of a session first.
pub(crate) const fn times_of(resource: &ResourceName) -> &'static [&'static str] {
    match resource.times() {
        [] => &["timestamp", "start", "end"],
        times => times,
    }
}

#[cfg(test)]
mod tests {
    use wearlab_models::ResourceName;

    /// Another text would be treated as `start`.
    #[test]
    fn identities_are_those_that_the_document_describes() {
        for resource in ResourceName::KNOWN {
            let identity = resource.identity();
            let expected = [
                None,
                Some("user"),
                Some("day"),
                Some("start"),
                Some("period"),
                Some("overlap"),
            ];
            assert!(expected.contains(&identity), "{resource}: {identity:?}");
            assert!(resource.unit().is_none() || identity.is_none(), "{resource}");
        }
    }
}
