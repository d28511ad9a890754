//! Migration of a store to another store, of any engine.

mod address;
mod error;
mod step;

use std::cell::Cell;

use wearlab_database::{Database, blocking};

pub use self::address::StoreAddress;
pub use self::error::MigrateError;
pub use self::step::{MigrationStep, TableSum};
use crate::schema::tables::{Table, tables};
use crate::sql::admin::migration::{self, Sums};
use crate::sql::connection::Connection;
use crate::{Store, StoreError};

impl Store {
    /// Copies all data of a store into an empty one, which is created if it is missing, and compares all of it there.
    ///
    /// Encrypted values stay encrypted: the target needs the same keys. A new run resumes an interrupted migration. The
    /// target opens as a store only when it is complete. The source does not change, and nothing may write to it: after
    /// the comparison it is outdated.
    ///
    /// # Errors
    ///
    /// If a store cannot be opened or used, if the target holds other data, if the source has changed since the
    /// migration began, or if the target differs from the source.
    pub async fn migrate(
        from: &StoreAddress,
        to: &StoreAddress,
        mut each: impl FnMut(MigrationStep<'_>),
    ) -> Result<(), MigrateError> {
        let work = || {
            if from.is(to) {
                let what = "source and target are the same";
                return Err(StoreError::Conflict { what }.into());
            }
            let (source, target) = (from.open(true)?, to.open(false)?);
            let migration = Migration {
                source: &source,
                target: &target,
                tables: tables()?,
                table: Cell::new("meta"),
            };
            migration.run(&mut each)
        };
        blocking(work)
    }
}

/// A migration in progress.
struct Migration<'a> {
    source: &'a Database,
    target: &'a Database,
    tables: &'static [Table],
    /// The current table, for errors.
    table: Cell<&'static str>,
}

