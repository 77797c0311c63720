//! Security Scheme Objects, as far as they decide what is an argument.

use openapiv3::{APIKeyLocation, SecurityScheme};

use super::{Document, In, follow};
use crate::input::Node;

/// A key that a parameter carries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ApiKey {
    /// Where it goes.
    pub(crate) place: In,
    /// Its name on the wire.
    pub(crate) name: String,
}

impl<'i> Document<'i> {
    /// The document's security schemes by name, references followed; dangling ones are left out.
    pub(crate) fn security_schemes(self) -> Vec<(&'i str, Node<'i>)> {
        let schemes = self.root.get("components").and_then(|components| components.get("securitySchemes"));
        let entries = schemes.into_iter().flat_map(Node::entries);
        entries.filter_map(|(name, node)| Some((name, follow(node).ok()?))).collect()
    }

    /// The keys that the document's schemes declare: the transport supplies them.
    pub(crate) fn api_keys(self) -> Vec<ApiKey> {
        self.security_schemes().into_iter().filter_map(|(_, node)| api_key(node)).collect()
    }
}

fn api_key(scheme: Node<'_>) -> Option<ApiKey> {
    match serde_json::from_value(scheme.to_value()).ok()? {
        SecurityScheme::APIKey { location, name, .. } => {
            let place = match location {
                APIKeyLocation::Query => In::Query,
                APIKeyLocation::Header => In::Header,
                APIKeyLocation::Cookie => In::Cookie,
            };
            Some(ApiKey { place, name })
        }
        SecurityScheme::HTTP { .. }
        | SecurityScheme::OAuth2 { .. }
        | SecurityScheme::OpenIDConnect { .. } => None,
    }
}
