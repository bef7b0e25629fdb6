import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;

/** Runs the checks of fabric8's kubernetes-client against the cluster of $KUBECONFIG. */
public final class Main {
  public static void main(String[] arguments) throws Exception {
    try (KubernetesClient client = new KubernetesClientBuilder().build()) {
      Checks checks = new Checks(client);
      ListChecks.run(checks);
      WriteChecks.run(checks);
      SubresourceChecks.run(checks);
      ErrorChecks.run(checks);
      DeletionChecks.run(checks);
      WatchChecks.run(checks);
      InformerChecks.run(checks);
      ElectionChecks.run(checks);
      GenericChecks.run(checks);
    }
  }
}
