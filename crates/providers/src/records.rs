//! Records of lists, which are read one by one.

use std::fmt::Display;

use wearlab_connect::Refusal;

/// Returns the records of a list that can be read. Others are left out, with one warning in the log: it has their number and
/// the reason of the first one, without its value.
///
/// # Errors
///
/// If the list has records, and none of them can be read.
pub(crate) fn readable<T, E: Display>(
    provider: &str,
    resource: &str,
    records: impl IntoIterator<Item = Result<T, E>>,
) -> Result<Vec<T>, Refusal> {
    let (mut read, mut left_out, mut reason) = (Vec::new(), 0_u64, None);
    for record in records {
        match record {
            Ok(record) => read.push(record),
            Err(error) => {
                left_out += 1;
                reason.get_or_insert_with(|| error.to_string());
            }
        }
    }
    let Some(reason) = reason else {
        return Ok(read);
    };
    if read.is_empty() {
        return Err(Refusal::Failed(format!(
            "no record of {resource} can be read: {reason}"
        )));
    }
    tracing::warn!(
        provider,
        resource,
        records = left_out,
        reason,
        "records of a provider are left out, since they cannot be read"
    );
    Ok(read)
}

#[cfg(test)]
mod tests {
    use wearlab_connect::Refusal;

    use super::readable;

    #[test]
    fn records_that_cannot_be_read_are_left_out() {
        let read = |records: &[Result<i64, &'static str>]| readable("ringlet", "steps", records.to_vec());
        assert_eq!(read(&[]), Ok(vec![]));
        assert_eq!(read(&[Ok(1), Err("early"), Ok(2), Err("late")]), Ok(vec![1, 2]));
        assert_eq!(
            read(&[Err("early"), Err("late")]),
            Err(Refusal::Failed("no record of steps can be read: early".to_owned()))
        );
    }
}
