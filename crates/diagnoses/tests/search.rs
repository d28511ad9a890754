//! Tests the search: a table of queries, and properties of every code.

use wearlab_diagnoses::{all, search};
use wearlab_models::Diagnosis;

const MOST: usize = 50;

fn codes(query: &str, limit: usize) -> Vec<String> {
    search(query, limit).into_iter().map(|hit| hit.diagnosis_code).collect()
}

/// Returns every n-th diagnosis: enough to cover each chapter many times.
fn some(every: usize) -> impl Iterator<Item = Diagnosis> {
    all().step_by(every)
}

/// Returns the rank of a code among the hits of a query.
fn rank(query: &str, code: &str) -> Option<usize> {
    codes(query, MOST).iter().position(|hit| hit == code)
}

#[test]
fn the_queries_of_the_table_find_their_codes_within_five_hits() {
    let table = include_str!("queries.tsv")
        .lines()
        .filter(|line| !line.starts_with('#'));
    let rows: Vec<_> = table.map(|row| row.split_once('\t').expect("two columns")).collect();
    assert!(rows.len() >= 60, "{}", rows.len());
    let missed: Vec<_> = rows
        .iter()
        .map(|&(query, code)| (query, code, codes(query, 5)))
        .filter(|(_, code, hits)| !hits.iter().any(|hit| hit == code))
        .collect();
    assert!(missed.is_empty(), "{missed:#?}");
}

#[test]
fn the_list_is_complete() {
    let listed: Vec<_> = all().collect();
    assert_eq!(listed.len(), 74_719, "the codes of fiscal year 2026");
    let described = |code: &str| {
        let found = listed.iter().find(|diagnosis| diagnosis.diagnosis_code == code);
        found.map(|diagnosis| diagnosis.description.as_str())
    };
    let known = [
        ("A00.0", "Cholera due to Vibrio cholerae 01, biovar cholerae"),
        ("I10", "Essential (primary) hypertension"),
        ("E11.9", "Type 2 diabetes mellitus without complications"),
        ("H81.01", "Ménière's disease, right ear"),
        ("H40.1111", "Primary open-angle glaucoma, right eye, mild stage"),
        (
            "S72.001B",
            "Fracture of unspecified part of neck of right femur, initial encounter for open fracture type I or II",
        ),
        (
            "T36.0X1A",
            "Poisoning by penicillins, accidental (unintentional), initial encounter",
        ),
        ("T07.XXXA", "Unspecified multiple injuries, initial encounter"),
        ("U07.1", "COVID-19"),
        ("Z3A.10", "10 weeks gestation of pregnancy"),
        ("Z99.89", "Dependence on other enabling machines and devices"),
    ];
    for (code, description) in known {
        assert_eq!(described(code), Some(description), "{code}");
    }
    for heading in ["E11", "S72.001", "T15.00", "T36.0X"] {
        assert_eq!(described(heading), None, "{heading} is no code for a form");
    }
}

#[test]
fn every_code_finds_itself_first() {
    for Diagnosis {
        diagnosis_code: code, ..
    } in some(71)
    {
        for query in [
            code.clone(),
            code.replace('.', ""),
            format!(" {} ", code.to_lowercase()),
        ] {
            assert_eq!(codes(&query, 1), [code.as_str()], "{query}");
        }
    }
}

#[test]
fn the_beginning_of_a_code_finds_the_codes_that_begin_so_shorter_ones_first() {
    for code in some(2999).map(|diagnosis| diagnosis.diagnosis_code) {
        let beginning = &code[..3];
        let mut expected: Vec<_> = all()
            .map(|d| d.diagnosis_code)
            .filter(|code| code.starts_with(beginning))
            .collect();
        expected.sort_by_key(|code| (code.len(), code.clone()));
        let found = codes(beginning, expected.len());
        assert_eq!(found, expected, "{beginning}");
    }
}

