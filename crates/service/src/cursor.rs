//! Signed tokens: cursors of lists, each valid for the one listing that returned it, and the tokens of signed URLs.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::Sha256;
use wearlab_models::Violation;
use wearlab_server::ApiError;
use wearlab_store::{Store, StoreError};

const MAC_BYTES: usize = 16;

/// Keys that sign tokens: the first signs, each verifies.
pub(super) struct SigningKeys(Vec<Vec<u8>>);

/// List of a cursor: an operation, and the parameters that select its items.
pub(super) struct Listing(Vec<u8>);

impl Listing {
    pub(super) fn new(operation: &str, parameters: impl Serialize) -> Self {
        Self(serde_json::to_vec(&(operation, parameters)).unwrap_or_default())
    }
}

impl SigningKeys {
    /// Returns the keys of cursors. A cursor that was signed with an older secret key stays valid while that key is
    /// configured. A cursor is a position within the data that its caller may read, so that a forged one gives access
    /// to nothing else.
    pub(super) async fn of_cursors(store: &Store, fresh: [u8; 32]) -> Result<Self, StoreError> {
        store.cursor_keys(fresh).await.map(Self)
    }

    /// Returns the key of signed URLs, which is derived from the current secret key alone: URLs are invalid after its
    /// rotation. None without one.
    pub(super) fn of_urls(store: &Store) -> Option<Self> {
        let current = store.derived_keys("wearlab requisition urls 1").into_iter().next()?;
        Some(Self(vec![current.into()]))
    }

    /// Creates a key that no store has.
    pub(super) fn unkept(secret: [u8; 32]) -> Self {
        Self(vec![secret.into()])
    }

    /// Returns the cursor of a position, after which a listing continues.
    pub(super) fn seal(&self, after: &impl Serialize, listing: &Listing) -> String {
        let after = serde_json::to_vec(after).unwrap_or_default();
        let mut bytes = self
            .0
            .first()
            .map(|key| sign(key, &after, listing))
            .unwrap_or_default()
            .to_vec();
        bytes.extend_from_slice(&after);
        URL_SAFE_NO_PAD.encode(bytes)
    }

    /// Returns the position of a cursor, after which the listing continues; none without a cursor, for the first page.
    ///
    /// # Errors
    ///
    /// 422 if this service did not create the cursor for this listing.
    pub(super) fn after<T: DeserializeOwned>(
        &self,
        cursor: Option<&str>,
        listing: &Listing,
    ) -> Result<Option<T>, ApiError> {
        self.after_in("/query/next_cursor", cursor, listing)
    }

    /// Like `after`, for a cursor at another location of the request.
    pub(super) fn after_in<T: DeserializeOwned>(
        &self,
        location: &str,
        cursor: Option<&str>,
        listing: &Listing,
    ) -> Result<Option<T>, ApiError> {
        let open = |cursor| self.open(cursor, listing).ok_or_else(|| bad_cursor(location));
        cursor.map(open).transpose()
    }

    /// Returns the position of a cursor, if this service created it for this listing.
    fn open<T: DeserializeOwned>(&self, cursor: &str, listing: &Listing) -> Option<T> {
        let bytes = URL_SAFE_NO_PAD.decode(cursor).ok()?;
        let (mac, after) = bytes.split_at_checked(MAC_BYTES)?;
        let is_of = |key: &Vec<u8>| {
            let expected = sign(key, after, listing);
            bool::from(subtle::ConstantTimeEq::ct_eq(mac, expected.as_slice()))
        };
        self.0
            .iter()
            .any(is_of)
            .then(|| serde_json::from_slice(after).ok())
            .flatten()
    }
}

fn sign(key: &[u8], after: &[u8], listing: &Listing) -> [u8; MAC_BYTES] {
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(key) else {
        unreachable!("a key of any length is good")
    };
    // The length separates the two values.
    mac.update(&(after.len() as u64).to_be_bytes());
    mac.update(after);
    mac.update(&listing.0);
    let mut short = [0; MAC_BYTES];
    short.copy_from_slice(&mac.finalize().into_bytes()[..MAC_BYTES]);
    short
}

fn bad_cursor(location: &str) -> ApiError {
    let violation = Violation::builder()
        .location(location)
        .code("malformed")
        .message("must be a next_cursor that this listing gave")
        .build();
    ApiError::invalid(vec![violation])
}

#[cfg(test)]
mod tests {
    use wearlab_models::Uuid;

    use super::{Listing, SigningKeys};

    #[test]
    fn a_cursor_is_good_for_its_own_listing_alone() {
        let keys = |keys: &[&str]| SigningKeys(keys.iter().map(|key| key.as_bytes().to_vec()).collect());
        let (key, other, rotated) = (keys(&["one"]), keys(&["two"]), keys(&["two", "one"]));
        let listing = Listing::new("pipelines", ("o", "sandbox", "eu"));
        let foreign = Listing::new("pipelines", ("o", "sandbox", "us"));
        let team = Uuid::from_u128(7);
        let cursor = key.seal(&team, &listing);
        assert_eq!(key.open(&cursor, &listing), Some(team));
        assert_eq!(key.open::<Uuid>(&cursor, &foreign), None);
        assert_eq!(other.open::<Uuid>(&cursor, &listing), None);
        assert_eq!(rotated.open(&cursor, &listing), Some(team), "an older key verifies");
        assert_eq!(
            key.open::<Uuid>(&rotated.seal(&team, &listing), &listing),
            None,
            "the first key signs"
        );
        assert_eq!(key.open::<Uuid>(&cursor[1..], &listing), None);
        assert_eq!(key.open::<Uuid>(&format!("{cursor}0"), &listing), None);
        assert_eq!(key.open::<Uuid>("", &listing), None);
        assert_eq!(key.open::<Uuid>(&"é".repeat(40), &listing), None);
    }
}
