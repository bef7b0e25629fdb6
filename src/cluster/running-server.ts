import type { Transport } from "../client/transport/transport.js";
import type { ApiRegistry } from "../server/api-registry/api-registry.js";
import type { ClusterClock } from "./cluster-clock.js";
import type { UserIdentity } from "./pki/client-certificates.js";

/** A running API server. */
export interface RunningServer extends AsyncDisposable {
  /** "https://127.0.0.1:34567"; "" without a socket. */
  readonly url: string;
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
  /** A client's end in this process, as the administrator unless a request brings an Authorization header. */
  transport(): Transport;
  /** Ends watches, finishes the writes that were accepted and lets go of port and folder. Idempotent. */
  close(): Promise<void>;
}
