use std::collections::BTreeMap;
use std::env;

use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::{ConfigMap, Service};
use kube::api::{DynamicObject, Patch, PatchParams, PostParams};
use kube::{Api, Client, Discovery, ResourceExt};
use serde_json::{Value, json};

use crate::checks::{Outcome, create_config_map, deployment, equal, new_config_maps, new_namespace, refused, typed};

pub async fn patches(client: &Client) -> Outcome {
    let deployments: Api<Deployment> = Api::namespaced(client.clone(), &new_namespace(client).await?);
    deployments.create(&PostParams::default(), &typed(deployment("web"))?).await?;
    let params = PatchParams::default();
    let operations = typed(json!([{"op": "replace", "path": "/spec/replicas", "value": 3}]))?;
    deployments.patch("web", &params, &Patch::<()>::Json(operations)).await?;
    let merge = json!({"metadata": {"annotations": {"note": "merged"}}, "spec": {"minReadySeconds": 5}});
    deployments.patch("web", &params, &Patch::Merge(merge)).await?;
    let sidecar = json!({"spec": {"template": {"spec": {"containers": [{"name": "sidecar", "image": "envoy"}]}}}});
    let patched = deployments.patch("web", &params, &Patch::Strategic(sidecar)).await?;
    equal(patched.annotations().get("note").map(String::as_str), Some("merged"))?;
    equal(patched.metadata.generation, Some(4))?;
    let spec = patched.spec.ok_or("no spec")?;
    equal((spec.replicas, spec.min_ready_seconds), (Some(3), Some(5)))?;
    let containers = spec.template.spec.ok_or("no pod")?.containers;
    equal(containers.into_iter().map(|container| container.name).collect::<Vec<_>>(), ["sidecar", "web"])
}

pub async fn apply(client: &Client) -> Outcome {
    let config_maps = new_config_maps(client).await?;
    let apply = async |params: PatchParams, data: Value| {
        let body =
            json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "applied"}, "data": data});
        config_maps.patch("applied", &params, &Patch::Apply(body)).await
    };
    apply(PatchParams::apply("first"), json!({"a": "1", "b": "1"})).await?;
    let status = refused(apply(PatchParams::apply("second"), json!({"a": "2"})).await)?;
    equal((status.code, status.reason.as_str()), (409, "Conflict"))?;
    let causes = status.details.ok_or("no details")?.causes;
    let cause = causes.first().ok_or("no cause")?;
    equal((cause.reason.as_str(), cause.field.as_str()), ("FieldManagerConflict", ".data.a"))?;
    apply(PatchParams::apply("second").force(), json!({"a": "2"})).await?;
    // What the first manager no longer applies goes; what the second took stays.
    let left = apply(PatchParams::apply("first"), json!({})).await?;
    equal(left.data, Some(BTreeMap::from([("a".into(), "2".into())])))
}

pub async fn yaml_file(client: &Client) -> Outcome {
    let namespace = new_namespace(client).await?;
    let discovery = Discovery::new(client.clone()).filter(&["", "apps"]).run().await?;
    let text = std::fs::read_to_string(env::var("MANIFEST")?)?;
    let documents: Vec<Value> = serde_saphyr::from_multiple(&text)?;
    equal(documents.len(), 3)?;
    for document in documents {
        let object: DynamicObject = typed(document)?;
        let (resource, capabilities) = discovery.resolve_object(&object).ok_or("unknown kind")?;
        equal(capabilities.scope, kube::discovery::Scope::Namespaced)?;
        let api: Api<DynamicObject> = Api::namespaced_with(client.clone(), &namespace, &resource);
        api.patch(&object.name_any(), &PatchParams::apply("kube"), &Patch::Apply(&object)).await?;
    }
    let config_map = Api::<ConfigMap>::namespaced(client.clone(), &namespace).get("from-yaml").await?;
    let data = config_map.data.unwrap_or_default();
    equal(data.get("text").map(String::as_str), Some("first line\nsecond line\n"))?;
    let service = Api::<Service>::namespaced(client.clone(), &namespace).get("from-yaml").await?;
    let port = service.spec.and_then(|spec| spec.ports?.into_iter().next()).ok_or("no port")?;
    equal((port.port, port.protocol.as_deref()), (80, Some("TCP")))?;
    let deployment = Api::<Deployment>::namespaced(client.clone(), &namespace).get("from-yaml").await?;
    equal(deployment.spec.and_then(|spec| spec.replicas), Some(2))
}

pub async fn dry_run(client: &Client) -> Outcome {
    let config_maps = new_config_maps(client).await?;
    let params = PostParams { dry_run: true, ..PostParams::default() };
    let answer = config_maps.create(&params, &typed(json!({"metadata": {"name": "dry"}}))?).await?;
    equal(answer.uid().is_some(), true)?;
    equal(config_maps.get_opt("dry").await?, None)
}

fn set(key: &str) -> impl FnOnce(&mut ConfigMap) {
    move |config_map| {
        config_map.data.get_or_insert_default().insert(key.into(), "yes".into());
    }
}

pub async fn entry(client: &Client) -> Outcome {
    let config_maps = new_config_maps(client).await?;
    for key in ["first", "second"] {
        let entry = config_maps.entry("entered").await?.or_insert(ConfigMap::default);
        entry.and_modify(set(key)).commit(&PostParams::default()).await?;
    }
    let data = config_maps.get("entered").await?.data.unwrap_or_default();
    equal(data.into_keys().collect::<Vec<_>>(), ["first", "second"])
}

pub async fn entry_conflict(client: &Client) -> Outcome {
    let config_maps = new_config_maps(client).await?;
    create_config_map(&config_maps, json!({"metadata": {"name": "contended"}})).await?;
    let read = async || config_maps.entry("contended").await;
    let mut stale = read().await?.and_modify(set("mine")).or_insert(ConfigMap::default);
    let merge = Patch::Merge(json!({"data": {"other": "yes"}}));
    config_maps.patch("contended", &PatchParams::default(), &merge).await?;
    match stale.commit(&PostParams::default()).await {
        Err(kube::api::entry::CommitError::Save(error)) => equal(refused::<()>(Err(error))?.is_conflict(), true)?,
        other => return Err(format!("expected CommitError::Save, found {other:?}").into()),
    }
    let mut fresh = read().await?.and_modify(set("mine")).or_insert(ConfigMap::default);
    fresh.commit(&PostParams::default()).await?;
    let data = fresh.into_object().data.unwrap_or_default();
    equal(data.into_keys().collect::<Vec<_>>(), ["mine", "other"])
}

pub async fn micro_time(client: &Client) -> Outcome {
    let leases: Api<Lease> = Api::namespaced(client.clone(), &new_namespace(client).await?);
    let time = "2026-01-02T03:04:05.123456Z";
    let lease = typed(json!({"metadata": {"name": "held"}, "spec": {"holderIdentity": "me", "renewTime": time}}))?;
    leases.create(&PostParams::default(), &lease).await?;
    let read = leases.get("held").await?.spec.and_then(|spec| spec.renew_time).ok_or("no time")?;
    equal(read.0.to_string(), time)
}
