//! Validation of stored values, such as those of an export.

use wearlab_models::ResourceName;

use super::check_shape;
use crate::{DataArrival, ExactObject, ExactValue, LineError};

/// Unit of energy.
const ENERGY_UNIT: &str = "kcal";

impl DataArrival {
    /// Checks stored values like those of an arrival, except for limits that earlier versions did not have: the length
    /// of a sample, and the unit of the energy of a meal.
    ///
    /// # Errors
    ///
    /// Returns an error with the invalid value's location, without its text.
    pub fn check_stored(&self) -> Result<(), LineError> {
        if self.resource != ResourceName::Meal {
            return check_shape(self);
        }
        let mut meals = self.clone();
        meals.data.iter_mut().for_each(set_energy_unit);
        check_shape(&meals)
    }
}

/// Sets the unit of the energy of a meal, and of its parts.
fn set_energy_unit(meal: &mut ExactObject) {
    let set = |of: &mut ExactObject| {
        if let Some(ExactValue::Object(energy)) = of.get_mut("energy")
            && let Some(ExactValue::String(unit)) = energy.get_mut("unit")
        {
            ENERGY_UNIT.clone_into(unit);
        }
    };
    set(meal);
    let Some(ExactValue::Object(parts)) = meal.get_mut("data") else {
        return;
    };
    for (_, part) in parts.iter_mut() {
        if let ExactValue::Object(part) = part {
            set(part);
        }
    }
}
