//! Cursors of lists: opaque, signed, and good for the one listing that gave them.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::Sha256;
use wearlab_models::Violation;
use wearlab_server::ApiError;
use wearlab_store::{Store, StoreError};

/// The note in the store that holds the secret.
const META: &str = "cursor_key";
const MAC_BYTES: usize = 16;

/// The secret that cursors are signed with.
pub(super) struct CursorKey(Vec<u8>);

/// What a cursor is good for: an operation, and the parameters that decide what it lists.
pub(super) struct Listing(Vec<u8>);

impl Listing {
    pub(super) fn new(operation: &str, parameters: impl Serialize) -> Self {
        Self(serde_json::to_vec(&(operation, parameters)).unwrap_or_default())
    }
}

impl CursorKey {
    /// The secret of a store, made when there is none yet.
    pub(super) async fn of(store: &Store, fresh: [u8; 32]) -> Result<Self, StoreError> {
        if let Some(text) = store.meta(META).await? {
            return Ok(Self(text.into_bytes()));
        }
        // Another process may be as far: whichever is first makes the secret of both.
        let fresh: String = fresh.iter().map(|byte| format!("{byte:02x}")).collect();
        let text = store.write(|write| write.put_meta_if_absent(META, &fresh)).await?;
        Ok(Self(text.into_bytes()))
    }

    /// A secret that no store has.
    pub(super) fn unkept(secret: [u8; 32]) -> Self {
        Self(secret.into())
    }

    /// The cursor after which a listing goes on behind a position.
    pub(super) fn seal(&self, after: &impl Serialize, listing: &Listing) -> String {
        let after = serde_json::to_vec(after).unwrap_or_default();
        let mut bytes = self.sign(&after, listing).to_vec();
        bytes.extend_from_slice(&after);
        URL_SAFE_NO_PAD.encode(bytes)
    }

    /// The position behind which a listing goes on: that of its cursor, or none of the first page, which has no cursor.
    ///
    /// # Errors
    ///
    /// 422 where this service did not give the cursor for this listing.
    pub(super) fn after<T: DeserializeOwned>(
        &self,
        cursor: Option<&str>,
        listing: &Listing,
    ) -> Result<Option<T>, ApiError> {
        self.after_in("/query/next_cursor", cursor, listing)
    }

    /// The same for a cursor that a request has at another location.
    pub(super) fn after_in<T: DeserializeOwned>(
        &self,
        location: &str,
        cursor: Option<&str>,
        listing: &Listing,
    ) -> Result<Option<T>, ApiError> {
        let open = |cursor| self.open(cursor, listing).ok_or_else(|| bad_cursor(location));
        cursor.map(open).transpose()
    }

    /// The position that a cursor names, if this service gave the cursor for this listing.
    fn open<T: DeserializeOwned>(&self, cursor: &str, listing: &Listing) -> Option<T> {
        let bytes = URL_SAFE_NO_PAD.decode(cursor).ok()?;
        let (mac, after) = bytes.split_at_checked(MAC_BYTES)?;
        let good = subtle::ConstantTimeEq::ct_eq(mac, self.sign(after, listing).as_slice());
        bool::from(good).then(|| serde_json::from_slice(after).ok()).flatten()
    }

    fn sign(&self, after: &[u8], listing: &Listing) -> [u8; MAC_BYTES] {
        let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(&self.0) else {
            unreachable!("a key of any length is good")
        };
        // Their lengths keep the two apart.
        mac.update(&(after.len() as u64).to_be_bytes());
        mac.update(after);
        mac.update(&listing.0);
        let mut short = [0; MAC_BYTES];
        short.copy_from_slice(&mac.finalize().into_bytes()[..MAC_BYTES]);
        short
    }
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

    use super::{CursorKey, Listing};

    #[test]
    fn a_cursor_is_good_for_its_own_listing_alone() {
        let (key, other) = (CursorKey(b"one".to_vec()), CursorKey(b"two".to_vec()));
        let listing = Listing::new("pipelines", ("o", "sandbox", "eu"));
        let foreign = Listing::new("pipelines", ("o", "sandbox", "us"));
        let team = Uuid::from_u128(7);
        let cursor = key.seal(&team, &listing);
        assert_eq!(key.open(&cursor, &listing), Some(team));
        assert_eq!(key.open::<Uuid>(&cursor, &foreign), None);
        assert_eq!(other.open::<Uuid>(&cursor, &listing), None);
        assert_eq!(key.open::<Uuid>(&cursor[1..], &listing), None);
        assert_eq!(key.open::<Uuid>(&format!("{cursor}0"), &listing), None);
        assert_eq!(key.open::<Uuid>("", &listing), None);
        assert_eq!(key.open::<Uuid>(&"é".repeat(40), &listing), None);
    }
}
