import io.fabric8.kubernetes.api.model.ConfigMapList;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.GenericKubernetesResourceBuilder;
import io.fabric8.kubernetes.api.model.ListOptions;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.fabric8.kubernetes.api.model.authentication.TokenRequest;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

final class ListChecks {
  private final Checks checks;
  private final KubernetesClient client;

  private ListChecks(Checks checks) {
    this.checks = checks;
    this.client = checks.client;
  }

  static void run(Checks checks) throws Exception {
    ListChecks lists = new ListChecks(checks);
    checks.check("the client reads the kubeconfig and authenticates with its certificate", lists::kubeconfig);
    checks.check("a service account's token authenticates another client", lists::token);
    checks.check("lists are typed: names, phases and times", lists::typedList);
    checks.check("label and field selectors narrow a list", lists::selectors);
    checks.check("limit and continue page through one version of a list", lists::pages);
    checks.check("an expired continue token is a 410 with a token to go on with", lists::expiredPage);
  }

  private void kubeconfig() {
    Checks.equal(client.getConfiguration().getCurrentContext().getContext().getCluster() != null, true);
    Checks.equal(userName(client), "kubernetes-admin");
    Checks.equal(client.getKubernetesVersion().getMajor(), "1");
  }

  private void token() {
    String namespace = checks.newNamespace();
    var accounts = client.serviceAccounts().inNamespace(namespace);
    accounts.resource(new ServiceAccountBuilder().withNewMetadata().withName("robot").endMetadata().build()).create();
    TokenRequest granted = accounts.withName("robot").tokenRequest();
    Config config =
        new ConfigBuilder(Config.empty())
            .withMasterUrl(client.getConfiguration().getMasterUrl())
            .withCaCertData(client.getConfiguration().getCaCertData())
            .withOauthToken(granted.getStatus().getToken())
            .build();
    try (KubernetesClient robot = new KubernetesClientBuilder().withConfig(config).build()) {
      Checks.equal(userName(robot), "system:serviceaccount:" + namespace + ":robot");
    }
  }

  private static String userName(KubernetesClient client) {
    GenericKubernetesResource review =
        new GenericKubernetesResourceBuilder()
            .withApiVersion("authentication.k8s.io/v1")
            .withKind("SelfSubjectReview")
            .withNewMetadata()
            .endMetadata()
            .build();
    return client.resource(review).create().get("status", "userInfo", "username");
  }

  private void typedList() {
    List<Namespace> namespaces = client.namespaces().list().getItems();
    Set<String> system = Set.of("default", "kube-node-lease", "kube-public", "kube-system");
    Checks.equal(Checks.names(namespaces).containsAll(system), true);
    for (Namespace namespace : namespaces) {
      Checks.equal(namespace.getStatus().getPhase(), "Active");
      Checks.equal(Instant.parse(namespace.getMetadata().getCreationTimestamp()).isAfter(Instant.EPOCH), true);
    }
  }

  private void selectors() {
    var configMaps = client.configMaps().inNamespace(checks.newNamespace());
    Map<String, String> tiers = Map.of("a", "front", "b", "back", "c", "back");
    tiers.forEach((name, tier) -> configMaps.resource(Checks.labelled(name, "tier", tier).build()).create());
    var found = configMaps.withLabelIn("tier", "back").withoutField("metadata.name", "b").list();
    Checks.equal(Checks.names(found.getItems()), List.of("c"));
  }

  private void pages() {
    var configMaps = client.configMaps().inNamespace(checks.newNamespace());
    List<String> expected = List.of("m0", "m1", "m2", "m3", "m4");
    expected.forEach(name -> configMaps.resource(Checks.labelled(name, "paged", "yes").build()).create());
    List<String> names = new ArrayList<>();
    Set<String> versions = new HashSet<>();
    ListOptions options = new ListOptionsBuilder().withLimit(2L).build();
    do {
      ConfigMapList page = configMaps.withLabel("paged").list(options);
      names.addAll(Checks.names(page.getItems()));
      versions.add(page.getMetadata().getResourceVersion());
      options.setContinue(page.getMetadata().getContinue());
      if (names.size() == 2) {
        configMaps.resource(Checks.labelled("m1-later", "paged", "yes").build()).create();
      }
    } while (options.getContinue() != null && !options.getContinue().isEmpty());
    Checks.equal(versions.size(), 1);
    Checks.equal(names, expected);
  }

  private void expiredPage() throws Exception {
    ListOptions options = new ListOptionsBuilder().withLimit(1L).withContinue(System.getenv("EXPIRED_CONTINUE")).build();
    var status = Checks.refused(410, () -> client.namespaces().list(options)).getStatus();
    Checks.equal(status.getReason(), "Expired");
    ListOptions rest = new ListOptionsBuilder().withContinue(status.getMetadata().getContinue()).build();
    Checks.equal(Checks.names(client.namespaces().list(rest).getItems()).contains("kube-system"), true);
  }
}
