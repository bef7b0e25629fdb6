use std::env;

use futures::{AsyncBufReadExt, TryStreamExt};
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::{Node, Pod};
use kube::api::{EvictParams, LogParams, Patch, PatchParams, PostParams};
use kube::{Api, Client};
use serde_json::json;

use crate::checks::{Outcome, deployment, equal, new_namespace, typed};

async fn new_deployment(client: &Client) -> Outcome<Api<Deployment>> {
    let deployments = Api::namespaced(client.clone(), &new_namespace(client).await?);
    deployments.create(&PostParams::default(), &typed(deployment("web"))?).await?;
    Ok(deployments)
}

pub async fn scale(client: &Client) -> Outcome {
    let deployments = new_deployment(client).await?;
    let mut scale = deployments.get_scale("web").await?;
    equal(scale.status.as_ref().and_then(|status| status.selector.as_deref()), Some("app=web"))?;
    scale.spec.get_or_insert_default().replicas = Some(4);
    deployments.replace_scale("web", &PostParams::default(), &scale).await?;
    equal(deployments.get("web").await?.spec.and_then(|spec| spec.replicas), Some(4))?;
    let merge = Patch::Merge(json!({"spec": {"replicas": 5}}));
    let scaled = deployments.patch_scale("web", &PatchParams::default(), &merge).await?;
    equal(scaled.spec.and_then(|spec| spec.replicas), Some(5))
}

pub async fn status(client: &Client) -> Outcome {
    let deployments = new_deployment(client).await?;
    let merge = Patch::Merge(json!({"spec": {"replicas": 9}, "status": {"replicas": 2}}));
    deployments.patch_status("web", &PatchParams::default(), &merge).await?;
    let read = deployments.get_status("web").await?;
    equal(read.spec.and_then(|spec| spec.replicas), Some(1))?;
    equal(read.status.and_then(|status| status.replicas), Some(2))
}

pub async fn log(client: &Client) -> Outcome {
    let pods: Api<Pod> = Api::namespaced(client.clone(), "default");
    let name = env::var("LOGGED_POD")?;
    let params = LogParams { tail_lines: Some(2), ..LogParams::default() };
    let expected = [format!("{name}/app asked for <tailLines=2>"), "second line".into(), "the last line".into()];
    equal(pods.logs(&name, &params).await?.lines().map(String::from).collect::<Vec<_>>(), &expected[..])?;
    let lines: Vec<String> = pods.log_stream(&name, &params).await?.lines().try_collect().await?;
    equal(lines, &expected[..])
}

pub async fn evict(client: &Client) -> Outcome {
    let pods: Api<Pod> = Api::namespaced(client.clone(), &new_namespace(client).await?);
    let pod = json!({"metadata": {"name": "evicted"}, "spec": {"containers": [{"name": "web", "image": "nginx"}]}});
    pods.create(&PostParams::default(), &typed(pod)?).await?;
    equal(pods.evict("evicted", &EvictParams::default()).await?.is_success(), true)?;
    equal(pods.get_opt("evicted").await?.is_none(), true)
}

pub async fn helpers(client: &Client) -> Outcome {
    let restarted = new_deployment(client).await?.restart("web").await?;
    let template = restarted.spec.and_then(|spec| spec.template.metadata).ok_or("no template")?;
    let annotations = template.annotations.unwrap_or_default();
    equal(annotations.into_keys().collect::<Vec<_>>(), ["kube.kubernetes.io/restartedAt"])?;
    let nodes: Api<Node> = Api::all(client.clone());
    nodes.create(&PostParams::default(), &typed(json!({"metadata": {"name": "cordoned"}}))?).await?;
    let unschedulable = |node: Node| node.spec.and_then(|spec| spec.unschedulable).unwrap_or_default();
    equal(unschedulable(nodes.cordon("cordoned").await?), true)?;
    equal(unschedulable(nodes.uncordon("cordoned").await?), false)
}
