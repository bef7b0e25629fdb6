import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderCallbacks;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderElectionConfigBuilder;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderElector;
import io.fabric8.kubernetes.client.extended.leaderelection.resourcelock.LeaseLock;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

final class ElectionChecks {
  private final Checks checks;
  private final KubernetesClient client;

  private ElectionChecks(Checks checks) {
    this.checks = checks;
    this.client = checks.client;
  }

  static void run(Checks checks) throws Exception {
    ElectionChecks elections = new ElectionChecks(checks);
    checks.check("of two candidates one leads, and the other one follows when it releases the Lease", elections::handOver);
  }

  private void handOver() throws Exception {
    String namespace = checks.newNamespace();
    BlockingQueue<String> log = new LinkedBlockingQueue<>();
    var first = elector(namespace, "first", log).start();
    Checks.equal(log.take(), "first leads");
    Checks.equal(holder(namespace), "first");
    var second = elector(namespace, "second", log).start();
    first.cancel(true);
    // They are two threads: the first may still be on its way out when the second leads.
    Checks.equal(Set.of(log.take(), log.take()), Set.of("first stops", "second leads"));
    Checks.equal(holder(namespace), "second");
    second.cancel(true);
    Checks.equal(log.take(), "second stops");
  }

  private String holder(String namespace) {
    return client.leases().inNamespace(namespace).withName("leader").get().getSpec().getHolderIdentity();
  }

  private LeaderElector elector(String namespace, String identity, BlockingQueue<String> log) {
    LeaderCallbacks callbacks =
        new LeaderCallbacks(() -> log.add(identity + " leads"), () -> log.add(identity + " stops"), leader -> {});
    return client
        .leaderElector()
        .withConfig(
            new LeaderElectionConfigBuilder()
                .withName("checks")
                .withLock(new LeaseLock(namespace, "leader", identity))
                .withLeaseDuration(Duration.ofSeconds(15))
                .withRenewDeadline(Duration.ofSeconds(10))
                .withRetryPeriod(Duration.ofMillis(200))
                .withReleaseOnCancel(true)
                .withLeaderCallbacks(callbacks)
                .build())
        .build();
  }
}
