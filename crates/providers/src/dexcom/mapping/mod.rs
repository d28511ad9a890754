//! Conversion of Dexcom's records.
//!
//! | record | value | conversion |
//! |---|---|---|
//! | `egv` | `glucose`, in mmol/L, of the source `automatic` | mg/dL / 18.0182, by the `unit` of the record |
//! | `calibration` | `glucose` of the source `fingerprick` | the same |
//! | event `bloodGlucose` | `glucose` of the source `fingerprick` | the same |
//! | event `carbs` | `carbohydrates`, in g, of the source `app` | |
//! | event `insulin` | `insulin_injection`, in units, of the source `app` | `eventSubType` is `type` |
//! | event `exercise` | `workout_duration`, in minutes, of the source `app` | `eventSubType` is `intensity`: `light` is `low`, `heavy` is `high` |
//! | events `health`, `notes` | `note` of the source `app` | the text, or else the `eventSubType`, which is `type` and one of the `tags`, too |
//!
//! Without a counterpart, and not read: `trend`, `trendRate`, `status` and `displayDevice`; events of the type `unknown`, and
//! of types that are not known; events and finger-sticks without a value.
//!
//! **Times.** A sample is at `systemTime`, which is UTC, also where it has no offset. Its offset is that of `displayTime`, or
//! else, as a receiver has none, their difference, rounded to a quarter of an hour. A difference that no zone has is a clock that
//! is wrong, and the sample has the offset of UTC. The day is that of the sample in its offset.
//!
//! **Out of range** of the sensor (`status` is `low` or `high`), there is a sample if the value is a limit, and none if it is null
//! or a text.
//!
//! **Repeated values.** Of two with the same `transmitterId` and `transmitterTicks` within minutes, which a phone and a receiver
//! uploaded, the first counts. Amounts of carbohydrates, and of insulin of a type, of one time are added, since a sample
//! replaces the one of the same time.
//!
//! **A value that is not a number**, or has another unit, is rejected with a warning in the log.
//!
//! **A record whose time cannot be read** is left out, with a warning in the log.
//!
//! **Deleted events** (`eventStatus`) are left out; what was stored before is not deleted yet. Neither is what an event was
//! before its time or type was edited.

mod events;
mod glucose;
mod time;
mod values;

pub use self::events::events;
pub use self::glucose::{calibrations, egvs};
