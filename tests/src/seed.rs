//! Seeds of randomized tests.

/// Seed of a test, or of a part of it. On a failure it prints the seed and how to repeat the test.
pub(crate) struct Seed(u64);

/// Environment variable with a seed that replaces the default ones.
const VARIABLE: &str = "TEST_SEED";

impl Seed {
    /// Returns the given seed first, if there is one, and then the default ones.
    #[expect(
        clippy::allow_attributes,
        reason = "some targets use all of this file, others a part"
    )]
    #[allow(dead_code, reason = "some targets use all of this file, others a part")]
    pub(crate) fn each(usual: impl IntoIterator<Item = u64>) -> impl Iterator<Item = Self> {
        given().into_iter().chain(usual).map(Self)
    }

    /// Returns the given seed, or the default one.
    #[expect(
        clippy::allow_attributes,
        reason = "some targets use all of this file, others a part"
    )]
    #[allow(dead_code, reason = "some targets use all of this file, others a part")]
    pub(crate) fn one(usual: u64) -> Self {
        Self(given().unwrap_or(usual))
    }

    pub(crate) fn number(&self) -> u64 {
        self.0
    }
}

fn given() -> Option<u64> {
    let text = std::env::var(VARIABLE).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{VARIABLE} is no whole number")))
}

impl Drop for Seed {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("seed {0}: {VARIABLE}={0} repeats it", self.0);
        }
    }
}
