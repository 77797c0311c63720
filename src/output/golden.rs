//! Files of tools, read only as far as it takes to tell one tool from the next.

use serde::Deserialize;
use serde_json::value::RawValue;
use thiserror::Error;

/// A text that holds no list of tools.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum GoldenError {
    /// It is no JSON.
    #[error("this is no JSON: {0}")]
    NoJson(serde_json::Error),
    /// It is JSON of another kind.
    #[error("this is no list of tools; expected `{{\"tools\": [...]}}` or an array of objects with a `name`")]
    NoTools,
}

#[derive(Deserialize)]
struct Whole<'t> {
    #[serde(borrow)]
    tools: Vec<&'t RawValue>,
}

#[derive(Deserialize)]
struct Named {
    name: String,
}

/// The tools of a file of any [`Shape`](super::Shape) and layout: the name and the text of each.
///
/// # Errors
/// [`GoldenError`]
pub(super) fn read(text: &str) -> Result<Vec<(String, &str)>, GoldenError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let tools = if text.trim_start().starts_with('[') {
        serde_json::from_str::<Vec<&RawValue>>(text)
    } else {
        serde_json::from_str::<Whole<'_>>(text).map(|whole| whole.tools)
    };
    let tools = tools
        .map_err(|error| if error.is_data() { GoldenError::NoTools } else { GoldenError::NoJson(error) })?;
    let named = tools.into_iter().map(|tool| {
        let Named { name } = serde_json::from_str(tool.get()).map_err(|_| GoldenError::NoTools)?;
        Ok((name, tool.get()))
    });
    named.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shape_is_read() {
        for text in [
            "{\"tools\": [{\"name\": \"a\", \"x\": [1]}, {\"name\": \"b\"}]}\n",
            "{\"resultType\":\"complete\",\"tools\":[{\"name\":\"a\"},{\"name\":\"b\"}],\"ttlMs\":0}",
            "\u{feff} [{\"name\": \"a\"},\r\n {\"name\": \"b\"}]",
        ] {
            let names: Vec<_> = read(text).unwrap().into_iter().map(|(name, _)| name).collect();
            assert_eq!(names, ["a", "b"]);
        }
        assert_eq!(read("[{\"name\": \"a\",  \"x\": 1.0}]").unwrap()[0].1, "{\"name\": \"a\",  \"x\": 1.0}");
    }

    #[test]
    fn what_is_no_list_of_tools() {
        for text in ["", "tools", "[", "{\"tools\": [}", "[] x"] {
            assert!(matches!(read(text), Err(GoldenError::NoJson(_))), "{text}");
        }
        for text in ["{}", "1", "[1]", "[{}]", "{\"tools\": {}}", "{\"tools\": [{\"name\": 1}]}"] {
            assert!(matches!(read(text), Err(GoldenError::NoTools)), "{text}");
        }
    }
}
