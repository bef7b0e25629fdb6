import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapList;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.NonNamespaceOperation;
import io.fabric8.kubernetes.client.dsl.Resource;
import java.util.List;
import java.util.concurrent.TimeUnit;

final class WatchChecks {
  private final Checks checks;
  private final KubernetesClient client;

  private WatchChecks(Checks checks) {
    this.checks = checks;
    this.client = checks.client;
  }

  static void run(Checks checks) throws Exception {
    WatchChecks watches = new WatchChecks(checks);
    checks.check("a watch (a WebSocket) streams ADDED, MODIFIED and DELETED", watches::stream);
    checks.check("a watch goes on after a resourceVersion that was seen", watches::resume);
    checks.check("a watch of one name leaves the others out", watches::oneName);
    checks.check("a watch from an expired resourceVersion closes with isHttpGone", watches::expired);
    checks.check("informOnCondition sees a change that comes later", watches::condition);
  }

  private NonNamespaceOperation<ConfigMap, ConfigMapList, Resource<ConfigMap>> newConfigMaps() {
    return client.configMaps().inNamespace(checks.newNamespace());
  }

  /** Creates, changes and deletes a ConfigMap; answers it as it was created. */
  private ConfigMap writeHistory(NonNamespaceOperation<ConfigMap, ConfigMapList, Resource<ConfigMap>> configMaps) {
    ConfigMap created = configMaps.resource(Checks.labelled("watched", "watched", "yes").build()).create();
    configMaps.withName("watched").patch("{\"data\":{\"step\":\"2\"}}");
    configMaps.withName("watched").delete();
    return created;
  }

  private void stream() throws Exception {
    var configMaps = newConfigMaps();
    String before = configMaps.list().getMetadata().getResourceVersion();
    EventQueue<ConfigMap> events = new EventQueue<>();
    try (var watch = configMaps.withLabel("watched").watch(EventQueue.after(before), events)) {
      writeHistory(configMaps);
      for (String action : List.of("ADDED", "MODIFIED", "DELETED")) {
        Checks.equal(events.next(), action + " watched");
      }
    }
  }

  private void resume() throws Exception {
    var configMaps = newConfigMaps();
    String version = writeHistory(configMaps).getMetadata().getResourceVersion();
    EventQueue<ConfigMap> events = new EventQueue<>();
    try (var watch = configMaps.withLabel("watched").watch(EventQueue.after(version), events)) {
      Checks.equal(events.next(), "MODIFIED watched");
      Checks.equal(events.next(), "DELETED watched");
    }
  }

  private void oneName() throws Exception {
    var configMaps = newConfigMaps();
    EventQueue<ConfigMap> events = new EventQueue<>();
    try (var watch = configMaps.withName("mine").watch(events)) {
      for (String name : List.of("other", "mine")) {
        configMaps.resource(Checks.configMap(name).build()).create();
      }
      Checks.equal(events.next(), "ADDED mine");
    }
  }

  private void expired() throws Exception {
    EventQueue<Namespace> events = new EventQueue<>();
    try (var watch = client.namespaces().watch(EventQueue.after(System.getenv("EXPIRED_RESOURCE_VERSION")), events)) {
      Checks.equal(events.closed.get().isHttpGone(), true);
    }
  }

  private void condition() throws Exception {
    var configMaps = newConfigMaps();
    configMaps.resource(Checks.configMap("awaited").build()).create();
    var changed = configMaps.withName("awaited").informOnCondition(
        found -> found.stream().anyMatch(one -> one.getData().containsKey("done")));
    configMaps.withName("awaited").patch("{\"data\":{\"done\":\"yes\"}}");
    Checks.equal(Checks.names(changed.get(20, TimeUnit.SECONDS)), List.of("awaited"));
  }
}
