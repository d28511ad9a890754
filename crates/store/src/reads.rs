//! Declarations of asynchronous reads.

/// Declares the reads of a handle: for each its mode, its name and the method of the [`Reader`](crate::sql::Reader) that
/// runs.
///
/// A `read` runs one statement, a `snapshot` several, from one snapshot. The observer of the store gets the name, or the
/// one after `as`.
macro_rules! reads {
    ($handle:ty => $store:expr;
        $($(#[$doc:meta])*
        $mode:ident fn $name:ident(&$self:ident $(, $argument:ident: $type:ty)* $(,)?) -> $result:ty $(as $label:literal)? =
            $work:expr;)*
    ) => {
        impl $handle {
            $($(#[$doc])*
            pub async fn $name(&$self $(, $argument: $type)*) -> Result<$result, $crate::StoreError> {
                $store.$mode(reads!(@name $name $($label)?), $work).await
            })*
        }
    };
    (@name $name:ident) => { stringify!($name) };
    (@name $name:ident $label:literal) => { $label };
}

pub(crate) use reads;
