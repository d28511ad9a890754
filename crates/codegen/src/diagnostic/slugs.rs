//! The macro for an enum of codes, each with its slug.

macro_rules! slugs {
    ($($(#[$docs:meta])* $code:ident = $slug:literal,)*) => {
        /// The kind of a mistake. Its slug is shown with the message and keeps its meaning.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Code {
            $($(#[$docs])* $code,)*
        }

        impl Code {
            /// Every code.
            pub const ALL: &'static [Self] = &[$(Self::$code),*];

            /// The slug, such as `path-slash`.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$code => $slug,)*
                }
            }
        }
    };
}

pub(super) use slugs;
