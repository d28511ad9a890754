//! Tests of the generator, as one program: it is linked once, and long tests run beside each other.

mod asyncapi;
mod bundle;
mod constants;
mod defaults;
mod diagnostics;
mod diff;
mod edited;
mod edits;
mod everyday;
mod features;
mod lenient;
mod locations;
mod losses;
mod mcp;
mod mutations;
mod normalise;
mod odd;
mod overlay;
mod paging;
mod patches;
mod providers;
mod record;
mod roundtrip;
mod shared_unions;
mod spec;
mod swagger;
mod tolerant;
mod versions;

#[path = "features/documents.rs"]
mod documents;
#[path = "shared/hunks.rs"]
mod hunks;
#[path = "features/merge.rs"]
mod merge;
#[path = "shared/project.rs"]
mod project;
#[path = "shared/scratch.rs"]
mod scratch;
