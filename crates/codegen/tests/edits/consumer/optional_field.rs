//! Sets, reads and omits the field.

use wearlab_models::User;

/// The type for readers is an option.
pub fn locale(user: &User) -> Option<&str> {
    user.locale.as_deref()
}

/// A user may have one.
pub fn users(of: &User) -> [User; 2] {
    let user = || {
        User::builder()
            .user_id(of.user_id)
            .team_id(of.team_id)
            .client_user_id("member-0042")
            .created_on(of.created_on)
            .connected_sources(Vec::new())
            .fallback_time_zone(of.fallback_time_zone.clone())
    };
    [user().build(), user().locale("pt-PT").build()]
}
