import os

from checks import check, deployment, equal, new_namespace, raised
from kubernetes import client, watch
from kubernetes.client.exceptions import ApiException

core = client.CoreV1Api()
apps = client.AppsV1Api()


@check("the scale subresource reads and writes replicas")
def scale():
    namespace = new_namespace()
    apps.create_namespaced_deployment(namespace, deployment("web"))
    read = apps.read_namespaced_deployment_scale("web", namespace)
    equal((read.spec.replicas, read.status.selector), (1, "app=web"))
    read.spec.replicas = 4
    apps.replace_namespaced_deployment_scale("web", namespace, read)
    apps.patch_namespaced_deployment_scale("web", namespace, {"spec": {"replicas": 5}})
    return equal(apps.read_namespaced_deployment("web", namespace).spec.replicas, 5)


@check("the status subresource writes the status alone")
def status():
    namespace = new_namespace()
    apps.create_namespaced_deployment(namespace, deployment("web"))
    body = {"spec": {"replicas": 9}, "status": {"replicas": 2, "observedGeneration": 1}}
    patched = apps.patch_namespaced_deployment_status("web", namespace, body)
    return equal((patched.spec.replicas, patched.status.replicas), (1, 2))


@check("a pod's log is read whole, and line by line by watch.Watch")
def log():
    pod = os.environ["LOGGED_POD"]
    # The client turns a text answer into the notation of a bytes literal, so the answer itself is read.
    whole = core.read_namespaced_pod_log(pod, "default", container="app", tail_lines=2, _preload_content=False)
    asked, *lines = whole.data.decode().splitlines()
    equal((asked, lines), (f"{pod}/app asked for <tailLines=2>", ["second line", "the last line"]))
    lines = list(watch.Watch().stream(core.read_namespaced_pod_log, name=pod, namespace="default"))
    return equal(lines[1:], ["second line", "the last line"])


@check("an eviction deletes the pod")
def eviction():
    namespace = new_namespace()
    spec = {"containers": [{"name": "web", "image": "nginx"}]}
    core.create_namespaced_pod(namespace, {"metadata": {"name": "evicted"}, "spec": spec})
    core.create_namespaced_pod_eviction("evicted", namespace, client.V1Eviction(metadata={"name": "evicted"}))
    return equal(raised(ApiException, core.read_namespaced_pod, "evicted", namespace).status, 404)
