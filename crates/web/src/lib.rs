//! Pages for browsers: the console of operators, the API reference, the pages of linking and of requisition forms, and
//! the simulated provider of a demo; and the address of the notices of providers.

mod assets;
pub mod console;
pub mod document;
pub mod metrics_text;
pub mod notices;
mod page_headers;
pub mod pages;
pub mod reference;
pub mod simulated_consent;
