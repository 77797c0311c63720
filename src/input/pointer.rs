//! JSON Pointers (RFC 6901) and reference strings (RFC 3986), resolved to nodes.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;

use super::files;
use super::node::Node;
use super::resource;
use super::tree::Kind;

/// Why a reference leads nowhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Unresolved {
    /// The network.
    Remote,
    /// A kind of address that is not followed.
    Scheme,
    /// A file, from a text that has no folder.
    NoFolder,
    /// A file that may not be read: it is outside the folder.
    Outside(String),
    /// A file that cannot be read, and why.
    Unreadable(String),
    /// No value at the place that it names: the file that was searched, and the longest part of the
    /// fragment that exists.
    Nowhere(String, String),
}

/// Escapes one token of a JSON Pointer: `~` as `~0`, `/` as `~1`.
pub(crate) fn escape(token: &str) -> String {
    token.replace('~', "~0").replace('/', "~1")
}

fn unescape(token: &str) -> String {
    token.replace("~1", "/").replace("~0", "~")
}

/// The place that `reference`, a string in the file of `from`, names.
///
/// The fragment is percent-decoded, then split, then `~1` and `~0` are decoded; documents with
/// names that were never encoded are common, so the raw text is the second try.
///
/// # Errors
/// [`Unresolved`]
pub(crate) fn resolve<'i>(from: Node<'i>, reference: &str) -> Result<Node<'i>, Unresolved> {
    let file = from.file();
    if !reference.starts_with('#') || resource::any(from) {
        return find(from, reference);
    }
    let known = file.resolved.borrow().get(reference).copied();
    if let Some(index) = known {
        return Ok(from.at(index));
    }
    let found = find(from, reference)?;
    file.resolved.borrow_mut().insert(reference.to_owned(), found.index());
    Ok(found)
}

fn find<'i>(from: Node<'i>, reference: &str) -> Result<Node<'i>, Unresolved> {
    let (file, fragment) = reference.split_once('#').unwrap_or((reference, ""));
    let resource = resource::named(from, file);
    if !file.is_empty() && resource.is_none() {
        let root = files::load(from, file)?;
        return if fragment.is_empty() { Ok(root) } else { resolve(root, &format!("#{fragment}")) };
    }
    let decoded = decoded(fragment);
    if !fragment.is_empty() && !fragment.starts_with('/') {
        // Plain names are known to schemas alone.
        return Err(Unresolved::Nowhere(from.file().name.clone(), String::new()));
    }
    let mut reached = String::new();
    // Documents with an `$id` somewhere and pointers from the root are common, too.
    let roots = resource.into_iter().chain(Some(from.root()).filter(|_| file.is_empty()));
    for root in roots {
        reached.clear();
        let found = descend(root, &decoded, &unescape, &mut reached)
            .or_else(|| descend(root, fragment, &unescape, &mut String::new()))
            .or_else(|| descend(root, fragment, &str::to_owned, &mut String::new()));
        if let Some(found) = found {
            return Ok(found);
        }
    }
    Err(Unresolved::Nowhere(from.file().name.clone(), reached))
}

/// A fragment without its percent-encoding.
pub(crate) fn decoded(fragment: &str) -> Cow<'_, str> {
    percent_decode_str(fragment).decode_utf8_lossy()
}

fn descend<'i>(
    root: Node<'i>,
    pointer: &str,
    decode: &dyn Fn(&str) -> String,
    reached: &mut String,
) -> Option<Node<'i>> {
    let mut at = root;
    for token in pointer.split('/').skip(1) {
        let name = decode(token);
        at = match at.kind() {
            Kind::Array => at.items().nth(array_index(&name)?)?,
            _ => at.get_indexed(&name)?,
        };
        reached.push('/');
        reached.push_str(token);
    }
    Some(at)
}

/// The item that a token names: digits without leading zeros (RFC 6901, section 4).
fn array_index(token: &str) -> Option<usize> {
    let canonical = token == "0" || !token.starts_with(['0', '+']);
    canonical.then(|| token.parse().ok())?
}
