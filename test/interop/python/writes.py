import os

from checks import check, config_map, deployment, equal, new_namespace, raised
from kubernetes import client, utils
from kubernetes.client.exceptions import ApiException
from kubernetes.dynamic import DynamicClient
from kubernetes.dynamic.exceptions import ConflictError

core = client.CoreV1Api()
apps = client.AppsV1Api()


@check("a JSON patch, a merge patch and a strategic merge patch change one object")
def three_patches():
    namespace = new_namespace()
    apps.create_namespaced_deployment(namespace, deployment("web"))

    def patch(body, kind):
        return apps.patch_namespaced_deployment("web", namespace, body, _content_type=f"application/{kind}+json")

    patch([{"op": "replace", "path": "/spec/replicas", "value": 3}], "json-patch")
    patch({"metadata": {"annotations": {"note": "merged"}}, "spec": {"minReadySeconds": 5}}, "merge-patch")
    sidecar = {"name": "sidecar", "image": "envoy"}
    patched = patch({"spec": {"template": {"spec": {"containers": [sidecar]}}}}, "strategic-merge-patch")
    equal((patched.spec.replicas, patched.spec.min_ready_seconds), (3, 5))
    equal(patched.metadata.annotations["note"], "merged")
    equal(patched.metadata.generation, 4)
    return equal([each.name for each in patched.spec.template.spec.containers], ["sidecar", "web"])


@check("a merge patch replaces the containers that a strategic one merges")
def merge_replaces():
    namespace = new_namespace()
    apps.create_namespaced_deployment(namespace, deployment("web"))
    body = {"spec": {"template": {"spec": {"containers": [{"name": "other", "image": "envoy"}]}}}}
    content_type = "application/merge-patch+json"
    patched = apps.patch_namespaced_deployment("web", namespace, body, _content_type=content_type)
    return equal([each.name for each in patched.spec.template.spec.containers], ["other"])


@check("a JSON patch whose test fails raises ApiException 422")
def failed_test():
    namespace = new_namespace()
    core.create_namespaced_config_map(namespace, config_map("tested", {"a": "1"}))
    body = [{"op": "test", "path": "/data/a", "value": "2"}]
    content_type = "application/json-patch+json"
    patch = core.patch_namespaced_config_map
    error = raised(ApiException, patch, "tested", namespace, body, _content_type=content_type)
    return equal((error.status, error.reason), (422, "Unprocessable Entity"))


@check("server-side apply tracks owners: a second manager conflicts, and takes over by force")
def server_side_apply():
    namespace = new_namespace()
    config_maps = DynamicClient(client.ApiClient()).resources.get(api_version="v1", kind="ConfigMap")

    def apply(manager, data, **options):
        metadata = {"name": "applied", "namespace": namespace}
        body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}
        return config_maps.server_side_apply(body=body, field_manager=manager, **options)

    apply("first", {"a": "1", "b": "1"})
    error = raised(ConflictError, apply, "second", {"a": "2"})
    equal('conflict with \\"first\\"' in error.body, True)
    apply("second", {"a": "2"}, force_conflicts=True)
    # What the first manager no longer applies goes; what the second took stays.
    left = apply("first", {})
    return equal(left.data.to_dict(), {"a": "2"})


@check("create_from_yaml creates every document of a file")
def yaml_file():
    namespace = new_namespace()
    created = utils.create_from_yaml(client.ApiClient(), os.environ["MANIFEST"], namespace=namespace)
    equal([one[0].metadata.name for one in created], ["from-yaml"] * 3)
    data = core.read_namespaced_config_map("from-yaml", namespace).data
    equal(data, {"text": "first line\nsecond line\n", "quoted": "yes"})
    port = core.read_namespaced_service("from-yaml", namespace).spec.ports[0]
    equal((port.port, port.target_port, port.protocol), (80, "http", "TCP"))
    container = apps.read_namespaced_deployment("from-yaml", namespace).spec.template.spec.containers[0]
    return equal(container.resources.limits, {"cpu": "500m", "memory": "64Mi"})


@check("create_from_yaml raises FailToCreateError, which holds a 409 for each object that exists")
def yaml_twice():
    namespace = new_namespace()
    create = utils.create_from_yaml
    create(client.ApiClient(), os.environ["MANIFEST"], namespace=namespace)
    error = raised(utils.FailToCreateError, create, client.ApiClient(), os.environ["MANIFEST"], namespace=namespace)
    return equal([(each.status, each.reason) for each in error.api_exceptions], [(409, "Conflict")] * 3)


@check("create_from_yaml with apply=True applies, as often as it likes")
def yaml_applied():
    namespace = new_namespace()
    for _ in range(2):
        applied = utils.create_from_yaml(client.ApiClient(), os.environ["MANIFEST"], namespace=namespace, apply=True)
    managers = [field.manager for field in applied[2][0].metadata.managedFields]
    return equal(managers, ["python-client"])


@check("a dry run answers the object and keeps nothing")
def dry_run():
    namespace = new_namespace()
    answer = core.create_namespaced_config_map(namespace, config_map("dry"), dry_run="All")
    equal(bool(answer.metadata.uid), True)
    return equal(raised(ApiException, core.read_namespaced_config_map, "dry", namespace).status, 404)


@check("generateName makes a name")
def generated_name():
    namespace = new_namespace()
    body = client.V1ConfigMap(metadata=client.V1ObjectMeta(generate_name="made-"))
    made = core.create_namespaced_config_map(namespace, body)
    return equal(len(made.metadata.name), len("made-") + 5)
