import os

from checks import check, config_map, equal, new_namespace, raised
from kubernetes import client, watch
from kubernetes.client.exceptions import ApiException

core = client.CoreV1Api()


def write_history(namespace):
    """Creates, changes and deletes a ConfigMap that carries a label; answers the version before all of it."""
    before = core.list_namespaced_config_map(namespace).metadata.resource_version
    core.create_namespaced_config_map(namespace, config_map("watched", {"step": "1"}, labels={"watched": "yes"}))
    core.patch_namespaced_config_map("watched", namespace, {"data": {"step": "2"}})
    core.delete_namespaced_config_map("watched", namespace)
    return before


def events(namespace, count, **options):
    """The first events, then the watch is stopped."""
    watcher = watch.Watch()
    seen = []
    for event in watcher.stream(
        core.list_namespaced_config_map, namespace=namespace, label_selector="watched", **options
    ):
        seen.append(event)
        if len(seen) == count:
            watcher.stop()
    return seen


@check("watch.Watch streams ADDED, MODIFIED and DELETED with typed objects")
def stream():
    namespace = new_namespace()
    before = write_history(namespace)
    seen = events(namespace, 3, resource_version=before)
    equal([event["object"].data["step"] for event in seen], ["1", "2", "2"])
    return equal([event["type"] for event in seen], ["ADDED", "MODIFIED", "DELETED"])


@check("a watch goes on after the resourceVersion of the last event that was seen")
def resume():
    namespace = new_namespace()
    before = write_history(namespace)
    first = events(namespace, 1, resource_version=before)[0]
    rest = events(namespace, 2, resource_version=first["object"].metadata.resource_version)
    return equal([event["type"] for event in rest], ["MODIFIED", "DELETED"])


@check("a watch that starts without a version begins with what is there")
def initial_state():
    namespace = new_namespace()
    core.create_namespaced_config_map(namespace, config_map("there", labels={"watched": "yes"}))
    event = events(namespace, 1)[0]
    return equal((event["type"], event["object"].metadata.name), ("ADDED", "there"))


@check("initial events end with a bookmark that is annotated")
def initial_events():
    namespace = new_namespace()
    core.create_namespaced_config_map(namespace, config_map("there", labels={"watched": "yes"}))
    options = {"send_initial_events": True, "resource_version_match": "NotOlderThan", "allow_watch_bookmarks": True}
    seen = events(namespace, 2, **options)
    equal([event["type"] for event in seen], ["ADDED", "BOOKMARK"])
    return equal(seen[1]["raw_object"]["metadata"]["annotations"], {"k8s.io/initial-events-end": "true"})


@check("an object that leaves the selector is DELETED for the watch")
def leaves_selector():
    namespace = new_namespace()
    made = core.create_namespaced_config_map(namespace, config_map("leaves", labels={"watched": "yes"}))
    core.patch_namespaced_config_map("leaves", namespace, {"metadata": {"labels": {"watched": None}}})
    event = events(namespace, 1, resource_version=made.metadata.resource_version)[0]
    return equal((event["type"], event["object"].metadata.name), ("DELETED", "leaves"))


@check("a watch from an expired resourceVersion raises ApiException 410 Expired")
def expired():
    def first_event():
        version = os.environ["EXPIRED_RESOURCE_VERSION"]
        return next(watch.Watch().stream(core.list_namespace, resource_version=version))

    error = raised(ApiException, first_event)
    return equal((error.status, error.reason.split(":")[0]), (410, "Expired"))


@check("timeoutSeconds ends a watch without an error")
def timeout():
    namespace = new_namespace()
    made = core.create_namespaced_config_map(namespace, config_map("quiet", labels={"watched": "yes"}))
    seen = events(namespace, 9, resource_version=made.metadata.resource_version, timeout_seconds=1)
    return equal(seen, [])
