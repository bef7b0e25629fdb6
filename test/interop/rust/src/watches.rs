use std::env;

use futures::{StreamExt, TryStreamExt};
use k8s_openapi::api::core::v1::{ConfigMap, Namespace};
use kube::api::{DeleteParams, ListParams, Patch, PatchParams, WatchEvent, WatchParams};
use kube::{Api, Client, ResourceExt};
use serde_json::json;

use crate::checks::{Outcome, create_config_map, equal, new_config_maps};

/// Creates, changes and deletes a ConfigMap that carries a label; answers the version before all of it.
async fn write_history(config_maps: &Api<ConfigMap>) -> Outcome<String> {
    let before = config_maps.list(&ListParams::default()).await?.metadata.resource_version.ok_or("no version")?;
    let watched = json!({"metadata": {"name": "watched", "labels": {"watched": "yes"}}});
    create_config_map(config_maps, watched).await?;
    let merge = Patch::Merge(json!({"data": {"step": "2"}}));
    config_maps.patch("watched", &PatchParams::default(), &merge).await?;
    config_maps.delete("watched", &DeleteParams::default()).await?;
    Ok(before)
}

async fn events(config_maps: &Api<ConfigMap>, version: &str, count: usize) -> Outcome<Vec<WatchEvent<ConfigMap>>> {
    let watch = config_maps.watch(&WatchParams::default().labels("watched"), version).await?;
    Ok(watch.boxed().take(count).try_collect().await?)
}

fn names(events: &[WatchEvent<ConfigMap>]) -> Vec<String> {
    events.iter().map(|event| format!("{event:?}")).collect()
}

pub async fn stream(client: &Client) -> Outcome {
    let config_maps = new_config_maps(client).await?;
    let before = write_history(&config_maps).await?;
    let seen = events(&config_maps, &before, 3).await?;
    equal(names(&seen), ["Added event", "Modified event", "Deleted event"])
}

pub async fn resume(client: &Client) -> Outcome {
    let config_maps = new_config_maps(client).await?;
    let before = write_history(&config_maps).await?;
    let first = events(&config_maps, &before, 1).await?;
    let Some(WatchEvent::Added(object)) = first.first() else {
        return Err(format!("expected Added, found {first:?}").into());
    };
    let version = object.resource_version().ok_or("no version")?;
    equal(names(&events(&config_maps, &version, 2).await?), ["Modified event", "Deleted event"])
}

pub async fn initial_events(client: &Client) -> Outcome {
    let config_maps = new_config_maps(client).await?;
    create_config_map(&config_maps, json!({"metadata": {"name": "there", "labels": {"watched": "yes"}}})).await?;
    let params = WatchParams::streaming_lists().labels("watched");
    let seen: Vec<_> = config_maps.watch(&params, "0").await?.boxed().take(2).try_collect().await?;
    match &seen[..] {
        [WatchEvent::Added(object), WatchEvent::Bookmark(bookmark)] => {
            equal(object.name_any(), "there")?;
            equal(bookmark.metadata.annotations["k8s.io/initial-events-end"].as_str(), "true")
        }
        other => Err(format!("expected Added and Bookmark, found {other:?}").into()),
    }
}

pub async fn expired(client: &Client) -> Outcome {
    let namespaces: Api<Namespace> = Api::all(client.clone());
    let watch = namespaces.watch(&WatchParams::default(), &env::var("EXPIRED_RESOURCE_VERSION")?).await?;
    match watch.boxed().try_next().await? {
        Some(WatchEvent::Error(status)) => equal((status.code, status.reason.as_str()), (410, "Expired")),
        other => Err(format!("expected Error, found {other:?}").into()),
    }
}
