import queue

from checks import check, config_map, equal, new_namespace
from kubernetes import client
from kubernetes.informer import ADDED, DELETED, MODIFIED, SharedInformer

core = client.CoreV1Api()


@check("SharedInformer fills its cache and calls its handlers")
def shared_informer():
    namespace = new_namespace()
    core.create_namespaced_config_map(namespace, config_map("before", labels={"seen": "yes"}))
    seen = queue.Queue()
    informer = SharedInformer(core.list_namespaced_config_map, namespace=namespace, label_selector="seen")
    for kind in (ADDED, MODIFIED, DELETED):
        informer.add_event_handler(kind, lambda item, kind=kind: seen.put(f"{kind} {item.metadata.name}"))
    informer.start()
    try:
        equal(seen.get(), "ADDED before")
        core.create_namespaced_config_map(namespace, config_map("during", {"step": "1"}, labels={"seen": "yes"}))
        equal(seen.get(), "ADDED during")
        core.patch_namespaced_config_map("during", namespace, {"data": {"step": "2"}})
        equal(seen.get(), "MODIFIED during")
        equal(informer.cache.get_by_key(f"{namespace}/during").data, {"step": "2"})
        core.delete_namespaced_config_map("during", namespace)
        equal(seen.get(), "DELETED during")
        return equal([item.metadata.name for item in informer.cache.list()], ["before"])
    finally:
        informer.stop()
