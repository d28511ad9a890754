//! Sports of workouts.

use serde_json::{Value, json};

/// Sports with their numbers, which never change. 0 is any other.
const SPORTS: &[(i64, &str)] = &[
    (1, "running"),
    (2, "cycling"),
    (3, "walking"),
    (4, "swimming"),
    (5, "hiking"),
    (6, "rowing"),
    (7, "yoga"),
    (8, "strength_training"),
    (9, "elliptical"),
    (10, "cross_country_skiing"),
    (11, "downhill_skiing"),
    (12, "snowboarding"),
    (13, "dancing"),
    (14, "pilates"),
    (15, "golf"),
    (16, "tennis"),
    (17, "badminton"),
    (18, "basketball"),
    (19, "soccer"),
    (20, "volleyball"),
    (21, "ice_hockey"),
    (22, "climbing"),
    (23, "boxing"),
    (24, "martial_arts"),
    (25, "horseback_riding"),
    (26, "stair_climbing"),
    (27, "high_intensity_interval_training"),
];

/// Names of providers, as slugs, for sports that have another one above.
const SYNONYMS: &[(&str, &str)] = &[
    ("alpine_ski", "downhill_skiing"),
    ("hike", "hiking"),
    ("nordic_ski", "cross_country_skiing"),
    ("ride", "cycling"),
    ("rock_climbing", "climbing"),
    ("run", "running"),
    ("snowboard", "snowboarding"),
    ("stair_stepper", "stair_climbing"),
    ("swim", "swimming"),
    ("walk", "walking"),
    ("weight_training", "strength_training"),
];

/// Returns the `sport` of a workout by the provider's name of it, such as `Cross Country Skiing`.
pub(crate) fn sport(name: &str) -> Value {
    let slug = slug(name);
    let synonym = SYNONYMS.iter().find(|(synonym, _)| *synonym == slug);
    let slug = synonym.map_or(slug, |(_, slug)| (*slug).to_owned());
    let id = SPORTS.iter().find(|(_, known)| *known == slug).map_or(0, |(id, _)| *id);
    json!({"id": id, "name": title(&slug), "slug": slug})
}

/// Returns a name in lowercase with underscores.
fn slug(name: &str) -> String {
    let mut slug = String::with_capacity(name.len());
    let mut previous = '_';
    for letter in name.chars() {
        let starts_word = letter.is_uppercase() && previous.is_lowercase();
        if (starts_word || !letter.is_alphanumeric()) && !slug.is_empty() && !slug.ends_with('_') {
            slug.push('_');
        }
        if letter.is_alphanumeric() {
            slug.extend(letter.to_lowercase());
        }
        previous = letter;
    }
    slug.trim_end_matches('_').to_owned()
}

/// Returns a slug as a display name.
fn title(slug: &str) -> String {
    let words = slug.replace('_', " ");
    let mut letters = words.chars();
    letters
        .next()
        .map(|first| first.to_uppercase().chain(letters).collect())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{SPORTS, SYNONYMS, sport};

    #[test]
    fn names_of_one_sport_have_one_number() {
        let skiing = json!({"id": 10, "name": "Cross country skiing", "slug": "cross_country_skiing"});
        for name in [
            "cross_country_skiing",
            "crossCountrySkiing",
            "Cross-Country Skiing",
            "NordicSki",
        ] {
            assert_eq!(sport(name), skiing);
        }
    }

    #[test]
    fn synonyms_are_names_of_sports() {
        for (synonym, slug) in SYNONYMS {
            assert!(SPORTS.iter().any(|(_, known)| known == slug), "{slug}");
            assert!(SPORTS.iter().all(|(_, known)| known != synonym), "{synonym}");
        }
    }

    #[test]
    fn another_sport_keeps_its_name() {
        assert_eq!(
            sport("underwaterChess"),
            json!({"id": 0, "name": "Underwater chess", "slug": "underwater_chess"})
        );
    }
}
