use k8s_openapi::api::core::v1::Secret;
use kube::api::{DynamicObject, Patch, PatchParams, PostParams};
use kube::core::GroupVersionKind;
use kube::discovery::{Scope, pinned_kind, verbs};
use kube::{Api, Client, Discovery};
use serde_json::json;

use crate::checks::{Outcome, equal, new_namespace};

fn check_kinds(discovery: &Discovery) -> Outcome {
    equal(discovery.has_group("example.com"), false)?;
    equal(discovery.get("apps").map(|group| group.preferred_version_or_latest()), Some("v1"))?;
    let kind = GroupVersionKind::gvk("apps", "v1", "Deployment");
    let (resource, capabilities) = discovery.resolve_gvk(&kind).ok_or("no Deployment")?;
    equal((resource.plural.as_str(), capabilities.scope.clone()), ("deployments", Scope::Namespaced))?;
    equal(capabilities.supports_operation(verbs::WATCH), true)?;
    let subresources = capabilities.subresources.iter().map(|(subresource, _)| subresource.plural.as_str());
    let mut found: Vec<_> = subresources.collect();
    found.sort();
    equal(found, ["scale", "status"])
}

pub async fn groups(client: &Client) -> Outcome {
    check_kinds(&Discovery::new(client.clone()).run().await?)
}

pub async fn aggregated(client: &Client) -> Outcome {
    check_kinds(&Discovery::new(client.clone()).run_aggregated().await?)
}

pub async fn dynamic(client: &Client) -> Outcome {
    let (resource, _) = pinned_kind(client, &GroupVersionKind::gvk("", "v1", "Secret")).await?;
    let secrets: Api<DynamicObject> = Api::namespaced_with(client.clone(), &new_namespace(client).await?, &resource);
    let secret = DynamicObject::new("dynamic", &resource).data(json!({"stringData": {"key": "value"}}));
    secrets.create(&PostParams::default(), &secret).await?;
    let merge = Patch::Merge(json!({"metadata": {"labels": {"kind": "secret"}}}));
    let parsed: Secret = secrets.patch("dynamic", &PatchParams::default(), &merge).await?.try_parse()?;
    equal(parsed.data.unwrap_or_default().remove("key").map(|value| value.0), Some(b"value".to_vec()))
}
