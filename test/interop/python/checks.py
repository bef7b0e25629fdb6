"""The list of checks, and the report: one line of JSON for each on stdout."""

import itertools
import json
import traceback

from kubernetes import client

_checks = []
_numbers = itertools.count(1)


def check(name):
    """Registers a function that returns what it saw and raises where that is wrong."""

    def register(function):
        _checks.append((name, function))
        return function

    return register


def run_checks():
    for name, function in _checks:
        try:
            result = {"name": name, "ok": True, "detail": str(function())}
        except Exception:
            result = {"name": name, "ok": False, "detail": traceback.format_exc()}
        print(json.dumps(result), flush=True)


def equal(found, expected):
    if found != expected:
        raise AssertionError(f"expected {expected!r}, found {found!r}")
    return found


def raised(expected, call, *args, **kwargs):
    """The exception of this class that a call ends with."""
    try:
        answer = call(*args, **kwargs)
    except expected as error:
        return error
    raise AssertionError(f"expected {expected.__name__}, found {answer!r}")


def new_namespace():
    """A namespace of one check's own."""
    name = f"check-{next(_numbers)}"
    client.CoreV1Api().create_namespace({"metadata": {"name": name}})
    return name


def config_map(name, data=None, **metadata):
    return client.V1ConfigMap(metadata=client.V1ObjectMeta(name=name, **metadata), data=data)


def deployment(name):
    labels = {"app": name}
    container = client.V1Container(name="web", image="nginx")
    return client.V1Deployment(
        metadata=client.V1ObjectMeta(name=name),
        spec=client.V1DeploymentSpec(
            replicas=1,
            selector=client.V1LabelSelector(match_labels=labels),
            template=client.V1PodTemplateSpec(
                metadata=client.V1ObjectMeta(labels=labels),
                spec=client.V1PodSpec(containers=[container]),
            ),
        ),
    )


def owned_by(owner):
    return [
        client.V1OwnerReference(
            api_version="v1",
            kind="ConfigMap",
            name=owner.metadata.name,
            uid=owner.metadata.uid,
            block_owner_deletion=True,
        )
    ]
