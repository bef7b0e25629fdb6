import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.NonDeletingOperation;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

final class WriteChecks {
  private final Checks checks;
  private final KubernetesClient client;

  private WriteChecks(Checks checks) {
    this.checks = checks;
    this.client = checks.client;
  }

  static void run(Checks checks) throws Exception {
    WriteChecks writes = new WriteChecks(checks);
    checks.check("a JSON patch, a merge patch and a strategic merge patch change one object", writes::patches);
    checks.check("edit sends what a visitor changed", writes::edit);
    checks.check(
        "server-side apply tracks owners: a second manager conflicts, and takes over by force", writes::apply);
    checks.check("load creates, reads and deletes every document of a YAML file", writes::yamlFile);
    checks.check("createOr updates an object that is there", writes::createOr);
    checks.check("a resource list is created and applied as one", writes::resourceList);
    checks.check("a dry run answers the object and keeps nothing", writes::dryRun);
  }

  private void patches() {
    var deployments = client.apps().deployments().inNamespace(checks.newNamespace());
    deployments.resource(Checks.deployment("web")).create();
    var web = deployments.withName("web");
    web.patch(PatchContext.of(PatchType.JSON), "[{\"op\":\"replace\",\"path\":\"/spec/replicas\",\"value\":3}]");
    web.patch(
        PatchContext.of(PatchType.JSON_MERGE),
        "{\"metadata\":{\"annotations\":{\"note\":\"merged\"}},\"spec\":{\"minReadySeconds\":5}}");
    Deployment patched =
        web.patch(
            PatchContext.of(PatchType.STRATEGIC_MERGE),
            "{\"spec\":{\"template\":{\"spec\":{\"containers\":[{\"name\":\"sidecar\",\"image\":\"envoy\"}]}}}}");
    Checks.equal(patched.getSpec().getReplicas(), 3);
    Checks.equal(patched.getSpec().getMinReadySeconds(), 5);
    Checks.equal(patched.getMetadata().getAnnotations().get("note"), "merged");
    Checks.equal(patched.getMetadata().getGeneration(), 4L);
    List<Container> containers = patched.getSpec().getTemplate().getSpec().getContainers();
    Checks.equal(containers.stream().map(Container::getName).toList(), List.of("sidecar", "web"));
  }

  private void edit() {
    var configMaps = client.configMaps().inNamespace(checks.newNamespace());
    configMaps.resource(Checks.configMap("edited").addToData("old", "1").build()).create();
    ConfigMap edited =
        configMaps
            .withName("edited")
            .edit(found -> new ConfigMapBuilder(found).removeFromData("old").addToData("new", "2").build());
    Checks.equal(edited.getData(), Map.of("new", "2"));
  }

  private void apply() throws Exception {
    var configMaps = client.configMaps().inNamespace(checks.newNamespace());
    configMaps
        .resource(Checks.configMap("applied").addToData("a", "1").addToData("b", "1").build())
        .fieldManager("first")
        .serverSideApply();
    var second = configMaps.resource(Checks.configMap("applied").addToData("a", "2").build()).fieldManager("second");
    var status = Checks.refused(409, second::serverSideApply).getStatus();
    Checks.equal(status.getDetails().getCauses().get(0).getReason(), "FieldManagerConflict");
    Checks.equal(status.getDetails().getCauses().get(0).getField(), ".data.a");
    second.forceConflicts().serverSideApply();
    // What the first manager no longer applies goes; what the second took stays.
    ConfigMap left =
        configMaps.resource(Checks.configMap("applied").build()).fieldManager("first").serverSideApply();
    Checks.equal(left.getData(), Map.of("a", "2"));
  }

  private void yamlFile() throws Exception {
    String namespace = checks.newNamespace();
    try (InputStream stream = Files.newInputStream(Path.of(System.getenv("MANIFEST")))) {
      var file = client.load(stream).inNamespace(namespace);
      List<HasMetadata> created = file.create();
      Checks.equal(
          created.stream().map(HasMetadata::getKind).toList(), List.of("ConfigMap", "Service", "Deployment"));
      Checks.equal(Checks.names(file.get()), List.of("from-yaml", "from-yaml", "from-yaml"));
      ConfigMap configMap = client.configMaps().inNamespace(namespace).withName("from-yaml").get();
      Checks.equal(configMap.getData(), Map.of("text", "first line\nsecond line\n", "quoted", "yes"));
      var port = client.services().inNamespace(namespace).withName("from-yaml").get().getSpec().getPorts().get(0);
      Checks.equal(port.getTargetPort(), new IntOrString("http"));
      Deployment deployment = client.apps().deployments().inNamespace(namespace).withName("from-yaml").get();
      Container container = deployment.getSpec().getTemplate().getSpec().getContainers().get(0);
      Checks.equal(container.getResources().getLimits().get("cpu"), new Quantity("500m"));
      file.delete();
      Checks.equal(client.services().inNamespace(namespace).withName("from-yaml").get(), null);
    }
  }

  private void createOr() {
    var configMaps = client.configMaps().inNamespace(checks.newNamespace());
    for (String value : List.of("1", "2")) {
      ConfigMap answer =
          configMaps
              .resource(Checks.configMap("there").addToData("step", value).build())
              .createOr(NonDeletingOperation::update);
      Checks.equal(answer.getData(), Map.of("step", value));
    }
  }

  private void resourceList() {
    String namespace = checks.newNamespace();
    List<HasMetadata> objects = List.of(Checks.configMap("one").build(), Checks.deployment("two"));
    var list = client.resourceList(objects).inNamespace(namespace);
    list.create();
    List<HasMetadata> applied = client.resourceList(objects).inNamespace(namespace).forceConflicts().serverSideApply();
    Checks.equal(Checks.names(applied), List.of("one", "two"));
    List<String> managers =
        applied.get(1).getMetadata().getManagedFields().stream().map(entry -> entry.getOperation()).sorted().toList();
    Checks.equal(managers, List.of("Apply", "Update"));
  }

  private void dryRun() {
    var configMaps = client.configMaps().inNamespace(checks.newNamespace());
    ConfigMap answer = configMaps.resource(Checks.configMap("dry").build()).dryRun().create();
    Checks.equal(answer.getMetadata().getUid().isEmpty(), false);
    Checks.equal(configMaps.withName("dry").get(), null);
  }
}
