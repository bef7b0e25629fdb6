import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.DeploymentBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.List;

final class SubresourceChecks {
  private final Checks checks;
  private final KubernetesClient client;

  private SubresourceChecks(Checks checks) {
    this.checks = checks;
    this.client = checks.client;
  }

  static void run(Checks checks) throws Exception {
    SubresourceChecks subresources = new SubresourceChecks(checks);
    checks.check("the scale subresource reads and writes replicas", subresources::scale);
    checks.check("editStatus and patchStatus write the status alone", subresources::status);
    checks.check("a pod's log is read whole", subresources::log);
    checks.check("an eviction deletes the pod", subresources::evict);
    checks.check("rolling().restart() changes the template", subresources::restart);
  }

  private void scale() {
    var deployments = client.apps().deployments().inNamespace(checks.newNamespace());
    deployments.resource(Checks.deployment("web")).create();
    var web = deployments.withName("web");
    Checks.equal(web.scale().getStatus().getSelector(), "app=web");
    web.scale(4);
    Checks.equal(web.get().getSpec().getReplicas(), 4);
  }

  private void status() {
    var deployments = client.apps().deployments().inNamespace(checks.newNamespace());
    Deployment created = deployments.resource(Checks.deployment("web")).create();
    Deployment edited =
        deployments
            .resource(created)
            .editStatus(
                found ->
                    new DeploymentBuilder(found)
                        .editSpec()
                        .withReplicas(9)
                        .endSpec()
                        .editOrNewStatus()
                        .withReplicas(2)
                        .endStatus()
                        .build());
    Checks.equal(List.of(edited.getSpec().getReplicas(), edited.getStatus().getReplicas()), List.of(1, 2));
    edited.getStatus().setReplicas(3);
    Deployment patched = deployments.resource(edited).patchStatus();
    Checks.equal(patched.getStatus().getReplicas(), 3);
  }

  private void log() {
    String name = System.getenv("LOGGED_POD");
    var container = client.pods().inNamespace("default").withName(name).inContainer("app");
    // Otherwise the client waits for a pod that is not ready.
    String log = container.tailingLines(2).withReadyWaitTimeout(null).getLog();
    List<String> lines = log.lines().toList();
    Checks.equal(lines.get(0).startsWith(name + "/app asked for <"), true);
    Checks.equal(lines.get(0).contains("tailLines=2"), true);
    Checks.equal(lines.subList(1, 3), List.of("second line", "the last line"));
  }

  private void evict() {
    var pods = client.pods().inNamespace(checks.newNamespace());
    pods.resource(
            new PodBuilder()
                .withNewMetadata()
                .withName("evicted")
                .endMetadata()
                .withNewSpec()
                .addNewContainer()
                .withName("web")
                .withImage("nginx")
                .endContainer()
                .endSpec()
                .build())
        .create();
    Checks.equal(pods.withName("evicted").evict(), true);
    Checks.equal(pods.withName("evicted").get(), null);
  }

  private void restart() {
    var deployments = client.apps().deployments().inNamespace(checks.newNamespace());
    // The client adds to the template's annotations with a JSON patch, for which there must be some.
    Deployment web =
        new DeploymentBuilder(Checks.deployment("web"))
            .editSpec()
            .editTemplate()
            .editMetadata()
            .addToAnnotations("note", "there")
            .endMetadata()
            .endTemplate()
            .endSpec()
            .build();
    deployments.resource(web).create();
    Deployment restarted = deployments.withName("web").rolling().restart();
    var annotations = restarted.getSpec().getTemplate().getMetadata().getAnnotations();
    Checks.equal(annotations.containsKey("kubectl.kubernetes.io/restartedAt"), true);
    Checks.equal(restarted.getMetadata().getGeneration(), 2L);
  }
}
