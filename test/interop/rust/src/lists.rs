use std::collections::BTreeSet;
use std::env;

use k8s_openapi::api::authentication::v1::{SelfSubjectReview, TokenRequest};
use k8s_openapi::api::core::v1::{Namespace, ServiceAccount};
use kube::api::{ListParams, PostParams};
use kube::{Api, Client, Config, ResourceExt};
use serde_json::json;

use crate::checks::{Outcome, create_config_map, equal, new_config_maps, new_namespace, refused, typed};

pub async fn kubeconfig(client: &Client) -> Outcome {
    equal(client.apiserver_version().await?.major, "1")?;
    equal(user_name(client).await?, "kubernetes-admin")
}

pub async fn token(client: &Client) -> Outcome {
    let namespace = new_namespace(client).await?;
    let accounts: Api<ServiceAccount> = Api::namespaced(client.clone(), &namespace);
    let post = PostParams::default();
    accounts.create(&post, &typed(json!({"metadata": {"name": "robot"}}))?).await?;
    let request: TokenRequest = typed(json!({"metadata": {}, "spec": {"audiences": []}}))?;
    let granted = accounts.create_token_request("robot", &post, &request).await?;
    let mut config = Config::infer().await?;
    let token = granted.status.ok_or("no status")?.token;
    config.auth_info = serde_json::from_value(json!({"token": token}))?;
    let name = user_name(&Client::try_from(config)?).await?;
    equal(name, format!("system:serviceaccount:{namespace}:robot"))
}

async fn user_name(client: &Client) -> Outcome<String> {
    let reviews: Api<SelfSubjectReview> = Api::all(client.clone());
    let review = reviews.create(&PostParams::default(), &SelfSubjectReview::default()).await?;
    Ok(review.status.and_then(|status| status.user_info?.username).unwrap_or_default())
}

pub async fn typed_list(client: &Client) -> Outcome {
    let namespaces = Api::<Namespace>::all(client.clone()).list(&ListParams::default()).await?;
    let names: BTreeSet<String> = namespaces.iter().map(ResourceExt::name_any).collect();
    for name in ["default", "kube-node-lease", "kube-public", "kube-system"] {
        equal(names.contains(name), true)?;
    }
    for namespace in &namespaces {
        equal(namespace.status.as_ref().and_then(|status| status.phase.as_deref()), Some("Active"))?;
        equal(namespace.creation_timestamp().is_some(), true)?;
    }
    Ok(())
}

pub async fn selectors(client: &Client) -> Outcome {
    let config_maps = new_config_maps(client).await?;
    for (name, tier) in [("a", "front"), ("b", "back"), ("c", "back")] {
        create_config_map(&config_maps, json!({"metadata": {"name": name, "labels": {"tier": tier}}})).await?;
    }
    let narrow = ListParams::default().labels("tier in (back)").fields("metadata.name!=b");
    let found = config_maps.list(&narrow).await?;
    equal(found.iter().map(ResourceExt::name_any).collect::<Vec<_>>(), ["c"])
}

pub async fn pages(client: &Client) -> Outcome {
    let config_maps = new_config_maps(client).await?;
    let create = async |name: &str| {
        create_config_map(&config_maps, json!({"metadata": {"name": name, "labels": {"paged": "yes"}}})).await
    };
    for name in ["m0", "m1", "m2", "m3", "m4"] {
        create(name).await?;
    }
    let mut params = ListParams::default().labels("paged").limit(2);
    let (mut names, mut versions) = (Vec::new(), BTreeSet::new());
    loop {
        let page = config_maps.list(&params).await?;
        names.extend(page.iter().map(ResourceExt::name_any));
        versions.insert(page.metadata.resource_version.clone());
        if names.len() == 2 {
            create("m1-later").await?;
        }
        match page.metadata.continue_.as_deref() {
            None | Some("") => break,
            Some(token) => params = params.continue_token(token),
        }
    }
    equal(versions.len(), 1)?;
    equal(names, ["m0", "m1", "m2", "m3", "m4"])
}

pub async fn expired(client: &Client) -> Outcome {
    let namespaces: Api<Namespace> = Api::all(client.clone());
    let page = ListParams::default().limit(1);
    let status = refused(namespaces.list(&page.clone().continue_token(&env::var("EXPIRED_CONTINUE")?)).await)?;
    equal((status.code, status.reason.as_str()), (410, "Expired"))?;
    let token = status.metadata.and_then(|metadata| metadata.continue_).ok_or("no continue token")?;
    let rest = namespaces.list(&ListParams::default().continue_token(&token)).await?;
    equal(rest.iter().any(|namespace| namespace.name_any() == "kube-system"), true)
}

pub async fn metadata(client: &Client) -> Outcome {
    let config_maps = new_config_maps(client).await?;
    create_config_map(&config_maps, json!({"metadata": {"name": "light", "labels": {"light": "yes"}}})).await?;
    let list = config_maps.list_metadata(&ListParams::default().labels("light")).await?;
    let types = list.items.first().and_then(|item| item.types.clone()).ok_or("no types")?;
    equal((types.api_version.as_str(), types.kind.as_str()), ("meta.k8s.io/v1", "PartialObjectMetadata"))?;
    equal(list.iter().map(ResourceExt::name_any).collect::<Vec<_>>(), ["light"])
}
