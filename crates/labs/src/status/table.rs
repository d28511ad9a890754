//! Table of steps and their direct transitions.
//!
//! This is the only definition of transitions; closure, history, documentation and demo are derived from it.

use super::OrderStatus::{Cancelled, CollectingSample, Completed, Failed, Received, SampleWithLab};
use super::{CollectionMethod, OrderStatus};

/// Step of one method.
pub(super) struct Row {
    pub(super) status: OrderStatus,
    /// Name, which is unique within its method.
    pub(super) name: &'static str,
    /// Names of the steps of the method that may directly follow. None: the step is final.
    pub(super) next: &'static [&'static str],
}

/// Steps of a method in the order in which steps of the same time are sorted.
pub(super) struct Table {
    pub(super) rows: &'static [Row],
    /// Usual walk, each step a direct successor of the one before it.
    pub(super) usual: &'static [&'static str],
}

pub(super) const fn table(method: CollectionMethod) -> &'static Table {
    match method {
        CollectionMethod::Testkit => &TESTKIT,
        CollectionMethod::WalkInTest => &WALK_IN_TEST,
        CollectionMethod::AtHomePhlebotomy => &AT_HOME_PHLEBOTOMY,
        CollectionMethod::OnSiteCollection => &ON_SITE_COLLECTION,
    }
}

