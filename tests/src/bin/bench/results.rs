//! Results, which are printed, written as JSON and put into the documentation.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};
use chrono::Utc;
use serde::{Deserialize, Serialize};

use crate::environment::Environment;
use crate::measure::{Rounds, median};

/// Target of a ratio.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Target {
    /// Minimum ratio of the speed to that of the reference.
    AtLeast(f64),
    /// Maximum ratio of the cost to that of the reference.
    AtMost(f64),
    /// The ratio is only printed.
    None,
}

/// Ratio to a reference.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct Comparison {
    /// Description of the measurement.
    pub(crate) what: String,
    /// Description of the reference.
    pub(crate) reference: String,
    /// Unit of the numbers.
    pub(crate) unit: String,
    /// Target of the ratio.
    pub(crate) target: Target,
    /// Numbers of the rounds.
    pub(crate) rounds: Rounds,
}

/// Growth of the cost of an operation with the amount of data, in any unit: only the growth is meaningful.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct Growth {
    /// Description of the measurement.
    pub(crate) what: String,
    /// Quantity that grows, such as users.
    pub(crate) of: String,
    /// Points in ascending order.
    pub(crate) points: Vec<Point>,
    /// Maximum of the last multiple. Defaults to the growth of the logarithm.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) at_most: Option<f64>,
}

/// Cost of an operation at a size, round by round.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct Point {
    /// Size.
    pub(crate) size: u64,
    /// Cost of each round.
    pub(crate) costs: Vec<f64>,
}

/// Number without a reference, with its unit and an optional limit.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct Printed {
    /// Description of the measurement.
    pub(crate) what: String,
    /// Number with its unit.
    pub(crate) value: String,
    /// Limit, in the same unit.
    pub(crate) target: Option<String>,
    /// True if the limit is met.
    pub(crate) met: bool,
}

/// Results of one benchmark.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub(crate) struct Found {
    /// Ratios to references.
    #[serde(default)]
    pub(crate) results: Vec<Comparison>,
    /// Growths.
    #[serde(default)]
    pub(crate) growths: Vec<Growth>,
    /// Numbers without a reference.
    #[serde(default)]
    pub(crate) printed: Vec<Printed>,
    /// Date and commit.
    #[serde(default)]
    pub(crate) of: String,
    /// Machine.
    #[serde(default)]
    pub(crate) machine: String,
}

/// Results of all benchmarks.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct Report {
    /// Results by name of the benchmark.
    pub(crate) found: BTreeMap<String, Found>,
    #[serde(skip)]
    of: String,
    #[serde(skip)]
    machine: String,
}

impl Comparison {
    /// Returns the ratio of the medians.
    pub(crate) fn ratio(&self) -> f64 {
        self.rounds.ratio()
    }

    /// Returns whether the ratio meets its target.
    pub(crate) fn met(&self) -> Option<bool> {
        match self.target {
            Target::AtLeast(least) => Some(self.ratio() >= least),
            Target::AtMost(most) => Some(self.ratio() <= most),
            Target::None => None,
        }
    }
}

impl Growth {
    /// Creates a growth by the number of users, with the costs of each.
    pub(crate) fn by_users(what: &str, users: impl IntoIterator<Item = u32>, costs: Vec<Vec<f64>>) -> Self {
        let points = users.into_iter().zip(costs);
        let points = points.map(|(users, costs)| Point {
            size: users.into(),
            costs,
        });
        Self {
            what: what.to_owned(),
            of: "users".to_owned(),
            points: points.collect(),
            at_most: None,
        }
    }

    /// Returns the same growth with a target of its own.
    pub(crate) fn at_most(self, most: f64) -> Self {
        Self {
            at_most: Some(most),
            ..self
        }
    }

    /// Returns the costs as multiples of the first.
    pub(crate) fn multiples(&self) -> Vec<(u64, f64)> {
        let first = self.points.first().map_or(f64::NAN, |point| median(&point.costs));
        let multiple = |point: &Point| (point.size, median(&point.costs) / first);
        self.points.iter().map(multiple).collect()
    }

    /// Returns the maximum of the last multiple. By default it is the growth of the logarithm of the size.
    pub(crate) fn target(&self) -> f64 {
        let logarithm = |point: Option<&Point>| point.map_or(f64::NAN, |point| (point.size as f64).ln());
        self.at_most
            .unwrap_or_else(|| logarithm(self.points.last()) / logarithm(self.points.first()))
    }

    /// Returns whether the growth meets its target.
    pub(crate) fn met(&self) -> bool {
        self.multiples().last().is_some_and(|(_, last)| *last <= self.target())
    }
}

impl Report {
    /// Creates a report without results.
    pub(crate) fn begin(environment: &Environment) -> Result<Self> {
        let commit = Command::new("git")
            .args(["describe", "--always", "--dirty"])
            .current_dir(&environment.root)
            .output();
        let commit = commit.ok().filter(|output| output.status.success());
        let commit = commit.map_or("an unknown commit".into(), |output| {
            String::from_utf8_lossy(&output.stdout).trim().to_owned()
        });
        Ok(Self {
            found: BTreeMap::new(),
            machine: machine()?,
            of: format!("{}, {commit}", Utc::now().format("%Y-%m-%d")),
        })
    }

    /// Adds the results of a benchmark.
    pub(crate) fn put(&mut self, bench: &str, found: Found) {
        let (of, machine) = (self.of.clone(), self.machine.clone());
        self.found.insert(bench.to_owned(), Found { of, machine, ..found });
    }

    /// Adds the results of other benchmarks from an earlier report. Each benchmark compares only results of one
    /// machine.
    pub(crate) fn over(mut self, earlier: Self) -> Self {
        for (bench, found) in earlier.found {
            self.found.entry(bench).or_insert(found);
        }
        self
    }

    /// Reads a report.
    pub(crate) fn read(file: &Path) -> Result<Self> {
        let text = fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
        serde_json::from_str(&text).with_context(|| format!("{} is no report", file.display()))
    }

    /// Writes the report.
    pub(crate) fn write(&self, file: &Path) -> Result<()> {
        let text = serde_json::to_string_pretty(self)? + "\n";
        fs::write(file, text).with_context(|| format!("cannot write {}", file.display()))
    }
}

/// Describes the machine in a line.
fn machine() -> Result<String> {
    let processors = std::thread::available_parallelism()?;
    let field = |file: &str, name: &str| {
        let text = fs::read_to_string(file).ok()?;
        let line = text.lines().find(|line| line.starts_with(name))?;
        Some(line.split_once(':')?.1.trim().to_owned())
    };
    let model = field("/proc/cpuinfo", "model name").unwrap_or_else(|| "an unknown processor".into());
    let memory = field("/proc/meminfo", "MemTotal").and_then(|line| line.split(' ').next()?.parse::<u64>().ok());
    let memory = memory.map_or(String::new(), |kib| format!(", {} GiB", kib.div_ceil(1024 * 1024)));
    Ok(format!(
        "{processors} processors of {model}{memory}, {}",
        std::env::consts::OS
    ))
}
