import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.APIResource;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.GenericKubernetesResourceBuilder;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.List;
import java.util.Map;

final class GenericChecks {
  private final Checks checks;
  private final KubernetesClient client;

  private GenericChecks(Checks checks) {
    this.checks = checks;
    this.client = checks.client;
  }

  static void run(Checks checks) throws Exception {
    GenericChecks generic = new GenericChecks(checks);
    checks.check("discovery finds groups and resources", generic::discovery);
    checks.check("a GenericKubernetesResource is created, edited, watched and deleted", generic::life);
    checks.check("raw reads what the API answers", generic::raw);
  }

  private void discovery() {
    Checks.equal(client.hasApiGroup("apps", true), true);
    Checks.equal(client.hasApiGroup("example.com", true), false);
    Checks.equal(client.supports(Deployment.class), true);
    Checks.equal(client.supports("example.com/v1", "Missing"), false);
    APIResource found =
        client.getApiResources("apps/v1").getResources().stream()
            .filter(resource -> resource.getName().equals("deployments"))
            .findFirst()
            .orElseThrow();
    Checks.equal(List.of(found.getKind(), found.getNamespaced()), List.of("Deployment", true));
    Checks.equal(found.getShortNames(), List.of("deploy"));
  }

  private void life() throws Exception {
    var secrets = client.genericKubernetesResources("v1", "Secret").inNamespace(checks.newNamespace());
    GenericKubernetesResource secret =
        new GenericKubernetesResourceBuilder()
            .withApiVersion("v1")
            .withKind("Secret")
            .withNewMetadata()
            .withName("generic")
            .endMetadata()
            .addToAdditionalProperties("stringData", Map.of("key", "value"))
            .build();
    String before = secrets.list().getMetadata().getResourceVersion();
    EventQueue<GenericKubernetesResource> events = new EventQueue<>();
    try (var watch = secrets.watch(EventQueue.after(before), events)) {
      Checks.equal(secrets.resource(secret).create().<String>get("data", "key"), "dmFsdWU=");
      secrets
          .withName("generic")
          .edit(
              found -> {
                found.getMetadata().setLabels(Map.of("kind", "secret"));
                return found;
              });
      Checks.equal(Checks.names(secrets.withLabel("kind", "secret").list().getItems()), List.of("generic"));
      secrets.withName("generic").delete();
      for (String action : List.of("ADDED", "MODIFIED", "DELETED")) {
        Checks.equal(events.next(), action + " generic");
      }
    }
  }

  private void raw() throws Exception {
    Map<?, ?> versions = new ObjectMapper().readValue(client.raw("/api"), Map.class);
    Checks.equal(versions.get("versions"), List.of("v1"));
    Checks.equal(client.raw("/api/v1/namespaces/default/configmaps/missing"), null);
  }
}
