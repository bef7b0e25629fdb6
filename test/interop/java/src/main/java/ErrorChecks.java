import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.ConfigMapList;
import io.fabric8.kubernetes.api.model.Status;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.ResourceNotFoundException;
import io.fabric8.kubernetes.client.dsl.FieldValidateable.Validation;
import io.fabric8.kubernetes.client.dsl.NonNamespaceOperation;
import io.fabric8.kubernetes.client.dsl.Resource;
import java.util.List;
import java.util.Map;

final class ErrorChecks {
  private final Checks checks;
  private final KubernetesClient client;

  private ErrorChecks(Checks checks) {
    this.checks = checks;
    this.client = checks.client;
  }

  static void run(Checks checks) throws Exception {
    ErrorChecks errors = new ErrorChecks(checks);
    checks.check("a missing object is null, and require() raises ResourceNotFoundException", errors::notFound);
    checks.check("a change of a missing object is a 404 with reason and details", errors::changeOfMissing);
    checks.check("a second creation is a 409 AlreadyExists", errors::alreadyExists);
    checks.check("an update locked to a stale resourceVersion is a 409 Conflict", errors::conflict);
    checks.check("an update without a lock takes the newest resourceVersion, and succeeds", errors::unlocked);
    checks.check("an invalid object is a 422 with a cause for each field", errors::invalid);
    checks.check("strict field validation names the unknown field", errors::unknownField);
    checks.check("a wrong bearer token is a 401", errors::unauthorized);
  }

  private NonNamespaceOperation<ConfigMap, ConfigMapList, Resource<ConfigMap>> newConfigMaps() {
    return client.configMaps().inNamespace(checks.newNamespace());
  }

  private void notFound() {
    var missing = newConfigMaps().withName("missing");
    Checks.equal(missing.get(), null);
    try {
      missing.require();
    } catch (ResourceNotFoundException expected) {
      return;
    }
    throw new IllegalStateException("expected ResourceNotFoundException");
  }

  private void changeOfMissing() throws Exception {
    var configMaps = newConfigMaps();
    ConfigMap missing = Checks.configMap("missing").build();
    Status status = Checks.refused(404, () -> configMaps.resource(missing).update()).getStatus();
    Checks.equal(List.of(status.getReason(), status.getStatus()), List.of("NotFound", "Failure"));
  }

  private void alreadyExists() throws Exception {
    var configMaps = newConfigMaps();
    ConfigMap twice = Checks.configMap("twice").build();
    configMaps.resource(twice).create();
    Status status = Checks.refused(409, () -> configMaps.resource(twice).create()).getStatus();
    Checks.equal(status.getReason(), "AlreadyExists");
    Checks.equal(status.getDetails().getName(), "twice");
  }

  private void conflict() throws Exception {
    var configMaps = newConfigMaps();
    ConfigMap stale = configMaps.resource(Checks.configMap("stale").build()).create();
    configMaps.withName("stale").patch("{\"data\":{\"other\":\"1\"}}");
    ConfigMap mine = new ConfigMapBuilder(stale).addToData("mine", "1").build();
    var locked = configMaps.resource(mine).lockResourceVersion(stale.getMetadata().getResourceVersion());
    Status status = Checks.refused(409, locked::update).getStatus();
    Checks.equal(status.getReason(), "Conflict");
  }

  private void unlocked() {
    var configMaps = newConfigMaps();
    ConfigMap stale = configMaps.resource(Checks.configMap("stale").build()).create();
    configMaps.withName("stale").patch("{\"data\":{\"other\":\"1\"}}");
    ConfigMap mine = new ConfigMapBuilder(stale).addToData("mine", "1").build();
    Checks.equal(configMaps.resource(mine).unlock().update().getData(), Map.of("mine", "1"));
  }

  private void invalid() throws Exception {
    ConfigMap wrong = Checks.labelled("Not_A_Name", "app", "not a value").build();
    var configMaps = newConfigMaps();
    Status status = Checks.refused(422, () -> configMaps.resource(wrong).create()).getStatus();
    Checks.equal(status.getReason(), "Invalid");
    List<String> causes =
        status.getDetails().getCauses().stream().map(cause -> cause.getField() + " " + cause.getReason()).sorted().toList();
    Checks.equal(causes, List.of("metadata.labels FieldValueInvalid", "metadata.name FieldValueInvalid"));
  }

  private void unknownField() throws Exception {
    ConfigMap unknown = Checks.configMap("strict").addToAdditionalProperties("dta", Map.of()).build();
    var strict = newConfigMaps().resource(unknown).fieldValidation(Validation.STRICT);
    Status status = Checks.refused(400, strict::create).getStatus();
    Checks.equal(status.getMessage().contains("unknown field \"dta\""), true);
  }

  private void unauthorized() throws Exception {
    Config config =
        new ConfigBuilder(Config.empty())
            .withMasterUrl(client.getConfiguration().getMasterUrl())
            .withCaCertData(client.getConfiguration().getCaCertData())
            .withOauthToken("wrong")
            .build();
    try (KubernetesClient stranger = new KubernetesClientBuilder().withConfig(config).build()) {
      Checks.refused(401, () -> stranger.namespaces().list());
    }
  }
}
