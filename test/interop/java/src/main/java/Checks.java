import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.DeploymentBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Runs checks and prints one line of JSON for each; and what the checks share. */
final class Checks {
  interface Body {
    void run() throws Exception;
  }

  private static final ObjectMapper JSON = new ObjectMapper();

  final KubernetesClient client;
  private int namespaces = 0;

  Checks(KubernetesClient client) {
    this.client = client;
  }

  void check(String name, Body body) throws JsonProcessingException {
    String failure = null;
    try {
      body.run();
    } catch (Exception error) {
      StringWriter trace = new StringWriter();
      error.printStackTrace(new PrintWriter(trace));
      failure = trace.toString();
    }
    Map<String, Object> result =
        Map.of("name", name, "ok", failure == null, "detail", Objects.requireNonNullElse(failure, ""));
    System.out.println(JSON.writeValueAsString(result));
  }

  static void equal(Object found, Object expected) {
    if (!Objects.equals(found, expected)) {
      throw new IllegalStateException("expected " + expected + ", found " + found);
    }
  }

  /** The exception of this code that a call ends with. */
  static KubernetesClientException refused(int code, Body call) throws Exception {
    try {
      call.run();
    } catch (KubernetesClientException error) {
      equal(error.getCode(), code);
      return error;
    }
    throw new IllegalStateException("expected a KubernetesClientException with " + code);
  }

  /** A namespace of one check's own. */
  String newNamespace() {
    String name = "check-" + namespaces++;
    client.resource(new NamespaceBuilder().withNewMetadata().withName(name).endMetadata().build()).create();
    return name;
  }

  static ConfigMapBuilder configMap(String name) {
    return new ConfigMapBuilder().withNewMetadata().withName(name).endMetadata();
  }

  static ConfigMapBuilder labelled(String name, String key, String value) {
    return configMap(name).editMetadata().addToLabels(key, value).endMetadata();
  }

  static Deployment deployment(String name) {
    return new DeploymentBuilder()
        .withNewMetadata()
        .withName(name)
        .endMetadata()
        .withNewSpec()
        .withReplicas(1)
        .withNewSelector()
        .addToMatchLabels("app", name)
        .endSelector()
        .withNewTemplate()
        .withNewMetadata()
        .addToLabels("app", name)
        .endMetadata()
        .withNewSpec()
        .addNewContainer()
        .withName("web")
        .withImage("nginx")
        .endContainer()
        .endSpec()
        .endTemplate()
        .endSpec()
        .build();
  }

  static List<String> names(List<? extends HasMetadata> objects) {
    return objects.stream().map(object -> object.getMetadata().getName()).toList();
  }
}
