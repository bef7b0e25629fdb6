//! Runs the checks of Rust's kube against the cluster of $KUBECONFIG.

mod checks;
mod deletions;
mod discovery;
mod errors;
mod lists;
mod runtime;
mod subresources;
mod watches;
mod writes;

use checks::{Outcome, check};
use kube::Client;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Outcome {
    let client = &Client::try_default().await?;

    check("the client reads the kubeconfig and authenticates with its certificate", lists::kubeconfig(client)).await;
    check("a service account's token authenticates another client", lists::token(client)).await;
    check("lists are typed: names, phases and times", lists::typed_list(client)).await;
    check("label and field selectors narrow a list", lists::selectors(client)).await;
    check("limit and continue page through one version of a list", lists::pages(client)).await;
    check("an expired continue token is Error::Api with 410 and a token to go on with", lists::expired(client)).await;
    check("list_metadata reads PartialObjectMetadata", lists::metadata(client)).await;

    check("a JSON patch, a merge patch and a strategic merge patch change one object", writes::patches(client)).await;
    check("server-side apply tracks owners: a second manager conflicts, and takes over by force", writes::apply(client))
        .await;
    check("every document of a YAML file is applied through discovery", writes::yaml_file(client)).await;
    check("a dry run answers the object and keeps nothing", writes::dry_run(client)).await;
    check("an entry's commit creates an object, then replaces it", writes::entry(client)).await;
    check("an entry's commit fails with a conflict, and succeeds after a new read", writes::entry_conflict(client)).await;
    check("a Lease keeps microseconds", writes::micro_time(client)).await;

    check("the scale subresource reads and writes replicas", subresources::scale(client)).await;
    check("the status subresource writes the status alone", subresources::status(client)).await;
    check("a pod's log is read whole, and line by line", subresources::log(client)).await;
    check("an eviction deletes the pod", subresources::evict(client)).await;
    check("restart, cordon and uncordon change a Deployment and a Node", subresources::helpers(client)).await;

    check("a missing object is Error::Api with 404, and None of get_opt", errors::not_found(client)).await;
    check("a second creation is Error::Api with 409 AlreadyExists", errors::already_exists(client)).await;
    check("a write of a stale resourceVersion is Error::Api with 409 Conflict", errors::conflict(client)).await;
    check("an invalid object is Error::Api with 422 and a cause for each field", errors::invalid(client)).await;
    check("strict field validation names the unknown field", errors::unknown_field(client)).await;
    check("a wrong bearer token is Error::Api with 401", errors::unauthorized()).await;

    check("foreground deletion removes the dependent before its owner", deletions::foreground(client)).await;
    check("background deletion removes the owner first", deletions::background(client)).await;
    check("orphaning leaves the dependent without an owner", deletions::orphan(client)).await;
    check("a deletion whose uid precondition fails is Error::Api with 409", deletions::precondition(client)).await;
    check("a collection is deleted by selector", deletions::collection(client)).await;

    check("a watch streams Added, Modified and Deleted", watches::stream(client)).await;
    check("a watch goes on after the resourceVersion of the last event that was seen", watches::resume(client)).await;
    check("streaming lists end with a bookmark that is annotated", watches::initial_events(client)).await;
    check("a watch from an expired resourceVersion is an Error event with 410 Expired", watches::expired(client)).await;

    check("watcher lists in pages, then watches", runtime::pages_then_watches(client)).await;
    check("watcher streams its initial list", runtime::streaming_list(client)).await;
    check("reflector keeps a store of what is there", runtime::reflect(client)).await;
    check("metadata_watcher watches PartialObjectMetadata", runtime::metadata(client)).await;
    check("watcher goes on where its watch timed out", runtime::timed_out(client)).await;
    check("await_condition waits until the object is deleted", runtime::await_deleted(client)).await;
    check("finalizer applies, then cleans up before the object goes", runtime::finalize(client)).await;
    check("Controller reconciles an owner when what it owns changes", runtime::control(client)).await;
    check("Recorder publishes an event and counts its repetition", runtime::record(client)).await;

    check("Discovery finds groups, kinds and their capabilities", discovery::groups(client)).await;
    check("aggregated discovery finds the same kinds", discovery::aggregated(client)).await;
    check("a DynamicObject is created, patched and parsed", discovery::dynamic(client)).await;
    Ok(())
}
