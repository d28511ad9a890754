//! Sample orders with little and with much content.

use wearlab_requisition::{
    Address, Answer, Consent, Diagnosis, Insurance, Lab, Marker, Patient, Physician, Requisition, Test,
};

/// Id of each sample's order.
pub(crate) const ORDER: &str = "3fa85f64-5717-4562-b3fc-2c963f66afa6";

/// Returns the samples, by name.
pub(crate) fn all() -> Vec<(&'static str, Requisition)> {
    vec![
        ("common", common()),
        ("minimal", minimal()),
        ("everything", everything()),
        ("markers", markers(60)),
        ("long", long()),
        ("scripts", scripts()),
    ]
}

/// Returns a common order.
pub(crate) fn common() -> Requisition {
    let mut order = minimal();
    order.priority = true;
    order.collection_method = Some("walk_in_test".into());
    order.billing_type = Some("client_bill".into());
    order.patient.phone_number = Some("+1 415 555 0132".into());
    order.patient.email = Some("maria.rivera@example.com".into());
    order.address.second_line = Some("Apartment 4B".into());
    order.lab = Some(
        Lab::builder()
            .name("Example Diagnostics")
            .first_line_address("1200 Laboratory Way")
            .city("Sacramento")
            .zipcode("95814")
            .build(),
    );
    order.physician = Some(
        Physician::builder()
            .first_name("Grace")
            .last_name("Okafor")
            .npi("1234567893")
            .phone_number("+1 916 555 0100")
            .build(),
    );
    order.tests = vec![
        test("Comprehensive metabolic panel", &METABOLIC),
        test("Lipid panel", &LIPIDS),
    ];
    order.diagnoses = vec![
        diagnosis("E11.9", "Type 2 diabetes mellitus without complications"),
        diagnosis("E78.5", "Hyperlipidemia, unspecified"),
    ];
    order
}

/// Returns an order without optional values.
pub(crate) fn minimal() -> Requisition {
    Requisition::builder()
        .order_id(ORDER.parse().expect("a UUID"))
        .created_at("2026-04-01T09:30:00Z".parse().expect("a time"))
        .ordered_by("Example Health")
        .patient(
            Patient::builder()
                .first_name("María José")
                .last_name("Rivera")
                .dob("1985-12-10".parse().expect("a date"))
                .gender("female")
                .build(),
        )
        .address(
            Address::builder()
                .first_line("12 Main Street")
                .city("San Francisco")
                .state("CA")
                .zip("94107")
                .country("US")
                .build(),
        )
        .build()
}

/// Returns an order with all values.
pub(crate) fn everything() -> Requisition {
    let mut order = common();
    order.activate_by = Some("2026-04-15".parse().expect("a date"));
    order.address.receiver_name = Some("Luis Rivera".into());
    order.address.access_notes = Some("Ring at 4B, second door on the left.".into());
    order.physician = Some(
        Physician::builder()
            .first_name("Grace")
            .last_name("Okafor")
            .npi("1234567893")
            .phone_number("+1 916 555 0100")
            .email("okafor@example.com")
            .build(),
    );
    order.insurance = Some(
        Insurance::builder()
            .payer_name("Example Mutual")
            .payer_code("EXM01")
            .member_id("XJ-4471-0093")
            .group_id("88310")
            .relationship("spouse")
            .insured_name("Luis Rivera")
            .insured_dob("1983-02-27".parse().expect("a date"))
            .build(),
    );
    order.answers = vec![
        Answer::builder()
            .question("Has the patient fasted for at least 8 hours?")
            .answer("Yes")
            .build(),
        Answer::builder()
            .question("Which medication has the patient taken in the last 48 hours, and at what dose?")
            .answer("Metformin 500 mg twice a day, atorvastatin 20 mg at night")
            .build(),
    ];
    order.clinical_notes =
        Some("Draws well from the left arm.\nPlease call about potassium ≥ 5.5 mmol/L (≤ 1 h).".into());
    order.consents = vec![
        Consent::builder()
            .name("telehealth-informed-consent")
            .version("2025-06")
            .given_at("2026-03-31T22:05:00Z".parse().expect("a time"))
            .build(),
        Consent::builder().name("terms-of-use").build(),
    ];
    order
}