/// Called with each step.
type Each<'a> = &'a mut dyn FnMut(MigrationStep<'_>);

impl Migration<'_> {
    fn run(&self, each: Each<'_>) -> Result<(), MigrateError> {
        let sums = self.look(each)?;
        if !self.begin(&sums, each)? {
            return Ok(());
        }
        for table in self.tables {
            self.table.set(&table.name);
            self.copy(table, &sums, each)?;
        }
        self.finish(&sums, each)
    }

    /// Reads the checksums of the source.
    fn look(&self, each: Each<'_>) -> Result<Sums, MigrateError> {
        let path = || self.source.path().to_owned();
        let sums = self.source.snapshot(|source| {
            if migration::note(source)?.is_some() {
                return Err(StoreError::Unfinished { path: path() });
            }
            if migration::in_use(source)?.is_none() {
                return Ok(None);
            }
            let read = &mut |table, rows| each(MigrationStep::Read { table, rows });
            self.sums(source, read).map(Some)
        });
        sums.map_err(|error| self.reading(error))?
            .ok_or_else(|| MigrateError::Empty { path: path() })
    }

    /// Prepares the target, which must be empty or a part of this migration. Returns false if it is complete already.
    fn begin(&self, sums: &Sums, each: Each<'_>) -> Result<bool, MigrateError> {
        let path = || self.target.path().to_owned();
        let used = self.target.write(|target| {
            if let Some(begun) = migration::note(target)? {
                let table = self.difference(&begun, sums);
                return Ok(table.map(|table| MigrateError::OtherSource { path: path(), table }));
            }
            if let Some(table) = migration::in_use(target)? {
                return Ok(Some(MigrateError::InUse { path: path(), table }));
            }
            migration::begin(target, sums)?;
            Ok(None)
        });
        match used.map_err(|error| self.writing(error))? {
            None => Ok(true),
            // The previous run may have been interrupted before it could report success.
            Some(MigrateError::InUse { .. }) if self.holds(sums, each)? => Ok(false),
            Some(error) => Err(error),
        }
    }

    /// Returns whether the target is equal to the source.
    fn holds(&self, sums: &Sums, each: Each<'_>) -> Result<bool, MigrateError> {
        let same = self.target.snapshot(|target| {
            for table in self.tables {
                self.table.set(&table.name);
                let compared = |rows| {
                    each(MigrationStep::Compared {
                        table: &table.name,
                        rows,
                    })
                };
                if sums.get(&table.name) != Some(&migration::sum(target, table, compared)?) {
                    return Ok(false);
                }
            }
            Ok(true)
        });
        let same = same.map_err(|error| self.writing(error))?;
        if same {
            self.verified(sums, sums, each);
        }
        Ok(same)
    }

    /// Copies the missing rows of a table. The rows of the target are the first ones of the source.
    fn copy(&self, table: &'static Table, sums: &Sums, each: Each<'_>) -> Result<(), MigrateError> {
        let there = self
            .target
            .read(|target| Ok((migration::last(target, table)?, migration::count(target, table)?)));
        let (mut last, mut rows) = there.map_err(|error| self.writing(error))?;
        let of = sums.get(&table.name).map_or(0, |sum| sum.rows);
        loop {
            let next = self
                .source
                .read(|source| migration::rows(source, table, last.as_deref()));
            let next = next.map_err(|error| self.reading(error))?;
            let Some(newest) = next.last() else { return Ok(()) };
            let written = self.target.write(|target| {
                only_ours(migration::note(target)?.as_ref() == Some(sums) && migration::last(target, table)? == last)?;
                migration::insert(target, table, &next)
            });
            written.map_err(|error| self.writing(error))?;
            rows += next.len() as u64;
            last = Some(newest[..table.key].to_vec());
            let table = &*table.name;
            each(MigrationStep::Copied { table, rows, of });
        }
    }

    /// Compares both sides, and marks the target as a store. Neither can be written meanwhile.
    fn finish(&self, begun: &Sums, each: Each<'_>) -> Result<(), MigrateError> {
        let mut outcome = Ok(());
        let held = self.source.write(|source| {
            let found = self.sums(source, &mut |table, rows| each(MigrationStep::Compared { table, rows }))?;
            let last_event = migration::last_event(source)?;
            migration::disable_idle_timeout(source)?;
            outcome = self.complete(begun, &found, last_event, each);
            Ok(())
        });
        held.map_err(|error| self.reading(error))?;
        outcome
    }

    fn complete(&self, begun: &Sums, found: &Sums, last_event: i64, each: Each<'_>) -> Result<(), MigrateError> {
        let different = self.target.write(|target| {
            // A target that is a store already must not be changed.
            only_ours(migration::note(target)?.as_ref() == Some(begun))?;
            let there = self.sums(target, &mut |table, rows| each(MigrationStep::Compared { table, rows }))?;
            self.verified(found, &there, each);
            if let Some(table) = self.difference(begun, found) {
                return Ok(Some(MigrateError::SourceChanged { table }));
            }
            if let Some(table) = self.difference(found, &there) {
                return Ok(Some(MigrateError::Different { table }));
            }
            migration::end(target, last_event)?;
            Ok(None)
        });
        different.map_err(|error| self.writing(error))?.map_or(Ok(()), Err)
    }

    fn sums(&self, connection: &Connection<'_>, each: &mut dyn FnMut(&'static str, u64)) -> Result<Sums, StoreError> {
        let sum = |table: &'static Table| {
            self.table.set(&table.name);
            let sum = migration::sum(connection, table, |rows| each(&table.name, rows))?;
            Ok((table.name.clone(), sum))
        };
        self.tables.iter().map(sum).collect()
    }

    /// Reports the checksums of both sides.
    fn verified(&self, source: &Sums, target: &Sums, each: Each<'_>) {
        for table in self.tables.iter().map(|table| &*table.name) {
            if let (Some(source), Some(target)) = (source.get(table), target.get(table)) {
                each(MigrationStep::Verified { table, source, target });
            }
        }
    }

    /// Returns the first table that differs.
    fn difference(&self, one: &Sums, other: &Sums) -> Option<&'static str> {
        let mut tables = self.tables.iter().map(|table| &*table.name);
        tables.find(|table| one.get(*table) != other.get(*table))
    }

    fn reading(&self, source: StoreError) -> MigrateError {
        match source {
            StoreError::Unfinished { .. } => MigrateError::Open(source),
            source => MigrateError::Read {
                table: self.table.get(),
                source,
            },
        }
    }

    fn writing(&self, source: StoreError) -> MigrateError {
        MigrateError::Write {
            table: self.table.get(),
            source,
        }
    }
}

/// Fails if another migration writes to the target.
fn only_ours(ours: bool) -> Result<(), StoreError> {
    let what = "another migration is writing to it: run only one";
    ours.then_some(()).ok_or(StoreError::Conflict { what })
}
