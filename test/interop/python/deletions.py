from checks import check, config_map, equal, new_namespace, owned_by, raised
from kubernetes import client, watch
from kubernetes.client.exceptions import ApiException

core = client.CoreV1Api()


def owner_and_dependent(namespace):
    owner = core.create_namespaced_config_map(namespace, config_map("owner", labels={"family": "yes"}))
    dependent = config_map("dependent", labels={"family": "yes"}, owner_references=owned_by(owner))
    core.create_namespaced_config_map(namespace, dependent)
    return core.list_namespaced_config_map(namespace).metadata.resource_version


def deletions(namespace, version, count):
    """The names of what goes after a version, in order."""
    watcher = watch.Watch()
    names = []
    for event in watcher.stream(
        core.list_namespaced_config_map, namespace=namespace, label_selector="family", resource_version=version
    ):
        if event["type"] == "DELETED":
            names.append(event["object"].metadata.name)
        if len(names) == count:
            watcher.stop()
    return names


@check("foreground deletion removes the dependent before its owner")
def foreground():
    namespace = new_namespace()
    version = owner_and_dependent(namespace)
    core.delete_namespaced_config_map("owner", namespace, propagation_policy="Foreground")
    return equal(deletions(namespace, version, 2), ["dependent", "owner"])


@check("background deletion removes the owner first")
def background():
    namespace = new_namespace()
    version = owner_and_dependent(namespace)
    core.delete_namespaced_config_map("owner", namespace, propagation_policy="Background")
    return equal(deletions(namespace, version, 2), ["owner", "dependent"])


@check("orphaning leaves the dependent without an owner")
def orphan():
    namespace = new_namespace()
    version = owner_and_dependent(namespace)
    core.delete_namespaced_config_map("owner", namespace, body=client.V1DeleteOptions(propagation_policy="Orphan"))
    equal(deletions(namespace, version, 1), ["owner"])
    left = core.read_namespaced_config_map("dependent", namespace)
    return equal(left.metadata.owner_references, None)


@check("a deletion whose uid precondition fails raises ApiException 409")
def precondition():
    namespace = new_namespace()
    core.create_namespaced_config_map(namespace, config_map("kept"))
    options = client.V1DeleteOptions(preconditions=client.V1Preconditions(uid="another"))
    error = raised(ApiException, core.delete_namespaced_config_map, "kept", namespace, body=options)
    return equal(error.status, 409)


@check("a collection is deleted by selector")
def collection():
    namespace = new_namespace()
    for name, gone in (("a", "yes"), ("b", "yes"), ("c", "no")):
        core.create_namespaced_config_map(namespace, config_map(name, labels={"gone": gone}))
    core.delete_collection_namespaced_config_map(namespace, label_selector="gone=yes")
    left = core.list_namespaced_config_map(namespace, label_selector="gone").items
    return equal([item.metadata.name for item in left], ["c"])


@check("a deleted namespace takes its objects along")
def namespace_deletion():
    namespace = new_namespace()
    core.create_namespaced_config_map(namespace, config_map("inside"))
    version = core.list_namespace().metadata.resource_version
    core.delete_namespace(namespace)
    watcher = watch.Watch()
    field = f"metadata.name={namespace}"
    for event in watcher.stream(core.list_namespace, field_selector=field, resource_version=version):
        if event["type"] == "DELETED":
            watcher.stop()
    return equal(raised(ApiException, core.read_namespaced_config_map, "inside", namespace).status, 404)
