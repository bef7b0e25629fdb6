import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.fabric8.kubernetes.client.informers.SharedInformerFactory;
import io.fabric8.kubernetes.client.informers.cache.Lister;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

final class InformerChecks {
  private final Checks checks;
  private final KubernetesClient client;

  private InformerChecks(Checks checks) {
    this.checks = checks;
    this.client = checks.client;
  }

  static void run(Checks checks) throws Exception {
    InformerChecks informers = new InformerChecks(checks);
    checks.check("inform calls its handler for what is there, comes, changes and goes", informers::handler);
    checks.check("an informer lists in pages", informers::pages);
    checks.check("an informer's index and lister answer from its store", informers::index);
    checks.check("informers of one factory start together", informers::factory);
  }

  /** "add name", "update name old -> new", "delete name". */
  private static final class Recorder implements ResourceEventHandler<ConfigMap> {
    final BlockingQueue<String> seen = new LinkedBlockingQueue<>();

    @Override
    public void onAdd(ConfigMap added) {
      seen.add("add " + added.getMetadata().getName());
    }

    @Override
    public void onUpdate(ConfigMap old, ConfigMap updated) {
      seen.add("update " + updated.getMetadata().getName() + " " + old.getData() + " -> " + updated.getData());
    }

    @Override
    public void onDelete(ConfigMap deleted, boolean finalStateUnknown) {
      seen.add("delete " + deleted.getMetadata().getName());
    }
  }

  private void handler() throws Exception {
    var configMaps = client.configMaps().inNamespace(checks.newNamespace());
    configMaps.resource(Checks.labelled("before", "seen", "yes").build()).create();
    Recorder recorder = new Recorder();
    try (var informer = configMaps.withLabel("seen").inform(recorder)) {
      Checks.equal(recorder.seen.take(), "add before");
      configMaps.resource(Checks.labelled("during", "seen", "yes").addToData("step", "1").build()).create();
      Checks.equal(recorder.seen.take(), "add during");
      configMaps.withName("during").patch("{\"data\":{\"step\":\"2\"}}");
      Checks.equal(recorder.seen.take(), "update during {step=1} -> {step=2}");
      configMaps.withName("during").delete();
      Checks.equal(recorder.seen.take(), "delete during");
      Checks.equal(Checks.names(informer.getStore().list()), List.of("before"));
    }
  }

  private void pages() {
    var configMaps = client.configMaps().inNamespace(checks.newNamespace());
    List<String> names = List.of("a", "b", "c", "d", "e");
    names.forEach(name -> configMaps.resource(Checks.labelled(name, "seen", "yes").build()).create());
    try (var informer = configMaps.withLabel("seen").withLimit(2L).inform()) {
      Checks.equal(Checks.names(informer.getStore().list()).stream().sorted().toList(), names);
    }
  }

  private void index() {
    String namespace = checks.newNamespace();
    var configMaps = client.configMaps().inNamespace(namespace);
    for (String name : List.of("a", "b", "c")) {
      configMaps.resource(Checks.labelled(name, "tier", name.equals("a") ? "front" : "back").build()).create();
    }
    try (var informer = configMaps.withLabel("tier").runnableInformer(0)) {
      informer.addIndexers(Map.of("tier", found -> List.of(found.getMetadata().getLabels().get("tier"))));
      informer.run();
      List<ConfigMap> back = informer.getIndexer().byIndex("tier", "back");
      Checks.equal(Checks.names(back).stream().sorted().toList(), List.of("b", "c"));
      Lister<ConfigMap> lister = new Lister<>(informer.getIndexer(), namespace);
      Checks.equal(lister.get("a").getMetadata().getName(), "a");
    }
  }

  private void factory() throws Exception {
    SharedInformerFactory factory = client.informers();
    var namespaces = factory.sharedIndexInformerFor(Namespace.class, 0);
    var nodes = factory.sharedIndexInformerFor(Node.class, 0);
    factory.startAllRegisteredInformers().get();
    try {
      for (SharedIndexInformer<?> informer : List.of(namespaces, nodes)) {
        Checks.equal(informer.hasSynced(), true);
      }
      Checks.equal(Checks.names(nodes.getStore().list()), List.of("node"));
    } finally {
      factory.stopAllRegisteredInformers();
    }
  }
}
