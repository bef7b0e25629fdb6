import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapList;
import io.fabric8.kubernetes.api.model.DeletionPropagation;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.NonNamespaceOperation;
import io.fabric8.kubernetes.client.dsl.Resource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

final class DeletionChecks {
  private final Checks checks;
  private final KubernetesClient client;

  private DeletionChecks(Checks checks) {
    this.checks = checks;
    this.client = checks.client;
  }

  static void run(Checks checks) throws Exception {
    DeletionChecks deletions = new DeletionChecks(checks);
    checks.check(
        "foreground deletion removes the dependent before its owner",
        () -> Checks.equal(deletions.deleteOwner(DeletionPropagation.FOREGROUND, 2), List.of("dependent", "owner")));
    checks.check(
        "background deletion removes the owner first",
        () -> Checks.equal(deletions.deleteOwner(DeletionPropagation.BACKGROUND, 2), List.of("owner", "dependent")));
    checks.check("orphaning leaves the dependent without an owner", deletions::orphan);
    checks.check("a deletion locked to a stale resourceVersion is a 409", deletions::locked);
    checks.check("a collection is deleted by selector", deletions::collection);
    checks.check("withTimeout waits until a namespace and its objects are gone", deletions::namespace);
  }

  private NonNamespaceOperation<ConfigMap, ConfigMapList, Resource<ConfigMap>> newConfigMaps() {
    return client.configMaps().inNamespace(checks.newNamespace());
  }

  private String createFamily(NonNamespaceOperation<ConfigMap, ConfigMapList, Resource<ConfigMap>> configMaps) {
    ConfigMap owner = configMaps.resource(Checks.configMap("owner").build()).create();
    ConfigMap dependent =
        Checks.configMap("dependent")
            .editMetadata()
            .addNewOwnerReference()
            .withApiVersion("v1")
            .withKind("ConfigMap")
            .withName("owner")
            .withUid(owner.getMetadata().getUid())
            .withBlockOwnerDeletion(true)
            .endOwnerReference()
            .endMetadata()
            .build();
    configMaps.resource(dependent).create();
    return configMaps.list().getMetadata().getResourceVersion();
  }

  /** Deletes the owner; the names of what goes, in order. */
  private List<String> deleteOwner(DeletionPropagation propagation, int count) throws Exception {
    var configMaps = newConfigMaps();
    String version = createFamily(configMaps);
    configMaps.withName("owner").withPropagationPolicy(propagation).delete();
    List<String> names = new ArrayList<>();
    EventQueue<ConfigMap> events = new EventQueue<>();
    try (var watch = configMaps.watch(EventQueue.after(version), events)) {
      while (names.size() < count) {
        String[] event = events.next().split(" ");
        if (event[0].equals("DELETED")) {
          names.add(event[1]);
        }
      }
    }
    return names;
  }

  private void orphan() {
    var configMaps = newConfigMaps();
    createFamily(configMaps);
    configMaps.withName("owner").withPropagationPolicy(DeletionPropagation.ORPHAN).delete();
    configMaps.withName("owner").waitUntilCondition(owner -> owner == null, 20, TimeUnit.SECONDS);
    Checks.equal(configMaps.withName("dependent").get().getMetadata().getOwnerReferences(), List.of());
  }

  private void locked() throws Exception {
    var configMaps = newConfigMaps();
    configMaps.resource(Checks.configMap("kept").build()).create();
    Checks.refused(409, () -> configMaps.withName("kept").lockResourceVersion("1").delete());
  }

  private void collection() {
    var configMaps = newConfigMaps();
    for (String name : List.of("a", "b", "c")) {
      configMaps.resource(Checks.labelled(name, "gone", name.equals("c") ? "no" : "yes").build()).create();
    }
    configMaps.withLabel("gone", "yes").delete();
    Checks.equal(Checks.names(configMaps.withLabel("gone").list().getItems()), List.of("c"));
  }

  private void namespace() {
    String name = checks.newNamespace();
    client.configMaps().inNamespace(name).resource(Checks.configMap("inside").build()).create();
    client.namespaces().withName(name).withTimeout(20, TimeUnit.SECONDS).delete();
    Checks.equal(client.namespaces().withName(name).get(), null);
    Checks.equal(client.configMaps().inNamespace(name).list().getItems(), List.of());
  }
}
