//! Lab tests with their markers, and lab accounts.

use wearlab_models::{CollectionMethod, ExpectedResult, Lab, LabTestStatus, Loinc, Marker, MarkerType, SampleType};
use wearlab_store::{LabAccountRecord, LabTestDetails, LabTestRecord, Record};

use super::identity::Sample;

const LOINC: &str = include_str!("../data/loinc.tsv");

/// Id of the lab of all tests.
const LAB: i64 = 1;

/// Line of the data file.
struct Line<'a> {
    code: &'a str,
    name: &'a str,
    unit: Option<&'a str>,
    marker: &'a str,
    tests: &'a str,
    range: (Option<f64>, Option<f64>),
}

/// Attributes of a test other than its name and markers.
struct Kind {
    slug: &'static str,
    sample_type: SampleType,
    method: CollectionMethod,
    price: f64,
    fasting: bool,
    tat_days: (u32, u32),
}

const WELLNESS: Kind = Kind {
    slug: "wellness",
    sample_type: SampleType::Serum,
    method: CollectionMethod::WalkInTest,
    price: 189.0,
    fasting: true,
    tat_days: (2, 5),
};
const METABOLIC: Kind = Kind {
    slug: "metabolic-panel",
    sample_type: SampleType::Serum,
    method: CollectionMethod::AtHomePhlebotomy,
    price: 64.5,
    fasting: true,
    tat_days: (1, 3),
};
const HORMONES: Kind = Kind {
    slug: "hormones",
    sample_type: SampleType::DriedBloodSpot,
    method: CollectionMethod::Testkit,
    price: 119.0,
    fasting: false,
    tat_days: (5, 10),
};

fn details(kind: &Kind) -> LabTestDetails {
    LabTestDetails {
        slug: kind.slug.to_owned(),
        sample_type: kind.sample_type.clone(),
        method: kind.method.clone(),
        price: kind.price,
        is_active: true,
        status: LabTestStatus::Active,
        fasting: Some(kind.fasting),
        lab: Some(lab()),
        common_tat_days: Some(kind.tat_days.0),
        worst_case_tat_days: Some(kind.tat_days.1),
    }
}

/// Returns the lab of all tests.
fn lab() -> Lab {
    let methods = [WELLNESS, METABOLIC, HORMONES].map(|kind| kind.method);
    Lab::builder()
        .id(LAB)
        .slug("northlake")
        .name("Northlake Diagnostics")
        .first_line_address("200 Harbor Road")
        .city("Portland")
        .zipcode("97201")
        .collection_methods([&methods[..], &[CollectionMethod::OnSiteCollection]].concat())
        .sample_types(vec![SampleType::Serum, SampleType::DriedBloodSpot])
        .logo_url("https://cdn.wearlab.example/logos/northlake.svg")
        .build()
}

/// Returns the usual range of a LOINC term's values, for adults.
pub(super) fn usual_range(loinc: &str) -> (Option<f64>, Option<f64>) {
    let line = LOINC.lines().filter_map(parse).find(|line| line.code == loinc);
    line.map_or((None, None), |line| line.range)
}

/// Creates three lab tests, and two accounts of the described team.
///
/// The first account sees the large test without each fifth marker, and one more test; the second each third marker of
/// the large one.
pub(super) fn records(sample: &Sample) -> Vec<Record> {
    let large = test("w");
    let metabolic = test("m");
    let ids = |markers: &[Marker], keep: fn(usize) -> bool| -> Vec<i64> {
        let kept = markers.iter().enumerate().filter(|(at, _)| keep(*at));
        kept.map(|(_, marker)| marker.id).collect()
    };
    let most = ids(&large, |at| at % 5 != 4);
    let few = ids(&large, |at| at % 3 == 0);
    let all = ids(&metabolic, |_| true);
    let test = |id: &str, name: &str, markers, details| {
        Record::LabTest(LabTestRecord {
            lab_test_id: id.to_owned(),
            name: name.to_owned(),
            markers,
            details: Some(details),
        })
    };
    let account = |lab_account_id, visible| {
        Record::LabAccount(LabAccountRecord {
            team_id: sample.team_id,
            lab_account_id,
            visible,
        })
    };
    let first = [(sample.lab_test_id.clone(), most), ("metabolic".to_owned(), all)];
    let second = [(sample.lab_test_id.clone(), few)];
    vec![
        test(&sample.lab_test_id, "Wellness", large, details(&WELLNESS)),
        test("metabolic", "Metabolic panel", metabolic, details(&METABOLIC)),
        test("hormones", "Hormones", self::test("h"), details(&HORMONES)),
        account(sample.lab_account_id, first.into()),
        account(sample.other_lab_account_id, second.into()),
    ]
}

/// Creates the markers of a test. A marker has the same id in all tests.
fn test(letter: &str) -> Vec<Marker> {
    let lines = (1..).zip(LOINC.lines().filter_map(parse));
    lines
        .filter(|(_, line)| line.tests.contains(letter))
        .map(|(id, line)| marker(id, &line))
        .collect()
}

fn parse(line: &str) -> Option<Line<'_>> {
    let mut cells = line.split('\t');
    Some(Line {
        code: cells.next()?,
        name: cells.next()?,
        unit: cells.next().filter(|unit| !unit.is_empty()),
        marker: cells.next()?,
        tests: cells.next()?,
        range: {
            let mut bound = || cells.next().and_then(|text| text.parse().ok());
            (bound(), bound())
        },
    })
}

fn marker(id: i64, line: &Line<'_>) -> Marker {
    let slug = slug(line.marker);
    // Most have a price, some a text in its place.
    let price = match id % 8 {
        0 => "N/A".to_owned(),
        _ => format!("{}.{}0", 4 + id * 7 % 60, id % 10),
    };
    let loinc = Loinc::builder()
        .id(1_000 + id)
        .name(line.name)
        .slug(self::slug(line.name))
        .code(line.code)
        .maybe_unit(line.unit.map(str::to_owned))
        .build();
    let result = ExpectedResult::builder()
        .id(2_000 + id)
        .name(line.marker)
        .slug(&slug)
        .lab_id(LAB)
        .provider_id(format!("R{id:04}"))
        .loinc(loinc)
        .required(id % 4 != 0)
        .build();
    Marker::builder()
        .id(id)
        .name(line.marker)
        .slug(&slug)
        // The LOINC term includes the specimen.
        .description(format!("{}, reported as {}.", line.marker, line.name))
        .lab_id(LAB)
        .provider_id(format!("M{id:04}"))
        .type_(MarkerType::Biomarker)
        .maybe_unit(line.unit.map(str::to_owned))
        .price(price)
        .expected_results(vec![result])
        .build()
}

/// Converts a name to small letters and digits, with a hyphen for each run of other characters.
fn slug(name: &str) -> String {
    let name = name.to_ascii_lowercase();
    let words = name
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("-")
}
