//! What generated code imports.

pub(crate) use std::sync::Arc;

pub(crate) use axum::Router;
pub(crate) use axum::extract::State;
pub(crate) use axum::routing::get;
pub(crate) use wearlab_models as models;
pub(crate) use wearlab_models::Uuid;

pub(crate) use crate::error::ApiError;
pub(crate) use crate::generated::operations::Credential;
pub(crate) use crate::input::Input;
pub(crate) use crate::operation::Operation;
pub(crate) use crate::reply::Answer;
pub(crate) use crate::routing::finish;
