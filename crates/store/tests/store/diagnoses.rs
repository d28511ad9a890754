//! The search for diagnoses.

use wearlab_models::Diagnosis;

use crate::world::{World, all};

const DIAGNOSES: &[(&str, &str)] = &[
    (
        "D51.0",
        "Vitamin B12 deficiency anemia due to intrinsic factor deficiency",
    ),
    ("E11.4", "Type 2 diabetes mellitus with neurological complications"),
    (
        "E11.40",
        "Type 2 diabetes mellitus with diabetic neuropathy, unspecified",
    ),
    ("E11.9", "Type 2 diabetes mellitus without complications"),
    ("E10.9", "Type 1 diabetes mellitus without complications"),
    ("E55.9", "Vitamin D deficiency, unspecified"),
    ("H81.01", "Ménière's disease, right ear"),
    ("I10", "Essential (primary) hypertension"),
    ("M35.0", "Sjögren syndrome"),
    ("Z3A.10", "10 weeks gestation of pregnancy"),
];

async fn world() -> World {
    let world = World::new().await;
    world
        .write(|write| {
            for (code, description) in DIAGNOSES {
                write.put_diagnosis(
                    &Diagnosis::builder()
                        .diagnosis_code(*code)
                        .description(*description)
                        .build(),
                )?;
            }
            Ok(())
        })
        .await;
    world
}

impl World {
    async fn search(&self, query: &str) -> Vec<String> {
        let found = self.store.search_diagnoses(query, 50).await.expect("searches");
        all(&found).into_iter().map(|hit| hit.diagnosis_code).collect()
    }
}

#[tokio::test]
async fn codes_are_found_by_their_beginning() {
    let world = world().await;
    for query in ["E11", "e11", "e11.", " E11 "] {
        assert_eq!(world.search(query).await, ["E11.4", "E11.40", "E11.9"], "{query:?}");
    }
    for query in ["E11.4", "e114", "E114"] {
        assert_eq!(world.search(query).await, ["E11.4", "E11.40"], "{query:?}");
    }
    assert_eq!(world.search("z3a").await, ["Z3A.10"]);
    assert_eq!(world.search("I10").await, ["I10"]);
    assert!(world.search("E99").await.is_empty());
    assert_eq!(
        world.search("i").await[0],
        "I10",
        "a code that begins so comes before words that do"
    );
}

#[tokio::test]
async fn words_are_found_by_their_beginnings_in_any_order() {
    let world = world().await;
    let mut found = world.search("without diab").await;
    found.sort();
    assert_eq!(found, ["E10.9", "E11.9"]);
    for query in [
        "type 2 neuropathy",
        "NEUROPATHY type 2",
        "neurop 2 ty",
        "diabetic,neuropathy",
    ] {
        assert_eq!(world.search(query).await, ["E11.40"], "{query:?}");
    }
    assert_eq!(world.search("vitamin d").await[0], "E55.9");
    assert_eq!(world.search("b12").await, ["D51.0"], "a word that looks like a code");
    assert_eq!(world.search("e11 neuropathy").await, ["E11.40"], "a code among words");
    assert_eq!(world.search("e11.4 diabetic").await, ["E11.40"], "a code among words");
    assert!(
        world.search("diabetes hypertension").await.is_empty(),
        "all words, not some"
    );
    assert!(world.search("iabetes").await.is_empty(), "beginnings of words only");
}

#[tokio::test]
async fn accents_and_case_do_not_matter() {
    let world = world().await;
    for query in ["meniere", "Ménière", "MÉNIÈRE'S", "me\u{301}nie\u{300}re"] {
        assert_eq!(world.search(query).await, ["H81.01"], "{query:?}");
    }
    assert_eq!(world.search("sjogren").await, ["M35.0"]);
}

#[tokio::test]
async fn a_query_is_text_and_never_a_command() {
    let world = world().await;
    for query in [
        "", " ", "\"", "*", "-", "^", "()", "'", "\0", ".", "..", "%", "_", ":", "{", "\u{301}", "\u{fffd}",
    ] {
        assert!(world.search(query).await.is_empty(), "{query:?}");
    }
    for query in [
        "diabetes AND",
        "NOT diabetes",
        "diabetes OR hypertension",
        "NEAR(type diabetes)",
        "code:diabetes",
    ] {
        assert!(world.search(query).await.is_empty(), "{query:?}");
    }
    for query in [
        "\"hypertension\"",
        "hypertension*",
        "(primary)",
        "primary) OR (",
        "^primary",
        "-primary",
        "primary\"",
    ] {
        let expected: &[&str] = if query.contains("OR") { &[] } else { &["I10"] };
        assert_eq!(world.search(query).await, expected, "{query:?}");
    }
    let long = "hypertension ".repeat(400);
    assert_eq!(world.search(&long).await, ["I10"]);
}

#[tokio::test]
async fn hits_are_limited_and_their_order_is_fixed() {
    let world = world().await;
    let all_of = world.search("diabetes").await;
    assert_eq!(all_of.len(), 4);
    for limit in 0..6 {
        let found = all(&world.store.search_diagnoses("diabetes", limit).await.expect("searches"));
        let codes: Vec<_> = found.into_iter().map(|hit| hit.diagnosis_code).collect();
        assert_eq!(codes, all_of[..limit.min(4)]);
    }
    let found = world.store.search_diagnoses("e11", 2).await.expect("searches");
    assert_eq!(found.len(), 2);
    let same_words = world.search("mellitus without complications").await;
    assert_eq!(same_words, ["E10.9", "E11.9"], "hits that are as good go by code");
}

#[tokio::test]
async fn a_diagnosis_that_changes_is_found_by_its_new_words() {
    let world = world().await;
    let diagnosis = Diagnosis::builder()
        .diagnosis_code("I10")
        .description("High blood pressure")
        .build();
    world.write(|write| write.put_diagnosis(&diagnosis)).await;
    assert!(world.search("hypertension").await.is_empty());
    assert_eq!(world.search("pressure").await, ["I10"]);
    assert_eq!(
        all(&world.store.search_diagnoses("I10", 9).await.expect("searches")),
        [diagnosis]
    );
}
