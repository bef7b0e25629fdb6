use std::convert::Infallible;
use std::future::ready;
use std::sync::Arc;
use std::time::Duration;

use futures::{Stream, StreamExt, TryStreamExt};
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use k8s_openapi::api::events::v1::Event as PublishedEvent;
use kube::api::{DeleteParams, ListParams, PostParams};
use kube::core::PartialObjectMeta;
use kube::runtime::controller::Action;
use kube::runtime::events::{Event, EventType, Recorder, Reporter};
use kube::runtime::finalizer::{Event as Finalizer, finalizer};
use kube::runtime::reflector::ObjectRef;
use kube::runtime::wait::{await_condition, conditions};
use kube::runtime::{Controller, WatchStreamExt, reflector, watcher};
use kube::{Api, Client, Resource, ResourceExt};
use serde_json::json;
use tokio::time::timeout;

use crate::checks::{Outcome, create_config_map, equal, new_config_maps, typed};

fn labelled() -> watcher::Config {
    watcher::Config::default().labels("watched")
}

async fn create(config_maps: &Api<ConfigMap>, name: &str) -> Outcome<ConfigMap> {
    create_config_map(config_maps, json!({"metadata": {"name": name, "labels": {"watched": "yes"}}})).await
}

async fn next<K: ResourceExt>(
    stream: &mut (impl Stream<Item = watcher::Result<watcher::Event<K>>> + Unpin),
    count: usize,
) -> Outcome<Vec<String>> {
    let events: Vec<_> = stream.take(count).try_collect().await?;
    Ok(events.iter().map(ToString::to_string).collect())
}

async fn list_then_watch(client: &Client, config: watcher::Config) -> Outcome {
    let config_maps = new_config_maps(client).await?;
    for name in ["a", "b", "c"] {
        create(&config_maps, name).await?;
    }
    let mut stream = watcher(config_maps.clone(), config).boxed();
    let expected = ["Init", "InitApply(a)", "InitApply(b)", "InitApply(c)", "InitDone"];
    equal(next(&mut stream, expected.len()).await?, expected)?;
    create(&config_maps, "d").await?;
    config_maps.delete("a", &DeleteParams::default()).await?;
    equal(next(&mut stream, 2).await?, ["Apply(d)", "Delete(a)"])
}

pub async fn pages_then_watches(client: &Client) -> Outcome {
    list_then_watch(client, labelled().page_size(2)).await
}

pub async fn streaming_list(client: &Client) -> Outcome {
    list_then_watch(client, labelled().streaming_lists()).await
}

pub async fn reflect(client: &Client) -> Outcome {
    let config_maps = new_config_maps(client).await?;
    create(&config_maps, "before").await?;
    let (store, writer) = reflector::store();
    let mut applied = watcher(config_maps.clone(), labelled()).reflect(writer).applied_objects().boxed();
    equal(applied.try_next().await?.map(|object| object.name_any()), Some("before".into()))?;
    create(&config_maps, "during").await?;
    equal(applied.try_next().await?.map(|object| object.name_any()), Some("during".into()))?;
    let mut names: Vec<String> = store.state().iter().map(|object| object.name_any()).collect();
    names.sort();
    equal(names, ["before", "during"])?;
    let namespace = config_maps.namespace().unwrap_or_default();
    equal(store.get(&ObjectRef::new("during").within(namespace)).is_some(), true)
}

pub async fn metadata(client: &Client) -> Outcome {
    let config_maps = new_config_maps(client).await?;
    create(&config_maps, "light").await?;
    let namespace = config_maps.namespace().unwrap_or_default();
    let light: Api<PartialObjectMeta<ConfigMap>> = Api::namespaced(client.clone(), namespace);
    let mut stream = watcher(light, labelled()).boxed();
    equal(next(&mut stream, 3).await?, ["Init", "InitApply(light)", "InitDone"])?;
    create(&config_maps, "later").await?;
    equal(next(&mut stream, 1).await?, ["Apply(later)"])
}

