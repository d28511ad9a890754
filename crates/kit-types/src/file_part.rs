//! Files in bodies of several parts (`multipart/form-data`).

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::{fmt, fs, io};

use bytes::Bytes;
use serde::de::Error as _;
use serde::ser::{Error as _, SerializeStruct};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

thread_local! {
    /// Files of the body that is being written or read: in its value, each is a number.
    static FILES: RefCell<Option<Vec<FilePart>>> = const { RefCell::new(None) };
}

/// A file in a body of several parts: its content, its name and its media type. `Debug` shows none of them.
///
/// Outside such a body, in JSON, it is its content as text.
#[derive(Clone, PartialEq)]
pub struct FilePart {
    content: FileContent,
    filename: Option<String>,
    content_type: Option<String>,
}

/// Source of the bytes of a file.
#[derive(Clone, PartialEq)]
pub enum FileContent {
    /// Bytes in memory: all files that are received.
    Bytes(Bytes),
    /// File on disk, with its length in bytes. The client reads it while sending.
    Path(PathBuf, u64),
}

impl FilePart {
    /// A file in memory.
    pub fn new(content: impl Into<Bytes>) -> Self {
        Self {
            content: FileContent::Bytes(content.into()),
            filename: None,
            content_type: None,
        }
    }

    /// A file of the disk, with its name. The client reads it while it is sent; until then it must not change.
    ///
    /// # Errors
    ///
    /// There is no such file.
    pub fn open(path: impl AsRef<Path>) -> io::Result<Self> {
        let path = path.as_ref();
        let about = fs::metadata(path)?;
        if !about.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no file"));
        }
        Ok(Self {
            content: FileContent::Path(path.to_owned(), about.len()),
            filename: path.file_name().map(|name| name.to_string_lossy().into_owned()),
            content_type: None,
        })
    }

    /// The file with a name, as the receiver sees it.
    #[must_use]
    pub fn with_filename(mut self, name: impl Into<String>) -> Self {
        self.filename = Some(name.into());
        self
    }

    /// The file with a media type.
    #[must_use]
    pub fn with_content_type(mut self, media_type: impl Into<String>) -> Self {
        self.content_type = Some(media_type.into());
        self
    }

    /// File name. A receiver must not use it as a path.
    pub fn filename(&self) -> Option<&str> {
        self.filename.as_deref()
    }

    /// Media type, as the sender declares it.
    pub fn content_type(&self) -> Option<&str> {
        self.content_type.as_deref()
    }

    /// Source of its bytes.
    pub fn content(&self) -> &FileContent {
        &self.content
    }

    /// Bytes of the file. Reads a file on disk.
    ///
    /// # Errors
    ///
    /// The file cannot be read.
    pub fn read(&self) -> io::Result<Bytes> {
        match &self.content {
            FileContent::Bytes(bytes) => Ok(bytes.clone()),
            FileContent::Path(path, _) => fs::read(path).map(Bytes::from),
        }
    }

    /// Length in bytes.
    pub fn length(&self) -> u64 {
        match &self.content {
            FileContent::Bytes(bytes) => bytes.len() as u64,
            FileContent::Path(_, length) => *length,
        }
    }
}

impl<T: Into<Bytes>> From<T> for FilePart {
    fn from(content: T) -> Self {
        Self::new(content)
    }
}

impl fmt::Debug for FilePart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FilePart({} bytes)", self.length())
    }
}

impl fmt::Debug for FileContent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FileContent(..)")
    }
}

impl Serialize for FilePart {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let index = FILES.with_borrow_mut(|files| {
            let files = files.as_mut()?;
            files.push(self.clone());
            Some(files.len() - 1)
        });
        if let Some(index) = index {
            let mut file = serializer.serialize_struct("FilePart", 2)?;
            file.serialize_field("file", &index)?;
            file.serialize_field("length", &self.length())?;
            return file.end();
        }
        match &self.content {
            FileContent::Bytes(bytes) => match std::str::from_utf8(bytes) {
                Ok(text) => serializer.serialize_str(text),
                Err(_) => Err(S::Error::custom("a file in JSON must be text")),
            },
            FileContent::Path(..) => Err(S::Error::custom("a file of the disk cannot be in JSON")),
        }
    }
}

impl<'de> Deserialize<'de> for FilePart {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Numbered {
            file: usize,
        }
        if FILES.with_borrow(Option::is_none) {
            return String::deserialize(deserializer).map(Self::new);
        }
        let Numbered { file } = Numbered::deserialize(deserializer)?;
        let found = FILES.with_borrow(|files| files.as_ref()?.get(file).cloned());
        found.ok_or_else(|| D::Error::custom("there is no such file"))
    }
}

/// Runs a writer or reader of a value whose files are numbers, beginning with these. Returns them all.
pub(crate) fn numbered<R>(files: Vec<FilePart>, run: impl FnOnce() -> R) -> (R, Vec<FilePart>) {
    let before = FILES.replace(Some(files));
    let value = run();
    (value, FILES.replace(before).unwrap_or_default())
}

#[cfg(feature = "schemars")]
impl schemars::JsonSchema for FilePart {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "FilePart".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string", "format": "binary" })
    }
}

#[cfg(test)]
mod tests {
    use super::FilePart;

    #[test]
    fn debug_shows_neither_name_nor_content() {
        let file = FilePart::new("secret").with_filename("ada.pdf");
        assert_eq!(format!("{file:?}"), "FilePart(6 bytes)");
    }

    #[test]
    fn a_file_in_json_is_text() {
        let file: FilePart = serde_json::from_str("\"text\"").expect("a file");
        assert_eq!(file, FilePart::new("text"));
        assert_eq!(serde_json::to_string(&file).expect("JSON"), "\"text\"");
        assert!(serde_json::to_string(&FilePart::new(vec![0xff])).is_err());
    }
}
