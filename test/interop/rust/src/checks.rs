//! The report: one line of JSON for each check on stdout.

use std::error::Error;
use std::fmt::Debug;
use std::panic::Location;
use std::sync::atomic::{AtomicUsize, Ordering};

use k8s_openapi::api::core::v1::{ConfigMap, Namespace};
use kube::api::PostParams;
use kube::core::Status;
use kube::{Api, Client};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

pub type Outcome<T = ()> = Result<T, Box<dyn Error>>;

pub async fn check(name: &str, run: impl Future<Output = Outcome>) {
    let outcome = run.await;
    let detail = outcome.as_ref().err().map(ToString::to_string);
    println!("{}", json!({"name": name, "ok": outcome.is_ok(), "detail": detail.unwrap_or_default()}));
}

#[track_caller]
pub fn equal<A: PartialEq<B> + Debug, B: Debug>(found: A, expected: B) -> Outcome {
    if found == expected {
        return Ok(());
    }
    Err(format!("{}: expected {expected:?}, found {found:?}", Location::caller()).into())
}

/// The Status that the server answered a request with that it refused.
#[track_caller]
pub fn refused<T>(result: kube::Result<T>) -> Outcome<Status> {
    match result {
        Err(kube::Error::Api(status)) => Ok(*status),
        Err(other) => Err(format!("{}: expected Error::Api, found {other:?}", Location::caller()).into()),
        Ok(_) => Err(format!("{}: expected Error::Api, found an answer", Location::caller()).into()),
    }
}

/// A value of an API type, written as JSON.
pub fn typed<T: DeserializeOwned>(value: Value) -> Outcome<T> {
    Ok(serde_json::from_value(value)?)
}

/// A namespace of one check's own.
pub async fn new_namespace(client: &Client) -> Outcome<String> {
    static CREATED: AtomicUsize = AtomicUsize::new(0);
    let name = format!("check-{}", CREATED.fetch_add(1, Ordering::Relaxed));
    let namespace: Namespace = typed(json!({"metadata": {"name": name}}))?;
    Api::all(client.clone()).create(&PostParams::default(), &namespace).await?;
    Ok(name)
}

/// The ConfigMaps of a new namespace.
pub async fn new_config_maps(client: &Client) -> Outcome<Api<ConfigMap>> {
    Ok(Api::namespaced(client.clone(), &new_namespace(client).await?))
}

pub async fn create_config_map(config_maps: &Api<ConfigMap>, value: Value) -> Outcome<ConfigMap> {
    Ok(config_maps.create(&PostParams::default(), &typed(value)?).await?)
}

pub fn deployment(name: &str) -> Value {
    json!({
        "metadata": {"name": name},
        "spec": {
            "replicas": 1,
            "selector": {"matchLabels": {"app": name}},
            "template": {
                "metadata": {"labels": {"app": name}},
                "spec": {"containers": [{"name": "web", "image": "nginx"}]},
            },
        },
    })
}
