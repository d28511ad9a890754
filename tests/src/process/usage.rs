//! Resource usage of a process on Linux.

use std::fs;
use std::time::Duration;

use anyhow::{Context, Result};

/// Memory in KiB.
#[derive(Clone, Copy, Debug)]
pub struct Memory {
    /// Current memory.
    pub now: u64,
    /// Peak memory since [`forget_peak`].
    pub peak: u64,
}

/// Reads the memory of a process.
pub fn memory(pid: u32) -> Result<Memory> {
    let file = format!("/proc/{pid}/status");
    let status =
        fs::read_to_string(&file).with_context(|| format!("cannot read {file}: memory is measured on Linux"))?;
    let field = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name));
        let number = line.and_then(|line| line.split_whitespace().next());
        let number = number.and_then(|number| number.parse().ok());
        number.with_context(|| format!("{file} has no {name}"))
    };
    Ok(Memory {
        now: field("VmRSS:")?,
        peak: field("VmHWM:")?,
    })
}

/// Resets the peak.
pub fn forget_peak(pid: u32) -> Result<()> {
    fs::write(format!("/proc/{pid}/clear_refs"), "5").context("cannot reset the peak of memory")
}

/// Returns the processor time of a process.
pub fn processor(pid: u32) -> Result<Duration> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat"))?;
    // The name may contain blanks, but the fields after it do not. Times are in hundredths of a second.
    let rest = stat.rsplit_once(')').context("no name of a process")?.1;
    let ticks = rest.split_whitespace().skip(11).take(2).map(str::parse::<u64>);
    Ok(Duration::from_millis(ticks.sum::<Result<u64, _>>()? * 10))
}
