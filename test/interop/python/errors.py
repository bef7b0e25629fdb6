import json

from checks import check, config_map, equal, new_namespace, raised
from kubernetes import client
from kubernetes.client.exceptions import ApiException
from kubernetes.dynamic import DynamicClient
from kubernetes.dynamic.exceptions import BadRequestError

core = client.CoreV1Api()


def status_of(error):
    body = json.loads(error.body)
    equal((body["kind"], body["status"], body["code"]), ("Status", "Failure", error.status))
    return body


@check("a missing object raises ApiException 404 with reason and details")
def not_found():
    error = raised(ApiException, core.read_namespaced_config_map, "missing", "default")
    status = status_of(error)
    equal(status["details"], {"name": "missing", "kind": "configmaps"})
    return equal((error.status, error.reason, status["reason"]), (404, "Not Found", "NotFound"))


@check("a second creation raises ApiException 409 AlreadyExists")
def already_exists():
    namespace = new_namespace()
    core.create_namespaced_config_map(namespace, config_map("twice"))
    error = raised(ApiException, core.create_namespaced_config_map, namespace, config_map("twice"))
    return equal((error.status, status_of(error)["reason"]), (409, "AlreadyExists"))


@check("a write of a stale resourceVersion raises ApiException 409 Conflict, and succeeds after a new read")
def conflict():
    namespace = new_namespace()
    stale = core.create_namespaced_config_map(namespace, config_map("stale"))
    core.patch_namespaced_config_map("stale", namespace, {"data": {"other": "1"}})
    stale.data = {"mine": "1"}
    error = raised(ApiException, core.replace_namespaced_config_map, "stale", namespace, stale)
    equal((error.status, status_of(error)["reason"]), (409, "Conflict"))
    fresh = core.read_namespaced_config_map("stale", namespace)
    fresh.data["mine"] = "1"
    return equal(core.replace_namespaced_config_map("stale", namespace, fresh).data, {"mine": "1", "other": "1"})


@check("an invalid object raises ApiException 422 with a cause for each field")
def invalid():
    wrong = config_map("Not_A_Name", labels={"app": "not a value"})
    error = raised(ApiException, core.create_namespaced_config_map, "default", wrong)
    status = status_of(error)
    causes = {(cause["field"], cause["reason"]) for cause in status["details"]["causes"]}
    equal(causes, {("metadata.name", "FieldValueInvalid"), ("metadata.labels", "FieldValueInvalid")})
    return equal((error.status, status["reason"]), (422, "Invalid"))


def create_unchecked(body, **options):
    """Creates a config map as the dynamic client does: the typed one checks its bodies itself."""
    maps = DynamicClient(client.ApiClient()).resources.get(api_version="v1", kind="ConfigMap")
    return maps.create(body=body, namespace="default", **options)


@check("a body that cannot be decoded raises an error of status 400")
def bad_request():
    error = raised(BadRequestError, create_unchecked, {"metadata": {"name": 7}})
    return equal((error.status, status_of(error)["reason"]), (400, "BadRequest"))


@check("strict field validation names the unknown field")
def unknown_field():
    body = {"metadata": {"name": "strict"}, "dta": {}}
    error = raised(BadRequestError, create_unchecked, body, query_params=[("fieldValidation", "Strict")])
    return equal('unknown field "dta"' in status_of(error)["message"], True)


@check("a wrong bearer token raises ApiException 401")
def unauthorized():
    configuration = client.Configuration.get_default_copy()
    configuration.cert_file = None
    configuration.key_file = None
    configuration.api_key = {"authorization": "Bearer wrong"}
    with client.ApiClient(configuration) as stranger:
        error = raised(ApiException, client.CoreV1Api(stranger).list_namespace)
    return equal((error.status, status_of(error)["reason"]), (401, "Unauthorized"))
