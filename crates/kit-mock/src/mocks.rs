//! The type of calls, to which generated code adds methods.

/// Defines `When`, so that generated code can give the calls of an operation a method for each parameter.
#[doc(hidden)]
#[macro_export]
macro_rules! mocks {
    () => {
        /// Calls of an operation. Its methods say what a call must have to be answered; without any, every call is.
        #[must_use = "a mock does nothing until it is mounted"]
        pub struct When<O> {
            conditions: $crate::codegen::when::Conditions,
            of: std::marker::PhantomData<fn() -> O>,
        }

        /// Every call of an operation. What is generated begins with it; a parameter may be called `new`.
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
            /// Responds with a success: the status of the document, and a body.
            pub fn then_ok(self, body: &O::Body) -> $crate::Then {
                self.then_respond(O::answer(body))
            }

            /// Responds with a problem. A call may try again a second after a 429 or 503.
            pub fn then_problem(self, status: u16, detail: impl Into<String>) -> $crate::Then {
                self.then_respond($crate::codegen::problem(status, detail))
            }

            /// Responds with anything, also with what the interface does not have.
            pub fn then_respond(self, answer: $crate::wiremock::ResponseTemplate) -> $crate::Then {
                $crate::Then::new::<O>(self.conditions, answer)
            }
        }
    };
}
