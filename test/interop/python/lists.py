import json
import os

from checks import check, config_map, equal, new_namespace, raised
from kubernetes import client
from kubernetes.client.exceptions import ApiException

core = client.CoreV1Api()


@check("the client reads the kubeconfig and authenticates with its certificate")
def kubeconfig():
    review = client.AuthenticationV1Api().create_self_subject_review({})
    equal("system:masters" in review.status.user_info.groups, True)
    return equal(review.status.user_info.username, "kubernetes-admin")


@check("a service account's token authenticates another client")
def token():
    namespace = new_namespace()
    core.create_namespaced_service_account(namespace, {"metadata": {"name": "robot"}})
    request = {"spec": {"audiences": [], "expirationSeconds": 3600}}
    granted = core.create_namespaced_service_account_token("robot", namespace, request)
    configuration = client.Configuration.get_default_copy()
    configuration.cert_file = None
    configuration.key_file = None
    configuration.api_key = {"authorization": f"Bearer {granted.status.token}"}
    with client.ApiClient(configuration) as robot:
        review = client.AuthenticationV1Api(robot).create_self_subject_review({})
    return equal(review.status.user_info.username, f"system:serviceaccount:{namespace}:robot")


@check("lists are typed: names, phases and times")
def typed_list():
    namespaces = core.list_namespace().items
    names = {namespace.metadata.name for namespace in namespaces}
    equal({"default", "kube-node-lease", "kube-public", "kube-system"} <= names, True)
    equal({namespace.status.phase for namespace in namespaces}, {"Active"})
    return equal(namespaces[0].metadata.creation_timestamp.tzname(), "UTC")


@check("label and field selectors narrow a list")
def selectors():
    namespace = new_namespace()
    for name, tier in (("a", "front"), ("b", "back"), ("c", "back")):
        core.create_namespaced_config_map(namespace, config_map(name, labels={"tier": tier}))
    found = core.list_namespaced_config_map(
        namespace, label_selector="tier in (back)", field_selector="metadata.name!=b"
    )
    return equal([item.metadata.name for item in found.items], ["c"])


@check("limit and continue page through one version of a list")
def pages():
    namespace = new_namespace()
    for number in range(5):
        core.create_namespaced_config_map(namespace, config_map(f"m{number}", labels={"paged": "yes"}))
    names, versions, remaining, token = [], set(), [], None
    while token != "":
        page = core.list_namespaced_config_map(namespace, label_selector="paged", limit=2, _continue=token)
        names += [item.metadata.name for item in page.items]
        versions.add(page.metadata.resource_version)
        token = page.metadata._continue or ""
        if len(names) == 2:
            core.create_namespaced_config_map(namespace, config_map("m1-later", labels={"paged": "yes"}))
    equal(len(versions), 1)
    return equal(names, ["m0", "m1", "m2", "m3", "m4"])


@check("remainingItemCount counts what is left")
def remaining_items():
    namespace = new_namespace()
    for name in ("a", "b", "c"):
        core.create_namespaced_config_map(namespace, config_map(name))
    page = core.list_namespaced_config_map(namespace, limit=1)
    # kube-root-ca.crt may be there by now.
    return equal(page.metadata.remaining_item_count in (2, 3), True)


@check("an expired continue token raises ApiException 410, whose body has a token to go on with")
def expired_page():
    error = raised(ApiException, core.list_namespace, limit=1, _continue=os.environ["EXPIRED_CONTINUE"])
    status = json.loads(error.body)
    equal((error.status, status["reason"]), (410, "Expired"))
    rest = core.list_namespace(_continue=status["metadata"]["continue"])
    return equal("kube-system" in [item.metadata.name for item in rest.items], True)
