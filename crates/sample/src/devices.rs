//! Devices of users.

use wearlab_models::{ConnectedProvider, Device, DeviceSourceType, User};

use super::generator::Generator;

/// Creates the devices of a user. The first user has five: the first of these has every optional field, the last none.
pub(super) fn make(draw: &mut Generator, user: &User, connections: &[ConnectedProvider], index: u32) -> Vec<Device> {
    let Some(last) = connections.len().checked_sub(1) else {
        return Vec::new();
    };
    let count = if index == 0 { 5 } else { draw.below(4) };
    (0..count)
        .map(|at| {
            let provider = &connections[at.min(last)];
            let chance = match (index, at) {
                (0, 0) => 100,
                (0, 4) => 0,
                _ => 60,
            };
            one(draw, user, provider, chance)
        })
        .collect()
}

/// Creates a device that has each optional field with a probability in percent.
fn one(draw: &mut Generator, user: &User, provider: &ConnectedProvider, chance: u32) -> Device {
    let kind = draw.one_of(DeviceSourceType::KNOWN).clone();
    let name = &provider.name;
    let slug = &provider.slug;
    let model = draw
        .percent(chance)
        .then(|| format!("{name} {kind} {}", draw.below(9) + 1));
    let version = draw
        .percent(chance)
        .then(|| format!("{}.{}.{}", draw.below(12), draw.below(20), draw.below(9)));
    let serial = draw.percent(chance).then(|| draw.text(14));
    Device::builder()
        .id(draw.uuid())
        .user_id(user.user_id)
        .provider(slug)
        .source_type(kind)
        .maybe_app_id(draw.percent(chance).then(|| format!("example.{slug}.app")))
        .maybe_device_manufacturer(draw.percent(chance).then_some(name))
        .maybe_device_model(model)
        .maybe_device_version(version)
        .maybe_device_id(serial)
        .build()
}
