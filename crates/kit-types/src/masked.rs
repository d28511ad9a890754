//! Values with masked secrets.

use std::collections::BTreeMap;
use std::fmt::{self, Display};
use std::ops::Deref;

use serde::{Deserialize, Deserializer, Serialize};

use crate::Secret;

/// Types whose secrets can be visited. Generated for the schemas that responses mask: `x-masked` in the document.
pub trait Secrets {
    /// Calls `visit` for each secret, with its path.
    fn visit_secrets(&mut self, path: &mut SecretPath, visit: &mut VisitSecret<'_>);
}

/// Called for each secret.
pub type VisitSecret<'a> = dyn FnMut(&SecretPath, &mut Secret) + 'a;

/// Path of a secret within a value, such as `matchers[0].storage.key`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SecretPath(Vec<PathSegment>);

/// Segment of a [`SecretPath`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PathSegment {
    /// Member of an object.
    Member(String),
    /// Index in a list.
    Index(usize),
}

impl SecretPath {
    /// Runs `visit` with the path of a member.
    pub fn within<T>(&mut self, member: &str, visit: impl FnOnce(&mut Self) -> T) -> T {
        self.below(PathSegment::Member(member.to_owned()), visit)
    }

    fn below<T>(&mut self, segment: PathSegment, visit: impl FnOnce(&mut Self) -> T) -> T {
        self.0.push(segment);
        let result = visit(self);
        self.0.pop();
        result
    }

    /// Segments of the path.
    pub fn segments(&self) -> &[PathSegment] {
        &self.0
    }
}

impl Display for SecretPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, segment) in self.0.iter().enumerate() {
            match segment {
                PathSegment::Member(name) if number == 0 => f.write_str(name)?,
                PathSegment::Member(name) => write!(f, ".{name}")?,
                PathSegment::Index(index) => write!(f, "[{index}]")?,
            }
        }
        Ok(())
    }
}

impl Secrets for Secret {
    fn visit_secrets(&mut self, path: &mut SecretPath, visit: &mut VisitSecret<'_>) {
        visit(path, self);
    }
}

impl<T: Secrets> Secrets for Option<T> {
    fn visit_secrets(&mut self, path: &mut SecretPath, visit: &mut VisitSecret<'_>) {
        if let Some(value) = self {
            value.visit_secrets(path, visit);
        }
    }
}

impl<T: Secrets + ?Sized> Secrets for Box<T> {
    fn visit_secrets(&mut self, path: &mut SecretPath, visit: &mut VisitSecret<'_>) {
        (**self).visit_secrets(path, visit);
    }
}

impl<T: Secrets> Secrets for Vec<T> {
    fn visit_secrets(&mut self, path: &mut SecretPath, visit: &mut VisitSecret<'_>) {
        for (index, value) in self.iter_mut().enumerate() {
            path.below(PathSegment::Index(index), |path| value.visit_secrets(path, visit));
        }
    }
}

impl<K: Display, T: Secrets> Secrets for BTreeMap<K, T> {
    fn visit_secrets(&mut self, path: &mut SecretPath, visit: &mut VisitSecret<'_>) {
        for (key, value) in self {
            path.within(&key.to_string(), |path| value.visit_secrets(path, visit));
        }
    }
}

/// A value with [masked](Secret::masked) secrets, for responses and exports.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Masked<T>(T);

impl<T: Secrets> Masked<T> {
    /// Masks the secrets of a value.
    pub fn new(mut value: T) -> Self {
        value.visit_secrets(&mut SecretPath::default(), &mut |_, secret| *secret = secret.masked());
        Self(value)
    }
}

impl<T> Masked<T> {
    /// The value, with masks in place of its secrets.
    pub fn into_inner(self) -> T {
        self.0
    }
}

impl<T> Deref for Masked<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

/// Masks the secrets after reading.
impl<'de, T: Secrets + Deserialize<'de>> Deserialize<'de> for Masked<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        T::deserialize(deserializer).map(Self::new)
    }
}
