//! States of the United States, as the Postal Service writes them.

use crate::nearest::nearest;

/// Codes and names: the states and the District of Columbia, the territories and the freely associated states that the
/// Postal Service serves, and the armed forces.
pub const US_STATES: [(&str, &str); 62] = [
    ("AL", "Alabama"),
    ("AK", "Alaska"),
    ("AZ", "Arizona"),
    ("AR", "Arkansas"),
    ("CA", "California"),
    ("CO", "Colorado"),
    ("CT", "Connecticut"),
    ("DE", "Delaware"),
    ("DC", "District of Columbia"),
    ("FL", "Florida"),
    ("GA", "Georgia"),
    ("HI", "Hawaii"),
    ("ID", "Idaho"),
    ("IL", "Illinois"),
    ("IN", "Indiana"),
    ("IA", "Iowa"),
    ("KS", "Kansas"),
    ("KY", "Kentucky"),
    ("LA", "Louisiana"),
    ("ME", "Maine"),
    ("MD", "Maryland"),
    ("MA", "Massachusetts"),
    ("MI", "Michigan"),
    ("MN", "Minnesota"),
    ("MS", "Mississippi"),
    ("MO", "Missouri"),
    ("MT", "Montana"),
    ("NE", "Nebraska"),
    ("NV", "Nevada"),
    ("NH", "New Hampshire"),
    ("NJ", "New Jersey"),
    ("NM", "New Mexico"),
    ("NY", "New York"),
    ("NC", "North Carolina"),
    ("ND", "North Dakota"),
    ("OH", "Ohio"),
    ("OK", "Oklahoma"),
    ("OR", "Oregon"),
    ("PA", "Pennsylvania"),
    ("RI", "Rhode Island"),
    ("SC", "South Carolina"),
    ("SD", "South Dakota"),
    ("TN", "Tennessee"),
    ("TX", "Texas"),
    ("UT", "Utah"),
    ("VT", "Vermont"),
    ("VA", "Virginia"),
    ("WA", "Washington"),
    ("WV", "West Virginia"),
    ("WI", "Wisconsin"),
    ("WY", "Wyoming"),
    ("AS", "American Samoa"),
    ("GU", "Guam"),
    ("MP", "Northern Mariana Islands"),
    ("PR", "Puerto Rico"),
    ("VI", "US Virgin Islands"),
    ("FM", "Micronesia"),
    ("MH", "Marshall Islands"),
    ("PW", "Palau"),
    ("AA", "Armed Forces Americas"),
    ("AE", "Armed Forces Europe"),
    ("AP", "Armed Forces Pacific"),
];

/// Returns whether a text is the code of a state, in capital letters.
pub fn is_us_state(code: &str) -> bool {
    US_STATES.iter().any(|(known, _)| *known == code)
}

/// Returns the code for a code in small letters, or for a name that may have a typo.
pub(super) fn code_of(text: &str) -> Option<&'static str> {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if text.eq_ignore_ascii_case("Washington DC") || text.eq_ignore_ascii_case("Washington, D.C.") {
        return Some("DC");
    }
    let code = US_STATES.iter().find(|(code, _)| code.eq_ignore_ascii_case(&text));
    let name = || nearest(&text, US_STATES.map(|(_, name)| name));
    let of_name = |name| US_STATES.iter().find(|(_, known)| *known == name);
    code.or_else(|| of_name(name()?)).map(|(code, _)| *code)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{US_STATES, code_of};

    #[test]
    fn each_code_is_there_once_and_found_by_its_name() {
        let codes: BTreeSet<_> = US_STATES.iter().map(|(code, _)| code).collect();
        assert_eq!(codes.len(), US_STATES.len());
        for (code, name) in US_STATES {
            assert_eq!(code_of(name), Some(code), "{name}");
            assert_eq!(code_of(&name.to_uppercase()), Some(code), "{name}");
        }
    }
}
