import type { Transport } from "../client/transport/transport.js";
import type { ApiRegistry } from "../server/api-registry/api-registry.js";
import type { LifeCycle } from "../server/generic/life-cycle.js";
import type { NodeHandler } from "../server/generic/node-handler.js";
import type { OwnPaths } from "../server/generic/own-paths.js";
import type { ClusterClock } from "./cluster-clock.js";
import type { UserIdentity } from "./pki/client-certificates.js";

/** A running API server. */
export interface RunningServer extends AsyncDisposable {
  /** "https://127.0.0.1:34567"; that of {@link httpUrl} where there is no port with TLS, "" without a port. */
  readonly url: string;
  /** "http://127.0.0.1:6080"; there when the server has a port without TLS. */
  readonly httpUrl?: string;
  /**
   * A kubeconfig (JSON) that reaches the server as its administrator, or as a user of that name and those groups, who may do what
   * roles and bindings say. A user's certificate is made anew each time and is valid for a year.
   */
  kubeconfig(user?: UserIdentity): string;
  /** PEM. */
  readonly caCertificate: string;
  /** A bearer token of the administrator. */
  readonly token: string;
  /** Drives the server's time; there when it was started with a manualClock(). */
  readonly clock?: ClusterClock;
  /** The resources that are served; more can be installed, and any removed, while the server runs. */
  readonly registry: ApiRegistry;
  /** Paths that belong to no API; more can be added, and any removed, while the server runs. */
  readonly paths: OwnPaths;
  /** What has happened in the server's life. */
  readonly lifeCycle: LifeCycle;
  /** A client's end in this process, as the administrator unless a request brings an Authorization header. */
  transport(): Transport;
  /**
   * Listeners that serve the API in an HTTP server of Node's: `http.createServer(handler.request).on("upgrade", handler.upgrade)`. Callers say who
   * they are by tokens, or are anonymous.
   */
  handler(): NodeHandler;
  /** Ends watches, finishes the writes that were accepted and lets go of port and folder. Idempotent. */
  close(): Promise<void>;
}