#[test]
fn every_description_finds_its_code_whatever_the_order_of_its_words() {
    for Diagnosis {
        diagnosis_code: code,
        description,
        ..
    } in some(211)
    {
        let mut words: Vec<_> = description.split_whitespace().collect();
        assert!(
            rank(&description, &code).is_some_and(|rank| rank < 5),
            "{code} {description}"
        );
        words.reverse();
        let reversed = words.join(" ");
        assert!(rank(&reversed, &code).is_some_and(|rank| rank < 5), "{code} {reversed}");
        let capitals = description.to_uppercase();
        assert_eq!(codes(&capitals, MOST), codes(&description, MOST), "{capitals}");
    }
}

#[test]
fn a_description_is_found_while_its_words_are_typed() {
    for Diagnosis {
        diagnosis_code: code,
        description,
        ..
    } in some(499)
    {
        let begun: Vec<String> = description
            .split_whitespace()
            .map(|word| word.chars().take(word.chars().count().div_ceil(2).max(4)).collect())
            .collect();
        let begun = begun.join(" ");
        assert!(rank(&begun, &code).is_some(), "{code} {begun}");
    }
}

#[test]
fn one_typo_in_a_long_word_is_tolerated() {
    for (
        nth,
        Diagnosis {
            diagnosis_code: code,
            description,
            ..
        },
    ) in some(311).enumerate()
    {
        let long = description
            .split(|c: char| !c.is_ascii_alphabetic())
            .filter(|word| word.len() >= 5)
            .max_by_key(|word| word.len());
        let Some(long) = long else { continue };
        let at = nth % (long.len() - 1);
        let (before, rest) = long.split_at(at);
        let mut swapped: Vec<char> = rest.chars().collect();
        swapped.swap(0, 1);
        let swapped: String = swapped.into_iter().collect();
        let typos = [
            format!("{before}{}", &rest[1..]),
            format!("{before}q{rest}"),
            format!("{before}q{}", &rest[1..]),
            format!("{before}{swapped}"),
        ];
        for typo in typos {
            let query = description.replacen(long, &typo, 1);
            assert!(rank(&query, &code).is_some(), "{code} {query}");
        }
    }
}

#[test]
fn the_same_query_has_the_same_hits_and_a_limit_cuts_them() {
    for query in ["fracture", "e", "diabetes", "asthna", "kidney", "a b c", "S72"] {
        let hits = codes(query, MOST);
        assert_eq!(codes(query, MOST), hits, "{query}");
        for limit in [0, 1, 2, 7, MOST - 1] {
            assert_eq!(codes(query, limit), hits[..limit.min(hits.len())], "{query}");
        }
        let mut once = hits.clone();
        once.sort();
        once.dedup();
        assert_eq!(once.len(), hits.len(), "{query}: a code twice");
    }
}

#[test]
fn all_words_are_needed() {
    for query in ["diabetes zebra", "knee pain zzzz", "E11.9 appendicitis", "e99.9"] {
        assert!(codes(query, MOST).is_empty(), "{query}: {:?}", codes(query, 3));
    }
}

#[test]
fn what_is_no_word_finds_nothing_and_harms_nothing() {
    let nothing = [
        "",
        " ",
        "\t\n",
        "\"",
        "*",
        "-",
        "--",
        "^",
        "()",
        "'",
        "\0",
        ".",
        "..",
        "...",
        "%",
        "_",
        ":",
        "{",
        "\u{301}",
        "\u{fffd}",
        "\u{1f980}",
        "\u{1f469}\u{200d}\u{2695}\u{fe0f}",
        "\u{202e}",
        "\u{0}\u{7f}",
    ];
    for query in nothing {
        assert!(codes(query, MOST).is_empty(), "{query:?}");
        assert_eq!(codes(&format!("{query} hypertension{query}"), 1), ["I10"], "{query:?}");
    }
    for c in ["a", "é", "\u{1f980}", "ß", "日", "'", ".", "1", "İ", "\u{301}"] {
        codes(&c.repeat(200), MOST);
        codes(&format!("{c} ").repeat(200), MOST);
        codes(&format!("S72.{c}"), MOST);
    }
}
