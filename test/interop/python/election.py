import threading

from checks import check, equal, new_namespace
from kubernetes.leaderelection import electionconfig, leaderelection
from kubernetes.leaderelection.resourcelock.configmaplock import ConfigMapLock

LEASE_SECONDS = 1.5


def candidate(namespace, identity, started=lambda: None):
    config = electionconfig.Config(
        ConfigMapLock("leader", namespace, identity),
        lease_duration=LEASE_SECONDS,
        renew_deadline=1.3,
        retry_period=1,
        onstarted_leading=started,
        onstopped_leading=lambda: None,
    )
    return leaderelection.LeaderElection(config)


def holder(namespace):
    _, record = ConfigMapLock("leader", namespace, "reader").get("leader", namespace)
    return record.holder_identity


@check("one of two candidates leads, and the other one takes over when the lease is not renewed")
def election():
    namespace = new_namespace()
    first, second = candidate(namespace, "first"), candidate(namespace, "second")
    equal([first.try_acquire_or_renew(), second.try_acquire_or_renew()], [True, False])
    equal(first.try_acquire_or_renew(), True)
    equal(holder(namespace), "first")
    second.acquire()
    return equal(holder(namespace), "second")


@check("a running election calls onstarted_leading")
def running():
    namespace = new_namespace()
    started = threading.Event()
    election = candidate(namespace, "runner", started.set)
    threading.Thread(target=election.run, daemon=True).start()
    started.wait()
    return equal(holder(namespace), "runner")
