//! Tests of forms with arbitrary text: nothing panics, is lost, or is drawn out of sight.

use std::collections::BTreeMap;

use chrono::{DateTime, NaiveDate};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use uuid::Uuid;

use crate::font::Fonts;
use crate::form::compose;
use crate::page::{HEIGHT, LEFT, Op, RIGHT};
use crate::{Address, Answer, Consent, Diagnosis, Insurance, Lab, Marker, Patient, Physician, Requisition, Test};

/// Returns arbitrary text: of any characters, or of a few of them many times.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[A-Za-z ,.-]{0,40}",
        2 => any::<String>(),
        1 => ("\\PC|\\pC|\\s|\\p{Mn}|\u{fffd}", 1..900_usize).prop_map(|(text, times)| text.repeat(times)),
        1 => "(\\p{L}\\p{M}{0,3}|\\p{Z}|\\p{Cf}|\n){0,400}",
    ]
}

fn date() -> impl Strategy<Value = NaiveDate> {
    (i32::MIN..i32::MAX)
        .prop_map(|days| NaiveDate::from_num_days_from_ce_opt(days % 100_000_000).unwrap_or(NaiveDate::MAX))
}

fn people() -> impl Strategy<Value = (Patient, Address, Option<Physician>, Option<Insurance>)> {
    (vec(text(), 16), date(), any::<[bool; 4]>()).prop_map(|(texts, dob, [more, physician, insurance, second])| {
        let text = |number: usize| texts[number].as_str();
        let patient = Patient::builder()
            .first_name(text(0))
            .last_name(text(1))
            .dob(dob)
            .gender(text(2));
        let address = Address::builder()
            .first_line(text(3))
            .city(text(4))
            .state(text(5))
            .zip(text(6));
        let doctor = Physician::builder().first_name(text(7)).last_name(text(8)).npi(text(9));
        let insured = Insurance::builder()
            .maybe_payer_name(physician.then(|| text(10)))
            .maybe_insured_dob(more.then_some(dob));
        (
            patient
                .maybe_phone_number(more.then(|| text(11)))
                .maybe_email(second.then(|| text(12)))
                .build(),
            address
                .country(text(13))
                .maybe_second_line(second.then(|| text(14)))
                .build(),
            physician.then(|| doctor.maybe_email(more.then(|| text(15))).build()),
            insurance.then(|| insured.maybe_member_id(second.then(|| text(15))).build()),
        )
    })
}

fn test() -> impl Strategy<Value = Test> {
    let marker = (text(), option::of(text()), vec(text(), 0..3)).prop_map(|(name, code, loinc)| {
        Marker::builder()
            .name(name)
            .maybe_provider_id(code)
            .loinc(loinc)
            .build()
    });
    (
        text(),
        option::of(text()),
        option::of(any::<bool>()),
        vec(marker, 0..30),
    )
        .prop_map(|(name, sample, fasting, markers)| {
            Test::builder()
                .name(name)
                .maybe_sample_type(sample)
                .maybe_fasting(fasting)
                .markers(markers)
                .build()
        })
}

prop_compose! {
    fn requisition()(
        (order, seconds) in (any::<u128>(), -8_000_000_000_000_i64..8_000_000_000_000),
        people in people(),
        lab in option::of((text(), text(), text())),
        tests in vec(test(), 0..4),
        pairs in vec((text(), text()), 0..6),
        texts in (text(), option::of(text()), option::of(text()), option::of(text())),
        (priority, day) in (any::<bool>(), option::of(date())),
    ) -> Requisition {
        let (patient, address, physician, insurance) = people;
        let (ordered_by, method, billing, notes) = texts;
        let time = DateTime::from_timestamp(seconds, 0).unwrap_or_default();
        let lab = lab.map(|(name, city, zip)| Lab::builder().name(name).city(city).zipcode(zip).build());
        let (diagnoses, answers, consents) = (pairs.iter(), pairs.iter(), pairs.iter());
        Requisition::builder()
            .order_id(Uuid::from_u128(order)).created_at(time).ordered_by(ordered_by).priority(priority)
            .maybe_collection_method(method).maybe_activate_by(day).maybe_billing_type(billing)
            .patient(patient).address(address).maybe_lab(lab).maybe_physician(physician).maybe_insurance(insurance)
            .tests(tests).maybe_clinical_notes(notes)
            .diagnoses(diagnoses.map(|(a, b)| Diagnosis::builder().code(a).description(b).build()).collect())
            .answers(answers.map(|(a, b)| Answer::builder().question(a).answer(b).build()).collect())
            .consents(consents.map(|(a, b)| Consent::builder().name(a).version(b).given_at(time).build()).collect())
            .build()
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    #[test]
    fn each_order_has_a_form(requisition in requisition()) {
        let pdf = requisition.to_pdf();
        prop_assert!(pdf.is_ok(), "{:?}", pdf.err());
        prop_assert!(pdf == requisition.to_pdf());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, ..ProptestConfig::default() })]

    #[test]
    fn all_is_within_its_page_and_no_line_is_on_another(requisition in requisition()) {
        let composer = compose(&requisition).expect("a form");
        let fonts = Fonts::load().expect("the fonts");
        for page in &composer.pages.pages {
            let mut lines: BTreeMap<i64, Vec<(f32, f32)>> = BTreeMap::new();
            for op in page {
                let Op::Text(text) = op else { continue };
                let end = text.x + fonts.face(text.weight).width(text.text.trim_end(), text.size);
                prop_assert!(text.x >= LEFT && end <= RIGHT + 0.1, "{} to {end}", text.x);
                prop_assert!(text.baseline > 36.0 && text.baseline < HEIGHT - 35.0, "{}", text.baseline);
                #[expect(clippy::cast_possible_truncation, reason = "a tenth of a point decides")]
                let line = (text.baseline * 10.0) as i64;
                lines.entry(line).or_default().push((text.x, end));
            }
            for spans in lines.values_mut() {
                spans.sort_by(|one, other| one.0.total_cmp(&other.0));
                prop_assert!(spans.windows(2).all(|pair| pair[0].1 <= pair[1].0 + 0.1), "{spans:?}");
            }
        }
    }
}
