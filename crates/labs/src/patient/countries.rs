//! Countries of ISO 3166-1.

/// Codes of ISO 3166-1 alpha-2, sorted.
#[rustfmt::skip]
pub const COUNTRIES: [&str; 249] = [
    "AD", "AE", "AF", "AG", "AI", "AL", "AM", "AO", "AQ", "AR", "AS", "AT", "AU", "AW", "AX", "AZ", "BA", "BB",
    "BD", "BE", "BF", "BG", "BH", "BI", "BJ", "BL", "BM", "BN", "BO", "BQ", "BR", "BS", "BT", "BV", "BW", "BY",
    "BZ", "CA", "CC", "CD", "CF", "CG", "CH", "CI", "CK", "CL", "CM", "CN", "CO", "CR", "CU", "CV", "CW", "CX",
    "CY", "CZ", "DE", "DJ", "DK", "DM", "DO", "DZ", "EC", "EE", "EG", "EH", "ER", "ES", "ET", "FI", "FJ", "FK",
    "FM", "FO", "FR", "GA", "GB", "GD", "GE", "GF", "GG", "GH", "GI", "GL", "GM", "GN", "GP", "GQ", "GR", "GS",
    "GT", "GU", "GW", "GY", "HK", "HM", "HN", "HR", "HT", "HU", "ID", "IE", "IL", "IM", "IN", "IO", "IQ", "IR",
    "IS", "IT", "JE", "JM", "JO", "JP", "KE", "KG", "KH", "KI", "KM", "KN", "KP", "KR", "KW", "KY", "KZ", "LA",
    "LB", "LC", "LI", "LK", "LR", "LS", "LT", "LU", "LV", "LY", "MA", "MC", "MD", "ME", "MF", "MG", "MH", "MK",
    "ML", "MM", "MN", "MO", "MP", "MQ", "MR", "MS", "MT", "MU", "MV", "MW", "MX", "MY", "MZ", "NA", "NC", "NE",
    "NF", "NG", "NI", "NL", "NO", "NP", "NR", "NU", "NZ", "OM", "PA", "PE", "PF", "PG", "PH", "PK", "PL", "PM",
    "PN", "PR", "PS", "PT", "PW", "PY", "QA", "RE", "RO", "RS", "RU", "RW", "SA", "SB", "SC", "SD", "SE", "SG",
    "SH", "SI", "SJ", "SK", "SL", "SM", "SN", "SO", "SR", "SS", "ST", "SV", "SX", "SY", "SZ", "TC", "TD", "TF",
    "TG", "TH", "TJ", "TK", "TL", "TM", "TN", "TO", "TR", "TT", "TV", "TW", "TZ", "UA", "UG", "UM", "US", "UY",
    "UZ", "VA", "VC", "VE", "VG", "VI", "VN", "VU", "WF", "WS", "YE", "YT", "ZA", "ZM", "ZW",
];

/// Names that forms send in place of the codes of countries with many orders.
const OTHER_NAMES: [(&str, &str); 12] = [
    ("america", "US"),
    ("australia", "AU"),
    ("canada", "CA"),
    ("france", "FR"),
    ("germany", "DE"),
    ("great britain", "GB"),
    ("mexico", "MX"),
    ("uk", "GB"),
    ("united kingdom", "GB"),
    ("united states", "US"),
    ("united states of america", "US"),
    ("usa", "US"),
];

/// Returns whether a text is the code of a country, in capital letters.
pub fn is_country(code: &str) -> bool {
    COUNTRIES.binary_search(&code).is_ok()
}

/// Returns the code for a code in small letters, or for a name.
pub(super) fn code_of(text: &str) -> Option<&'static str> {
    let text = text.trim();
    let code = COUNTRIES.into_iter().find(|code| code.eq_ignore_ascii_case(text));
    let name = || OTHER_NAMES.iter().find(|(name, _)| name.eq_ignore_ascii_case(text));
    code.or_else(|| name().map(|(_, code)| *code))
}

#[cfg(test)]
mod tests {
    use super::COUNTRIES;

    #[test]
    fn the_codes_are_sorted_and_of_two_capital_letters() {
        assert!(COUNTRIES.is_sorted_by(|one, next| one < next));
        let letters = |code: &&str| code.len() == 2 && code.bytes().all(|byte| byte.is_ascii_uppercase());
        assert!(COUNTRIES.iter().all(letters));
    }
}
