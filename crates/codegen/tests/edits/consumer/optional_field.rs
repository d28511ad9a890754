//! Sets and reads the field, and leaves it out.

use wearlab_models::User;

/// Readers see that there may be none.
pub fn locale(user: &User) -> Option<&str> {
    user.locale.as_deref()
}

/// Those who make users may give one, or not.
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
