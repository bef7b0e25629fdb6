import type { RuntimeConfig } from "../api/facts/index.js";
import type { Clock } from "../base/time/clock.js";
import type { Random } from "../base/numbers/random.js";
import type { Timers } from "../base/time/timers.js";
import type { ClusterParts } from "../controllers/context.js";
import type { Aggregation } from "../server/endpoints/aggregation.js";
import type { ResourceRecord } from "../server/endpoints/resource-record.js";
import type { Listener } from "../server/generic/secure-listener.js";
import type { Server } from "../server/generic/server.js";
import type { ClientIdentity, ClusterNetwork } from "../server/kubelet/cluster-network.js";
import type { TokenIssuer } from "../server/request/token-issuer.js";
import type { AuthorizationOptions } from "./options/authorization-options.js";
import type { ClusterPki } from "./pki/cluster-pki.js";

/** A step of a composition between opening the port and serving. */
export interface BootStep {
  readonly name: string;
  run(server: Server, listener: Listener | undefined): void | Promise<void>;
}

/** The parts of a server that a composition uses. */
export interface CompositionParts {
  readonly pki: ClusterPki;
  /** The authorities that clients verify the server by, PEM. */
  readonly serverCa: string;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: Random;
  readonly reportError: (error: unknown) => void;
  /** What the server shows to kubelets; undefined where its authority's key is not given. */
  readonly kubeletClient: (() => ClientIdentity) | undefined;
  /** What the server shows to aggregated API servers; undefined where it shows nothing. */
  readonly frontProxy: (() => ClientIdentity) | undefined;
  /** The time by which other processes verify certificates. */
  readonly verifiers: Clock;
  /** How the server authenticates clients. */
  readonly authentication: NonNullable<ClusterParts["authentication"]>;
}

/** The address and the certificates of a server that does not create its own. */
export interface GivenServing {
  /** The address that the socket is opened on. */
  readonly host: string;
  /** The host name or address in URLs that clients are told. Default: {@link host}. */
  readonly externalHost?: string;
  readonly pki: ClusterPki;
  /** The file of the authorities of clients, which is read again when it changes; left out: the pki's authority alone. */
  readonly clientCaFile?: string;
}

/** The differences between an API server alone and a whole control plane. */
export interface Composition {
  /** Names the server. Default "kubets". */
  readonly name?: string;
  /** As {@link ServerConfig.listsPathsAtEnd}, where no server stands behind it. */
  readonly listsPathsAtEnd?: boolean;
  /** Whether /readyz has kube-apiserver's check of its informers: what follows the storage has read it whole. Default false. */
  readonly checksInformers?: boolean;
  /** Left out: 127.0.0.1, and secrets that the server makes or keeps in its data folder. */
  readonly serving?: GivenServing | undefined;
  readonly runtimeConfig: RuntimeConfig;
  readonly records: readonly ResourceRecord[];
  /** The authorizers where the options name none. Left out: every user may do everything. */
  readonly authorization?: AuthorizationOptions;
  /** Issues service account tokens; absent where there are no service accounts. */
  readonly serviceAccounts?: (pki: ClusterPki) => TokenIssuer;
  /** How the server reaches nodes of this process; see {@link ClusterNetwork}. */
  readonly network?: ClusterNetwork;
  /** Other servers that serve a part of the API. */
  readonly aggregation?: Aggregation;
  /** The steps after the storage is ready. */
  readonly steps: (parts: CompositionParts) => readonly BootStep[];
  /** Called when all steps are done but for the hooks of the caller; without hooks, when the server is ready. */
  readonly afterSteps?: () => void;
  readonly preShutdown?: () => Promise<void> | undefined;
}
