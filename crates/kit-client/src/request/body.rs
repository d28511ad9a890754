//! The body of a call.

use bytes::Bytes;
use reqwest::header::{CONTENT_TYPE, HeaderValue};
use serde::Serialize;
use wearlab_kit_types::form;
use wearlab_kit_types::multipart::{self, Field};

use super::Request;
use crate::Document;
use crate::payload::Payload;
use crate::segments;
use crate::upload::{self, LinesUpload, Upload};

impl<D: Document> Request<'_, D> {
    /// The body, as JSON.
    pub fn json<T: Serialize>(self, media_type: &'static str, value: Option<&T>) -> Self {
        let body = value.map(|value| serde_json::to_vec(value).map_err(drop));
        self.body(media_type, body)
    }

    /// The body, as the fields of a form; the lists that are `deep` have numbers for their items.
    pub fn form<T: Serialize>(self, media_type: &'static str, value: Option<&T>, deep: &[&str]) -> Self {
        let body = value.map(|value| form::write(value, deep).map_err(drop));
        self.body(media_type, body)
    }

    /// The body, as several parts.
    pub fn multipart<T: Serialize>(mut self, value: Option<&T>, fields: &[Field]) -> Self {
        let Some(value) = value else { return self };
        let Ok(parts) = multipart::parts(value, fields) else {
            self.complain("body: the value cannot be encoded".to_owned());
            return self;
        };
        let (boundary, all) = segments::encode(parts);
        if let Ok(media_type) = HeaderValue::try_from(format!("multipart/form-data; boundary={boundary}")) {
            self.headers.insert(CONTENT_TYPE, media_type);
        }
        if cfg!(target_family = "wasm") && segments::in_memory(&all).is_none() {
            self.complain("body: a browser has no files of the disk".to_owned());
        }
        self.body = Payload::Segments(all);
        self
    }

    /// The body, as text.
    pub fn text_body(self, media_type: &'static str, text: Option<&String>) -> Self {
        self.body(media_type, text.map(|text| Ok(text.clone())))
    }

    /// The body, as bytes or lines.
    pub fn upload(mut self, media_type: &'static str, upload: Option<impl Into<Upload>>) -> Self {
        match upload.map(|upload| upload.into().0) {
            None => self,
            Some(upload::Kind::Whole(bytes)) => self.body(media_type, Some(Ok(bytes))),
            Some(upload::Kind::Unencodable) => self.body(media_type, Some(Err::<Bytes, ()>(()))),
            #[cfg(not(target_family = "wasm"))]
            Some(upload::Kind::Stream(body)) => {
                self = self.body(media_type, Some(Ok(Bytes::new())));
                self.body = Payload::stream(body);
                self
            }
        }
    }

    /// The body, as a sequence of values.
    pub fn upload_sequence<T>(self, media_type: &'static str, upload: Option<LinesUpload<T>>) -> Self {
        self.upload(media_type, upload.map(LinesUpload::into_sequence))
    }

    /// An encoded body. The error of one that is not encoded is dropped: it may repeat the value.
    fn body(mut self, media_type: &'static str, body: Option<Result<impl Into<Bytes>, ()>>) -> Self {
        let Some(body) = body else { return self };
        self.headers.insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
        match body {
            Ok(body) => self.body = Payload::Whole(body.into()),
            Err(()) => self.complain("body: the value cannot be encoded".to_owned()),
        }
        self
    }
}
