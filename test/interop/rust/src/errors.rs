use k8s_openapi::api::core::v1::{ConfigMap, Namespace};
use kube::api::{ListParams, Patch, PatchParams, PostParams};
use kube::core::Status;
use kube::{Api, Client, Config};
use serde_json::json;

use crate::checks::{Outcome, create_config_map, equal, new_config_maps, refused, typed};

pub async fn not_found(client: &Client) -> Outcome {
    let config_maps: Api<ConfigMap> = Api::namespaced(client.clone(), "default");
    equal(config_maps.get_opt("missing").await?, None)?;
    let status = refused(config_maps.get("missing").await)?;
    equal((status.code, status.reason.as_str(), status.is_not_found()), (404, "NotFound", true))?;
    equal(status.message.as_str(), "configmaps \"missing\" not found")?;
    let details = status.details.ok_or("no details")?;
    equal((details.kind.as_str(), details.name.as_str()), ("configmaps", "missing"))
}

pub async fn already_exists(client: &Client) -> Outcome {
    let config_maps = new_config_maps(client).await?;
    let twice = json!({"metadata": {"name": "twice"}});
    create_config_map(&config_maps, twice.clone()).await?;
    let status = refused(config_maps.create(&PostParams::default(), &typed(twice)?).await)?;
    equal((status.code, status.is_already_exists()), (409, true))
}

pub async fn conflict(client: &Client) -> Outcome {
    let config_maps = new_config_maps(client).await?;
    let stale = create_config_map(&config_maps, json!({"metadata": {"name": "stale"}})).await?;
    let merge = Patch::Merge(json!({"data": {"other": "yes"}}));
    config_maps.patch("stale", &PatchParams::default(), &merge).await?;
    let status = refused(config_maps.replace("stale", &PostParams::default(), &stale).await)?;
    equal((status.code, status.reason.as_str(), status.is_conflict()), (409, "Conflict", true))
}

pub async fn invalid(client: &Client) -> Outcome {
    let config_maps: Api<ConfigMap> = Api::namespaced(client.clone(), "default");
    let wrong: ConfigMap = typed(json!({"metadata": {"name": "Not_A_Name", "labels": {"app": "not a value"}}}))?;
    let status = refused(config_maps.create(&PostParams::default(), &wrong).await)?;
    equal((status.code, status.reason.as_str(), status.is_invalid()), (422, "Invalid", true))?;
    equal(status.details.as_ref().map(|details| details.name.as_str()), Some("Not_A_Name"))?;
    let mut causes = causes_of(status);
    causes.sort();
    let invalid = |field: &str| (field.to_string(), "FieldValueInvalid".to_string());
    equal(causes, [invalid("metadata.labels"), invalid("metadata.name")])
}

fn causes_of(status: Status) -> Vec<(String, String)> {
    let causes = status.details.map(|details| details.causes).unwrap_or_default();
    causes.into_iter().map(|cause| (cause.field, cause.reason)).collect()
}

pub async fn unknown_field(client: &Client) -> Outcome {
    let config_maps = new_config_maps(client).await?;
    let body = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "strict"}, "dta": {}});
    let params = PatchParams::apply("kube").validation_strict();
    let status = refused(config_maps.patch("strict", &params, &Patch::Apply(body)).await)?;
    equal(status.message.contains(".dta: field not declared in schema"), true)
}

pub async fn unauthorized() -> Outcome {
    let mut config = Config::infer().await?;
    config.auth_info = serde_json::from_value(json!({"token": "wrong"}))?;
    let namespaces: Api<Namespace> = Api::all(Client::try_from(config)?);
    let status = refused(namespaces.list(&ListParams::default()).await)?;
    equal((status.code, status.reason.as_str()), (401, "Unauthorized"))
}