/// Returns an order of more markers than a page has.
pub(crate) fn markers(count: usize) -> Requisition {
    let mut order = common();
    let marker = |number: usize| {
        let marker = Marker::builder().name(format!("Allergen specific IgE, number {number}"));
        marker
            .provider_id(format!("{}", 60_000 + number))
            .loinc(vec![format!("{}-{}", 6_000 + number, number % 10)])
    };
    let markers = (1..=count).map(|number| marker(number).build()).collect();
    order.tests = vec![
        Test::builder()
            .name("Allergy panel")
            .sample_type("serum")
            .markers(markers)
            .build(),
    ];
    order
}

/// Returns an order of texts that are longer than their area.
pub(crate) fn long() -> Requisition {
    let mut order = everything();
    let compound = "Wolfeschlegelsteinhausenbergerdorff".repeat(4);
    order.patient.last_name = format!("{compound} de la Concepción y Todos los Santos");
    order.patient.first_name = "Hubert Blaine ".repeat(8);
    order.patient.email = Some(format!("{}@example.com", "a.very.long.address".repeat(6)));
    order.address.first_line = "Building 7, Floor 12, Corridor C, ".repeat(5);
    order.ordered_by = "The Society for Measuring Everything, West Coast Chapter ".repeat(3);
    order.tests[0].name = "A panel of which the name is longer than a line of the form is wide, ".repeat(3);
    order.tests[0].markers[0].name = "A marker of which the name is longer than its column is wide, ".repeat(3);
    order.tests[0].markers[0].provider_id = Some("CODE-".repeat(20));
    order.tests[0].markers[0].loinc = (0..12).map(|number| format!("{}-{number}", 17_000 + number)).collect();
    order.clinical_notes = Some("What one should know. ".repeat(150));
    order
}

/// Returns an order with letters that the font has, and with others.
pub(crate) fn scripts() -> Requisition {
    let mut order = everything();
    // The accents are separate characters.
    order.patient.first_name = "Zoe\u{308} Nguye\u{302}\u{303}n".into();
    order.patient.last_name = "王小明".into();
    order.address.first_line = "رقم ١٢، شارع النيل".into();
    order.address.second_line = Some("רחוב הרצל 5".into());
    order.address.city = "Αθήνα".into();
    order.address.state = "Київ".into();
    order.ordered_by = "Hôpital Ćwikła & Søn 🏥".into();
    order.clinical_notes = Some("\u{202e}right to left\u{202c} \u{e000} \u{0} zero\u{200b}width".into());
    order
}

fn diagnosis(code: &str, description: &str) -> Diagnosis {
    Diagnosis::builder().code(code).description(description).build()
}

fn test(name: &str, markers: &[(&str, &str, &str)]) -> Test {
    let marker = |(code, name, loinc): &(&str, &str, &str)| {
        Marker::builder()
            .name(*name)
            .provider_id(*code)
            .loinc(vec![(*loinc).to_owned()])
            .build()
    };
    Test::builder()
        .name(name)
        .sample_type("serum")
        .fasting(true)
        .markers(markers.iter().map(marker).collect())
        .build()
}

const METABOLIC: [(&str, &str, &str); 14] = [
    ("001032", "Glucose", "2345-7"),
    ("001040", "Urea nitrogen (BUN)", "3094-0"),
    ("001370", "Creatinine", "2160-0"),
    ("001198", "Sodium", "2951-2"),
    ("001180", "Potassium", "2823-3"),
    ("001206", "Chloride", "2075-0"),
    ("001578", "Carbon dioxide, total", "2028-9"),
    ("001016", "Calcium", "17861-6"),
    ("001073", "Protein, total", "2885-2"),
    ("001081", "Albumin", "1751-7"),
    ("001099", "Bilirubin, total", "1975-2"),
    ("001107", "Alkaline phosphatase", "6768-6"),
    ("001123", "AST (SGOT)", "1920-8"),
    ("001545", "ALT (SGPT)", "1742-6"),
];

const LIPIDS: [(&str, &str, &str); 4] = [
    ("001065", "Cholesterol, total", "2093-3"),
    ("001172", "Triglycerides", "2571-8"),
    ("011817", "HDL cholesterol", "2085-9"),
    ("012059", "LDL cholesterol, calculated", "13457-7"),
];
