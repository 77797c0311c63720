//! Security Scheme Objects: in one form for all versions, and as far as they decide what is an
//! argument.

use openapiv3::{APIKeyLocation, SecurityScheme};
use serde_json::{Map, Value, json};

use super::{Document, In, Version, follow};
use crate::input::Node;

/// A key that a parameter carries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ApiKey {
    /// Where it goes.
    pub(crate) place: In,
    /// Its name on the wire.
    pub(crate) name: String,
}

impl Document<'_> {
    /// The document's security schemes by name, as OpenAPI 3 writes them, references followed;
    /// dangling ones are left out.
    pub(crate) fn security_schemes(self) -> Map<String, Value> {
        let schemes = match self.version {
            Version::V2 => self.root.get("securityDefinitions"),
            Version::V30 | Version::V31 | Version::V32 => {
                self.root.get("components").and_then(|components| components.get("securitySchemes"))
            }
        };
        let followed = |(name, node)| Some((str::to_owned(name), follow(node).ok()?.to_value()));
        let entries = schemes.into_iter().flat_map(Node::entries).filter_map(followed);
        let swagger = self.version == Version::V2;
        entries.map(|(name, scheme)| (name, if swagger { from_swagger(scheme) } else { scheme })).collect()
    }

    /// The keys that the document's schemes declare: the transport supplies them.
    pub(crate) fn api_keys(self) -> Vec<ApiKey> {
        self.security_schemes().into_iter().filter_map(|(_, scheme)| api_key(scheme)).collect()
    }
}

fn api_key(scheme: Value) -> Option<ApiKey> {
    match serde_json::from_value(scheme).ok()? {
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

/// A Security Scheme Object of Swagger 2.0 as OpenAPI 3 writes it.
fn from_swagger(scheme: Value) -> Value {
    let Value::Object(mut scheme) = scheme else { return scheme };
    match scheme.get("type").and_then(Value::as_str) {
        Some("basic") => {
            scheme.insert("type".to_owned(), json!("http"));
            scheme.insert("scheme".to_owned(), json!("basic"));
        }
        Some("oauth2") => {
            let name = match scheme.shift_remove("flow").as_ref().and_then(Value::as_str) {
                Some("application") => "clientCredentials".to_owned(),
                Some("accessCode") => "authorizationCode".to_owned(),
                flow => flow.unwrap_or("implicit").to_owned(),
            };
            let parts = ["authorizationUrl", "tokenUrl", "scopes"];
            let flow: Map<_, _> = parts
                .into_iter()
                .filter_map(|key| Some((key.to_owned(), scheme.shift_remove(key)?)))
                .collect();
            scheme.insert("flows".to_owned(), json!({name: flow}));
        }
        _ => {}
    }
    Value::Object(scheme)
}
