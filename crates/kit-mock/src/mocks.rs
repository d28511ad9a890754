//! The type of calls, to which generated code adds methods.

/// Defines `When`, so that generated code can give the calls of an operation a method for each parameter.
#[doc(hidden)]
#[macro_export]
macro_rules! mocks {
    () => {
        /// Calls of an operation. Its methods are conditions: a call that meets all of them gets the response. Without conditions,
        /// every call does.
        #[must_use = "a mock does nothing until it is mounted"]
        pub struct When<O> {
            conditions: $crate::codegen::when::Conditions,
            of: std::marker::PhantomData<fn() -> O>,
        }

        /// Matches every call of an operation. Generated code calls it; a parameter may be named `new`.
        pub(crate) fn any_call<O>() -> When<O> {
            When {
                conditions: Default::default(),
                of: std::marker::PhantomData,
            }
        }

        impl<O> $crate::codegen::when::Conditional for When<O> {
            fn conditions(&mut self) -> &mut $crate::codegen::when::Conditions {
                &mut self.conditions
            }
        }

        impl<O: $crate::Operation> When<O> {
            /// Responds with a body and the success status of the document.
            pub fn then_ok(self, body: &O::Body) -> $crate::Then {
                self.then_respond(O::answer(body))
            }

            /// Responds with a problem document. A 429 or 503 has a `Retry-After` of a second.
            pub fn then_problem(self, status: u16, detail: impl Into<String>) -> $crate::Then {
                self.then_respond($crate::codegen::problem(status, detail))
            }

            /// Responds with any status, headers and body, even if the document has no such response.
            pub fn then_respond(self, answer: $crate::wiremock::ResponseTemplate) -> $crate::Then {
                $crate::Then::new::<O>(self.conditions, answer)
            }
        }
    };
}
