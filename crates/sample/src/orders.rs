//! Orders of the described user, one in each status.

use chrono::{DateTime, FixedOffset, NaiveDate, TimeDelta};
use wearlab_ingest::orders::{LabReport, ReportMetadata, ReportedResults, StepReport, advance};
use wearlab_labs::status::{OrderStatus, Step};
use wearlab_models::{
    BillingType, CollectionDetails, Gender, LabReportStatus, LabTest, Order, OrderDetails, OrderEvent, OrderSet,
    PatientAddress, PatientDetails, Physician,
};
use wearlab_store::{LabTestRecord, OrderRecord, Record};

use super::generator::Generator;
use super::identity::Sample;
use super::{labs, results};

/// Index of the test in the catalogue, and current step, of each order.
const ORDERS: [(usize, &str); 7] = [
    (0, "requisition_created"),
    (1, "appointment_scheduled"),
    (2, "delivered_to_lab"),
    (0, "completed"),
    (1, "completed"),
    (2, "do_not_process"),
    (2, "lost"),
];

/// Creates the orders, oldest first.
pub(super) fn records(seed: u64, sample: &Sample) -> Vec<Record> {
    let mut draw = Generator::of_orders(seed);
    let tests: Vec<LabTestRecord> = labs::records(sample)
        .into_iter()
        .filter_map(|record| match record {
            Record::LabTest(test) => Some(test),
            _ => None,
        })
        .collect();
    let mut orders: Vec<_> = ORDERS
        .iter()
        .filter_map(|(test, step)| order(&mut draw, sample, tests.get(*test)?, step))
        .collect();
    orders.sort_by_key(|record| record.order.created_at);
    orders
        .into_iter()
        .map(|record| Record::Order(Box::new(record)))
        .collect()
}

fn order(draw: &mut Generator, sample: &Sample, test: &LabTestRecord, to: &str) -> Option<OrderRecord> {
    let lab_test = test.lab_test()?;
    let method = wearlab_labs::status::CollectionMethod::from_name(lab_test.method.as_str())?;
    let created_at = draw.time();
    let mut order = ordered(draw, sample, lab_test, Step::initial(method), created_at);
    let mut at = created_at;
    for step in walk(Step::initial(method), Step::of(method, to)?) {
        at += TimeDelta::hours(5 + i64::try_from(draw.below(40)).unwrap_or_default());
        advance(&mut order, &StepReport::at(step, at), at.to_utc()).ok()?;
    }
    let results = (order.status.as_str() == OrderStatus::Completed.as_str()).then(|| {
        let report = LabReport {
            team_id: order.team_id,
            user_id: order.user_id,
            order_id: order.id,
            metadata: ReportMetadata {
                laboratory: order.lab_test.lab.as_ref().map(|lab| lab.name.clone()),
                provider: order
                    .physician
                    .as_ref()
                    .map(|physician| format!("{} {}", physician.first_name, physician.last_name)),
                date_reported: at,
                date_collected: Some(at - TimeDelta::hours(30)),
                date_received: Some(at - TimeDelta::hours(20)),
                specimen_number: format!("NL-{}", draw.text(8)),
                status: Some(LabReportStatus::Final),
                interpretation: None,
            },
            results: test
                .markers
                .iter()
                .map(|marker| results::result(order.id, marker))
                .collect(),
            missing_results: Vec::new(),
            arrival_id: None,
        };
        ReportedResults::of(&report)
    });
    order.interpretation = results.as_ref().and_then(ReportedResults::interpretation);
    Some(OrderRecord { order, results })
}

/// Returns the steps from the first one, exclusive, to a step: along the simulated path, and then to the step.
fn walk(first: Step, to: Step) -> Vec<Step> {
    let usual = std::iter::successors(first.simulated_next(), |step| step.simulated_next());
    let mut steps: Vec<_> = usual
        .take_while(|step| *step != to && to.can_follow(*step))
        .filter(|step| !step.is_final())
        .collect();
    if to.status() == OrderStatus::Cancelled {
        steps.truncate(2);
    }
    steps.push(to);
    steps
}

fn ordered(
    draw: &mut Generator,
    sample: &Sample,
    lab_test: LabTest,
    first: Step,
    created_at: DateTime<FixedOffset>,
) -> Order {
    let event = OrderEvent::builder()
        .id(1)
        .created_at(created_at)
        .status(first.to_string())
        .build();
    let details = OrderDetails::builder()
        .type_(first.method().as_str().into())
        .data(CollectionDetails::builder().build())
        .build();
    let set = OrderSet::builder().lab_test_ids(vec![lab_test.id.clone()]).build();
    let physician = Physician::builder()
        .first_name("Ines")
        .last_name("Marlow")
        .npi("1234567893");
    Order::builder()
        .id(draw.uuid())
        .user_id(sample.user_id)
        .team_id(sample.team_id)
        .patient_details(patient())
        .patient_address(address())
        .lab_test(lab_test)
        .details(details)
        .created_at(created_at)
        .updated_at(created_at)
        .events(vec![event.clone()])
        .status(first.status().as_str().into())
        .last_event(event)
        .physician(physician.build())
        .priority(draw.percent(30))
        .billing_type(BillingType::ClientBill)
        .icd_codes(vec!["Z00.00".to_owned(), "E78.5".to_owned()])
        .has_abn(false)
        .order_set(set)
        .build()
}

fn patient() -> PatientDetails {
    PatientDetails::builder()
        .first_name("Alma")
        .last_name("Winters")
        .dob(NaiveDate::from_ymd_opt(1990, 1, 1).unwrap_or_default())
        .gender(Gender::Female)
        .phone_number("+15035550142")
        .email("alma.winters@example.com")
        .build()
}

fn address() -> PatientAddress {
    PatientAddress::builder()
        .first_line("17 Alder Street")
        .city("Portland")
        .state("OR")
        .zip("97205")
        .country("US")
        .build()
}