const fn row(status: OrderStatus, name: &'static str, next: &'static [&'static str]) -> Row {
    Row { status, name, next }
}

/// Steps of a kit. A kit that is not registered when it is sent is registered by the customer who has it.
const TESTKIT: Table = Table {
    rows: &[
        row(
            Received,
            "ordered",
            &[
                "awaiting_registration",
                "testkit_registered",
                "requisition_created",
                "cancelled",
                "do_not_process",
            ],
        ),
        row(
            Received,
            "awaiting_registration",
            &["testkit_registered", "transit_customer", "cancelled", "do_not_process"],
        ),
        row(
            Received,
            "testkit_registered",
            &["requisition_created", "cancelled", "do_not_process"],
        ),
        row(
            Received,
            "requisition_created",
            &["transit_customer", "transit_lab", "cancelled", "do_not_process"],
        ),
        row(
            CollectingSample,
            "transit_customer",
            &[
                "out_for_delivery",
                "problem_in_transit_customer",
                "with_customer",
                "failure_to_deliver_to_customer",
                "lost",
                "cancelled",
                "do_not_process",
            ],
        ),
        row(
            CollectingSample,
            "out_for_delivery",
            &[
                "problem_in_transit_customer",
                "with_customer",
                "failure_to_deliver_to_customer",
                "lost",
                "cancelled",
                "do_not_process",
            ],
        ),
        row(
            CollectingSample,
            "problem_in_transit_customer",
            &[
                "transit_customer",
                "out_for_delivery",
                "with_customer",
                "failure_to_deliver_to_customer",
                "lost",
                "cancelled",
                "do_not_process",
            ],
        ),
        row(
            CollectingSample,
            "with_customer",
            &[
                "testkit_registered",
                "transit_lab",
                "lost",
                "cancelled",
                "do_not_process",
            ],
        ),
        row(
            CollectingSample,
            "transit_lab",
            &[
                "problem_in_transit_lab",
                "delivered_to_lab",
                "failure_to_deliver_to_lab",
                "lost",
                "cancelled",
                "do_not_process",
            ],
        ),
        row(
            CollectingSample,
            "problem_in_transit_lab",
            &[
                "transit_lab",
                "delivered_to_lab",
                "failure_to_deliver_to_lab",
                "lost",
                "cancelled",
                "do_not_process",
            ],
        ),
        row(
            SampleWithLab,
            "delivered_to_lab",
            &[
                "partial_results",
                "completed",
                "cancelled",
                "do_not_process",
                "sample_error",
            ],
        ),
        row(
            SampleWithLab,
            "partial_results",
            &[
                "partial_results",
                "completed",
                "cancelled",
                "do_not_process",
                "sample_error",
            ],
        ),
        row(Completed, "completed", &[]),
        row(Cancelled, "cancelled", &[]),
        row(Cancelled, "do_not_process", &[]),
        row(Failed, "failure_to_deliver_to_customer", &[]),
        row(Failed, "failure_to_deliver_to_lab", &[]),
        row(Failed, "lost", &[]),
        row(Failed, "sample_error", &[]),
    ],
    usual: &[
        "ordered",
        "requisition_created",
        "transit_customer",
        "out_for_delivery",
        "with_customer",
        "transit_lab",
        "delivered_to_lab",
        "completed",
    ],
};

/// Steps of the two methods with an appointment. One may be drawn without an appointment, and again after an error.
const WITH_APPOINTMENT: &[Row] = &[
    row(
        Received,
        "ordered",
        &["requisition_created", "requisition_bypassed", "cancelled"],
    ),
    row(
        Received,
        "requisition_created",
        &[
            "appointment_pending",
            "appointment_scheduled",
            "draw_completed",
            "cancelled",
        ],
    ),
    row(
        Received,
        "requisition_bypassed",
        &[
            "appointment_pending",
            "appointment_scheduled",
            "draw_completed",
            "cancelled",
        ],
    ),
    row(
        CollectingSample,
        "appointment_pending",
        &["appointment_scheduled", "appointment_cancelled", "cancelled"],
    ),
    row(
        CollectingSample,
        "appointment_scheduled",
        &[
            "appointment_scheduled",
            "appointment_cancelled",
            "draw_completed",
            "cancelled",
        ],
    ),
    row(
        CollectingSample,
        "appointment_cancelled",
        &["appointment_pending", "appointment_scheduled", "cancelled"],
    ),
    row(CollectingSample, "draw_completed", AFTER_DRAW),
    row(
        CollectingSample,
        "redraw_available",
        &[
            "appointment_pending",
            "appointment_scheduled",
            "draw_completed",
            "cancelled",
            "sample_error",
        ],
    ),
    row(SampleWithLab, "partial_results", AFTER_DRAW),
    row(Completed, "completed", &[]),
    row(Cancelled, "cancelled", &[]),
    row(Failed, "sample_error", &[]),
];

const AFTER_DRAW: &[&str] = &[
    "redraw_available",
    "partial_results",
    "completed",
    "cancelled",
    "sample_error",
];

const WALK_IN_TEST: Table = Table {
    rows: WITH_APPOINTMENT,
    usual: USUAL_APPOINTMENT,
};

const AT_HOME_PHLEBOTOMY: Table = Table {
    rows: WITH_APPOINTMENT,
    usual: USUAL_APPOINTMENT,
};

const USUAL_APPOINTMENT: &[&str] = &[
    "ordered",
    "requisition_created",
    "appointment_pending",
    "appointment_scheduled",
    "draw_completed",
    "partial_results",
    "completed",
];

const ON_SITE_COLLECTION: Table = Table {
    rows: &[
        row(
            Received,
            "ordered",
            &["requisition_created", "requisition_bypassed", "cancelled"],
        ),
        row(Received, "requisition_created", &["draw_completed", "cancelled"]),
        row(Received, "requisition_bypassed", &["draw_completed", "cancelled"]),
        row(CollectingSample, "draw_completed", AFTER_DRAW),
        row(
            CollectingSample,
            "redraw_available",
            &["draw_completed", "cancelled", "sample_error"],
        ),
        row(SampleWithLab, "partial_results", AFTER_DRAW),
        row(Completed, "completed", &[]),
        row(Cancelled, "cancelled", &[]),
        row(Failed, "sample_error", &[]),
    ],
    usual: &[
        "ordered",
        "requisition_created",
        "draw_completed",
        "partial_results",
        "completed",
    ],
};
