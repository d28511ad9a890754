//! Tests of the models from outside, as one program.

mod newer_services;
mod upgrade;
mod webhook_receiver;
