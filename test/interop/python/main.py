"""Runs the checks of Python's kubernetes against the cluster of $KUBECONFIG."""

from kubernetes import config

config.load_kube_config()

# Each module makes clients of the configuration when it is imported, and registers its checks.
import lists  # noqa: E402,F401
import writes  # noqa: E402,F401
import subresources  # noqa: E402,F401
import errors  # noqa: E402,F401
import deletions  # noqa: E402,F401
import watches  # noqa: E402,F401
import informers  # noqa: E402,F401
import dynamic  # noqa: E402,F401
import election  # noqa: E402,F401
from checks import run_checks  # noqa: E402

run_checks()
