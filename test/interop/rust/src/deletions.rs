use futures::{StreamExt, TryStreamExt};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{DeleteParams, ListParams, Preconditions, WatchEvent, WatchParams};
use kube::{Api, Client, ResourceExt};
use serde_json::json;

use crate::checks::{Outcome, create_config_map, equal, new_config_maps, refused};

/// An owner, a dependent, and the version of the list that has both.
struct Family {
    config_maps: Api<ConfigMap>,
    version: String,
}

impl Family {
    async fn create(client: &Client) -> Outcome<Self> {
        let config_maps = new_config_maps(client).await?;
        let owner = create_config_map(&config_maps, json!({"metadata": {"name": "owner"}})).await?;
        let reference = json!({
            "apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": owner.uid(), "blockOwnerDeletion": true,
        });
        let dependent = json!({"metadata": {"name": "dependent", "ownerReferences": [reference]}});
        create_config_map(&config_maps, dependent).await?;
        let list = config_maps.list(&ListParams::default()).await?;
        let version = list.metadata.resource_version.ok_or("no version")?;
        Ok(Self { config_maps, version })
    }

    /// Deletes the owner; the names of what goes, in order.
    async fn delete_owner(&self, params: DeleteParams, count: usize) -> Outcome<Vec<String>> {
        self.config_maps.delete("owner", &params).await?;
        let watch = self.config_maps.watch(&WatchParams::default(), &self.version).await?;
        let deleted = watch.try_filter_map(async |event| {
            Ok(match event {
                WatchEvent::Deleted(object) => Some(object.name_any()),
                _ => None,
            })
        });
        Ok(deleted.boxed().take(count).try_collect().await?)
    }
}

pub async fn foreground(client: &Client) -> Outcome {
    let family = Family::create(client).await?;
    equal(family.delete_owner(DeleteParams::foreground(), 2).await?, ["dependent", "owner"])
}

pub async fn background(client: &Client) -> Outcome {
    let family = Family::create(client).await?;
    equal(family.delete_owner(DeleteParams::background(), 2).await?, ["owner", "dependent"])
}

pub async fn orphan(client: &Client) -> Outcome {
    let family = Family::create(client).await?;
    equal(family.delete_owner(DeleteParams::orphan(), 1).await?, ["owner"])?;
    equal(family.config_maps.get("dependent").await?.owner_references().len(), 0)
}

pub async fn precondition(client: &Client) -> Outcome {
    let config_maps = new_config_maps(client).await?;
    create_config_map(&config_maps, json!({"metadata": {"name": "kept"}})).await?;
    let condition = Preconditions { uid: Some("another".into()), resource_version: None };
    let status = refused(config_maps.delete("kept", &DeleteParams::default().preconditions(condition)).await)?;
    equal((status.code, status.is_conflict()), (409, true))
}

pub async fn collection(client: &Client) -> Outcome {
    let config_maps = new_config_maps(client).await?;
    for (name, gone) in [("a", "yes"), ("b", "yes"), ("c", "no")] {
        create_config_map(&config_maps, json!({"metadata": {"name": name, "labels": {"gone": gone}}})).await?;
    }
    let gone = ListParams::default().labels("gone=yes");
    config_maps.delete_collection(&DeleteParams::default(), &gone).await?;
    let left = config_maps.list(&ListParams::default().labels("gone")).await?;
    equal(left.iter().map(ResourceExt::name_any).collect::<Vec<_>>(), ["c"])
}
