//! Conditions of a mock: places in a call, and values at them.

use http::header::COOKIE;
use percent_encoding::percent_decode_str;
use wiremock::Request;

use super::part_texts;

/// Test of the texts that a call has at one place.
pub(super) type Fits = Box<dyn Fn(&[String]) -> bool + Send + Sync>;

/// Condition of a call.
pub(super) struct Must {
    pub(super) place: Place,
    pub(super) name: &'static str,
    /// The value, as text; of headers, which may be credentials, and of bodies, none.
    pub(super) wanted: Option<String>,
    /// The texts of a call that omits it, by the document.
    pub(super) default: Vec<String>,
    /// Test of the texts.
    pub(super) fits: Fits,
}

#[derive(Clone, Copy)]
pub(super) enum Place {
    Path,
    Query,
    /// Members of the query whose names begin with that of the object: `name[member]`.
    Object,
    /// Parameters of the query that are the members of an object.
    Members(&'static [&'static str]),
    Header,
    Body,
    Parts,
    Cookie,
}

/// Returns a test that one of several texts passes.
pub(super) fn any(fits: impl Fn(&str) -> bool + Send + Sync + 'static) -> Fits {
    Box::new(move |texts| texts.iter().any(|text| fits(text)))
}

impl Must {
    /// Returns true if a request whose path has these values meets the condition.
    pub(super) fn is_met(&self, path: &[(&str, String)], request: &Request) -> bool {
        let mut values: Vec<String> = Vec::new();
        match self.place {
            Place::Path => values.extend(
                path.iter()
                    .filter(|(name, _)| *name == self.name)
                    .map(|(_, value)| value.clone()),
            ),
            Place::Query => {
                let pairs = request.url.query_pairs().filter(|(name, _)| name == self.name);
                values.extend(pairs.map(|(_, value)| value.into_owned()));
            }
            Place::Object => values.extend(form(request, |key| {
                key.strip_prefix(self.name)?.strip_prefix('[')?.strip_suffix(']')
            })),
            Place::Members(names) => values.extend(form(request, |key| names.contains(&key).then_some(key))),
            Place::Header => {
                let found = request.headers.get_all(self.name).iter();
                // Values that are not text are present, and match nothing.
                values.extend(found.map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned()));
            }
            Place::Body => values.push(String::from_utf8_lossy(&request.body).into_owned()),
            Place::Parts => values.extend(part_texts::of_request(request)),
            Place::Cookie => {
                let lists = request.headers.get_all(COOKIE).iter();
                let pairs = lists.flat_map(|list| list.to_str().unwrap_or_default().split(';'));
                let pairs = pairs.filter_map(|pair| pair.trim().split_once('='));
                let found = pairs.filter(|(name, _)| *name == self.name);
                values.extend(found.map(|(_, value)| percent_decode_str(value).decode_utf8_lossy().into_owned()));
            }
        }
        (self.fits)(if values.is_empty() { &self.default } else { &values })
    }
}

/// The members of an object in the query as a form, if there are any.
fn form(request: &Request, member: impl Fn(&str) -> Option<&str>) -> Option<String> {
    let mut form = form_urlencoded::Serializer::new(String::new());
    for (key, value) in request.url.query_pairs() {
        if let Some(member) = member(&key) {
            form.append_pair(member, &value);
        }
    }
    Some(form.finish()).filter(|form| !form.is_empty())
}