pub async fn timed_out(client: &Client) -> Outcome {
    let config_maps = new_config_maps(client).await?;
    let mut stream = watcher(config_maps.clone(), labelled().timeout(1)).boxed();
    equal(next(&mut stream, 2).await?, ["Init", "InitDone"])?;
    let quiet = timeout(Duration::from_millis(1300), stream.next()).await;
    equal(quiet.is_err(), true)?;
    // The next watch starts where the first ended: there is no second Init.
    create(&config_maps, "later").await?;
    equal(next(&mut stream, 1).await?, ["Apply(later)"])
}

pub async fn await_deleted(client: &Client) -> Outcome {
    let config_maps = new_config_maps(client).await?;
    let uid = create(&config_maps, "awaited").await?.uid().ok_or("no uid")?;
    let condition = await_condition(config_maps.clone(), "awaited", conditions::is_deleted(&uid));
    let params = DeleteParams::default();
    let (awaited, deleted) = tokio::join!(condition, config_maps.delete("awaited", &params));
    deleted?;
    equal(awaited?, None)
}

pub async fn finalize(client: &Client) -> Outcome {
    let config_maps = &new_config_maps(client).await?;
    create(config_maps, "finalized").await?;
    let mut seen = Vec::new();
    let mut reconcile = async || -> Outcome {
        let object = Arc::new(config_maps.get("finalized").await?);
        let run = |event| {
            seen.push(match event {
                Finalizer::Apply(_) => "apply",
                Finalizer::Cleanup(_) => "cleanup",
            });
            ready(Ok::<_, Infallible>(Action::await_change()))
        };
        finalizer(config_maps, "example.com/cleanup", object, run).await?;
        Ok(())
    };
    // The first call puts the finalizer there, and its change brings a controller the second.
    reconcile().await?;
    reconcile().await?;
    config_maps.delete("finalized", &DeleteParams::default()).await?;
    reconcile().await?;
    equal(seen, ["apply", "cleanup"])?;
    equal(config_maps.get_opt("finalized").await?, None)
}

pub async fn control(client: &Client) -> Outcome {
    let config_maps = new_config_maps(client).await?;
    let secrets: Api<Secret> = Api::namespaced(client.clone(), config_maps.namespace().unwrap_or_default());
    let owner = create(&config_maps, "owner").await?;
    let mut reconciled = Controller::new(config_maps.clone(), labelled())
        .owns(secrets.clone(), watcher::Config::default())
        .run(
            |_, _| ready(Ok::<_, Infallible>(Action::await_change())),
            |_, _, _| Action::await_change(),
            Arc::new(()),
        )
        .boxed();
    let first = reconciled.try_next().await?.ok_or("ended")?;
    equal(first.0.name.as_str(), "owner")?;
    let reference = owner.controller_owner_ref(&()).ok_or("no reference")?;
    let secret = typed(json!({"metadata": {"name": "owned", "ownerReferences": [reference]}}))?;
    secrets.create(&PostParams::default(), &secret).await?;
    let second = reconciled.try_next().await?.ok_or("ended")?;
    equal(second.0.name.as_str(), "owner")
}

pub async fn record(client: &Client) -> Outcome {
    let config_maps = new_config_maps(client).await?;
    let regarding = create(&config_maps, "regarded").await?.object_ref(&());
    let recorder = Recorder::new(client.clone(), Reporter::from("kube"));
    let event = Event {
        type_: EventType::Normal,
        reason: "Checked".into(),
        note: Some("It was checked".into()),
        action: "Checking".into(),
        secondary: None,
    };
    recorder.publish(&event, &regarding).await?;
    recorder.publish(&event, &regarding).await?;
    let events: Api<PublishedEvent> = Api::namespaced(client.clone(), config_maps.namespace().unwrap_or_default());
    let published = events.list(&ListParams::default().fields("regarding.name=regarded")).await?;
    equal(published.items.len(), 1)?;
    let series = published.items.first().and_then(|event| event.series.as_ref());
    equal(series.map(|series| series.count), Some(2))
}
