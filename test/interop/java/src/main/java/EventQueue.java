import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ListOptions;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;

/** Keeps what a watch brings until a check takes it: "ADDED name". */
final class EventQueue<T extends HasMetadata> implements Watcher<T> {
  final CompletableFuture<WatcherException> closed = new CompletableFuture<>();
  private final BlockingQueue<String> events = new LinkedBlockingQueue<>();

  /** Options of a watch that goes on after a version. */
  static ListOptions after(String version) {
    return new ListOptionsBuilder().withResourceVersion(version).build();
  }

  @Override
  public void eventReceived(Action action, T object) {
    events.add(action + " " + object.getMetadata().getName());
  }

  @Override
  public void onClose(WatcherException cause) {
    closed.complete(cause);
  }

  String next() throws InterruptedException {
    return events.take();
  }
}
