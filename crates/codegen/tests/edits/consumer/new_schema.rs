//! Constructs and reads a value of the type.

use wearlab_models::{Battery, BatteryState, DateTime, Device};

/// Constructs one.
pub fn full(seen_at: DateTime) -> Battery {
    Battery::builder()
        .level(1.0)
        .state(BatteryState::InUse)
        .seen_at(seen_at)
        .build()
}

/// Reads one.
pub fn charges(device: &Device) -> bool {
    let battery: Option<&Battery> = device.battery.as_ref();
    battery.is_some_and(|battery| battery.state == BatteryState::Charging)
}
