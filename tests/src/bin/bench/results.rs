//! What was found, as it is printed, kept as JSON and put into the documentation.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};
use chrono::Utc;
use serde::{Deserialize, Serialize};

use crate::environment::Environment;
use crate::measure::{Rounds, median};

/// What a ratio is to be.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Target {
    /// Of the reference's speed.
    AtLeast(f64),
    /// Of the reference's cost.
    AtMost(f64),
    /// It is printed alone.
    None,
}

/// A ratio to a reference.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct Comparison {
    /// What is measured.
    pub(crate) what: String,
    /// What it is compared with.
    pub(crate) reference: String,
    /// What the numbers of the rounds are.
    pub(crate) unit: String,
    /// What the ratio is to be.
    pub(crate) target: Target,
    /// The numbers themselves.
    pub(crate) rounds: Rounds,
}

/// What an operation costs the more there is, in a unit of its own: only the growth says something.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct Growth {
    /// What is measured.
    pub(crate) what: String,
    /// What grows, such as users.
    pub(crate) of: String,
    /// From the fewest to the most.
    pub(crate) points: Vec<Point>,
    /// What the last multiple may be; that of the logarithm if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) at_most: Option<f64>,
}

/// What an operation costs with so much stored, round by round.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct Point {
    /// How much there is.
    pub(crate) size: u64,
    /// The costs.
    pub(crate) costs: Vec<f64>,
}

/// A number without a reference, with its unit and, where there is one, what it must not exceed.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct Printed {
    /// What is measured.
    pub(crate) what: String,
    /// The number and its unit.
    pub(crate) value: String,
    /// What it is to be, in the same unit.
    pub(crate) target: Option<String>,
    /// True if it is.
    pub(crate) met: bool,
}

/// What one bench found.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub(crate) struct Found {
    /// Ratios.
    #[serde(default)]
    pub(crate) results: Vec<Comparison>,
    /// Growths.
    #[serde(default)]
    pub(crate) growths: Vec<Growth>,
    /// What has no reference.
    #[serde(default)]
    pub(crate) printed: Vec<Printed>,
    /// When, and of which commit.
    #[serde(default)]
    pub(crate) of: String,
    /// On which machine.
    #[serde(default)]
    pub(crate) machine: String,
}

/// Everything that was found.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct Report {
    /// By the name of the bench.
    pub(crate) found: BTreeMap<String, Found>,
    #[serde(skip)]
    of: String,
    #[serde(skip)]
    machine: String,
}

impl Comparison {
    /// Ours by the reference's, of the medians.
    pub(crate) fn ratio(&self) -> f64 {
        self.rounds.ratio()
    }

    /// Returns whether the ratio is as it is to be.
    pub(crate) fn met(&self) -> Option<bool> {
        match self.target {
            Target::AtLeast(least) => Some(self.ratio() >= least),
            Target::AtMost(most) => Some(self.ratio() <= most),
            Target::None => None,
        }
    }
}

impl Growth {
    /// By the number of users: so many, and what it cost with so many.
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

    /// The same with a target of its own.
    pub(crate) fn at_most(self, most: f64) -> Self {
        Self {
            at_most: Some(most),
            ..self
        }
    }

    /// The costs as multiples of the first.
    pub(crate) fn multiples(&self) -> Vec<(u64, f64)> {
        let first = self.points.first().map_or(f64::NAN, |point| median(&point.costs));
        let multiple = |point: &Point| (point.size, median(&point.costs) / first);
        self.points.iter().map(multiple).collect()
    }

    /// What the last multiple may be. By default it is that of a cost that is the logarithm of what there is.
    pub(crate) fn target(&self) -> f64 {
        let logarithm = |point: Option<&Point>| point.map_or(f64::NAN, |point| (point.size as f64).ln());
        self.at_most
            .unwrap_or_else(|| logarithm(self.points.last()) / logarithm(self.points.first()))
    }

    /// Returns whether it grows no faster.
    pub(crate) fn met(&self) -> bool {
        self.multiples().last().is_some_and(|(_, last)| *last <= self.target())
    }
}

impl Report {
    /// A report without results.
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

    /// Adds what a bench found.
    pub(crate) fn put(&mut self, bench: &str, found: Found) {
        let (of, machine) = (self.of.clone(), self.machine.clone());
        self.found.insert(bench.to_owned(), Found { of, machine, ..found });
    }

    /// With what an earlier report has besides. Each bench compares what ran on one machine.
    pub(crate) fn over(mut self, earlier: Self) -> Self {
        for (bench, found) in earlier.found {
            self.found.entry(bench).or_insert(found);
        }
        self
    }

    /// Reads one.
    pub(crate) fn read(file: &Path) -> Result<Self> {
        let text = fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
        serde_json::from_str(&text).with_context(|| format!("{} is no report", file.display()))
    }

    /// Writes it.
    pub(crate) fn write(&self, file: &Path) -> Result<()> {
        let text = serde_json::to_string_pretty(self)? + "\n";
        fs::write(file, text).with_context(|| format!("cannot write {}", file.display()))
    }
}

/// What the machine is, in a line.
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
