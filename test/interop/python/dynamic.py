from checks import check, equal, new_namespace, raised
from kubernetes import client
from kubernetes.dynamic import DynamicClient
from kubernetes.dynamic.exceptions import (
    ConflictError,
    NotFoundError,
    ResourceNotFoundError,
    UnprocessibleEntityError,
)

dynamic = DynamicClient(client.ApiClient())


@check("the dynamic client finds kinds by discovery, and misses those that are not served")
def discovery():
    deployments = dynamic.resources.get(api_version="apps/v1", kind="Deployment")
    equal((deployments.name, deployments.namespaced, deployments.short_names), ("deployments", True, ["deploy"]))
    error = raised(ResourceNotFoundError, dynamic.resources.get, api_version="example.com/v1", kind="Missing")
    return type(error).__name__


@check("the dynamic client creates, replaces, patches, lists and deletes")
def life():
    namespace = new_namespace()
    secrets = dynamic.resources.get(api_version="v1", kind="Secret")
    body = {"kind": "Secret", "apiVersion": "v1", "metadata": {"name": "life"}, "stringData": {"key": "value"}}
    made = secrets.create(body=body, namespace=namespace)
    equal(made.data.key, "dmFsdWU=")
    replacement = made.to_dict()
    replacement["data"]["key"] = "b3RoZXI="
    equal(secrets.replace(body=replacement, namespace=namespace).data.key, "b3RoZXI=")
    secrets.patch(name="life", namespace=namespace, body={"metadata": {"labels": {"kind": "secret"}}})
    listed = secrets.get(namespace=namespace, label_selector="kind=secret")
    equal([item.metadata.name for item in listed.items], ["life"])
    secrets.delete(name="life", namespace=namespace)
    return equal(secrets.get(namespace=namespace, label_selector="kind=secret").items, [])


@check("the dynamic client watches")
def watching():
    namespace = new_namespace()
    secrets = dynamic.resources.get(api_version="v1", kind="Secret")
    secrets.create(body={"metadata": {"name": "watched"}}, namespace=namespace)
    event = next(secrets.watch(namespace=namespace, name="watched"))
    return equal((event["type"], event["object"].metadata.name), ("ADDED", "watched"))


@check("the dynamic client has an exception for each of 404, 409 and 422")
def exceptions():
    namespace = new_namespace()
    secrets = dynamic.resources.get(api_version="v1", kind="Secret")
    raised(NotFoundError, secrets.get, name="missing", namespace=namespace)
    secrets.create(body={"metadata": {"name": "twice"}}, namespace=namespace)
    raised(ConflictError, secrets.create, body={"metadata": {"name": "twice"}}, namespace=namespace)
    wrong = {"metadata": {"name": "Not_A_Name"}}
    error = raised(UnprocessibleEntityError, secrets.create, body=wrong, namespace=namespace)
    return equal(error.summary().startswith('Secret "Not_A_Name" is invalid: metadata.name: Invalid value:'), True)
