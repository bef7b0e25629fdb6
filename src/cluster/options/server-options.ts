import type { ProcessWebhooks } from "../../server/webhook/process-webhooks.js";
import type { http2Options, listeningOptions } from "../../component/apiserver-flags/secure-serving.js";
import type { emulationOptions } from "../../component/apiserver-flags/emulation.js";
import type { versionOptions } from "../../component/apiserver-flags/own.js";
import type { OptionsOf } from "../../component/option-group.js";
import type { ApiTitle } from "../../api/facts/index.js";
import type { ServerGates } from "../../api/gates/feature-gates.js";
import type { Clock } from "../../base/time/clock.js";
import type { Random } from "../../base/numbers/random.js";
import type { Transport } from "../../client/transport/transport.js";
import type { ApiRegistry } from "../../server/api-registry/api-registry.js";
import type { ResourceDefinition } from "../../server/api-registry/resource-definition.js";
import type { ApiAccess } from "../../server/admission/plugin.js";
import type { AuditOptions } from "../../server/audit/audit-options.js";
import type { Authenticator } from "../../server/authn/authenticator.js";
import type { Authorizer } from "../../server/authz/authorizer.js";
import type { HealthCheck } from "../../server/endpoints/non-resource/health.js";
import type { OwnFilter } from "../../server/filters/own-filter.js";
import type { InFlightLimits } from "../../server/filters/max-in-flight.js";
import type { Conduct } from "../../server/generic/server-config.js";
import type { DeletionOptions } from "../../server/registry/deletion.js";
import type { EncryptionConfiguration } from "../../server/storage/encryption/configuration.js";
import type { LifeCycleEvent } from "../../server/generic/life-cycle.js";
import type { CoreApiOptions, RegistrationOptions } from "../delegation/core-api.js";
import type { EgressSelection } from "../egress/egress-configuration.js";
import type { FileAdmissionOptions } from "./admission-configuration.js";
import type { AuthorizationOptions } from "./authorization-options.js";
import type { AuthenticationOptions } from "./authentication-options.js";
import type { StorageOptions } from "../open-storage.js";
import type { RequestRecord } from "../record-requests.js";
import type { TracingOptions } from "../../component/apiserver-flags/traces.js";
import type { MonitoringOptions } from "../monitoring/monitoring-options.js";
import type { TlsOptions } from "./tls-options.js";

/** The options of a server apart from its resources. */
export interface ServerOptions
  extends StorageOptions,
    OptionsOf<typeof versionOptions>,
    OptionsOf<typeof emulationOptions>,
    OptionsOf<typeof listeningOptions> {
  /** How the server answers and stops. Default: as kube-apiserver without flags. */
  readonly conduct?: Conduct;
  /**
   * How many requests run at once; more wait for a place, and beyond that they are answered 429. Watches, connections into pods and members of
   * system:masters are not counted. 0 is no limit. With `fairness` the sum of both is divided by FlowSchemas and PriorityLevelConfigurations.
   * Default: kube-apiserver's, 400 reads and 200 writes, without fairness.
   */
  readonly inFlight?: InFlightLimits;
  /**
   * How objects are encrypted in the storage, as kube-apiserver's --encryption-provider-config: the path of an EncryptionConfiguration
   * (apiserver.config.k8s.io/v1), or what it holds. Default: objects are stored as they are.
   */
  readonly encryption?: string | EncryptionConfiguration;
  /** Whether the file of {@link encryption} is read again when it changes. A wrong one is reported, and changes nothing. Default false. */
  readonly encryptionReload?: boolean;
  /** kube-apiserver's feature gates that change what a server does. Default: Kubernetes' defaults. */
  readonly featureGates?: FeatureGates;
  /** How objects are deleted. Default: as kube-apiserver without flags. */
  readonly deletion?: DeletionOptions;
  /** How connections of HTTP/2 are served. Default: as kube-apiserver without flags. */
  readonly http2?: OptionsOf<typeof http2Options>;
  /** 0, the default, takes a free one; false opens no socket, and only `transport()` reaches the server. */
  readonly port?: number | false;
  /**
   * Serves HTTP/1.1 without TLS too: on a port of a loopback address (default 127.0.0.1; port 0 takes a free one), or on a Unix socket. Where
   * {@link port} is false it is the only way in. Default: none.
   */
  readonly http?: HttpOptions;
  /** Versions, suites and certificates of the port. Default: the runtime's, and a certificate of the server's own authority. */
  readonly tls?: TlsOptions;
  /** What OpenAPI documents are called; its version is also what /version says. Default: Kubernetes and its version. */
  readonly title?: ApiTitle;
  /**
   * Webhooks of admission and conversion that a program in this process answers without a port, by NAME.NAMESPACE.svc of their Service, which
   * need not exist, or by the host of their url: `{ "webhooks.shop.svc": (connection) => manager.webhooks.accept(connection) }`.
   */
  readonly processWebhooks?: ProcessWebhooks;
  /** Resources beside the built-in ones. More can be installed while the server runs. */
  readonly resources?: readonly ResourceDefinition[];
  /** Files of tokens and authorities, OpenID Connect issuers, a webhook, a front proxy, anonymous requests. Default: none of it. */
  readonly authentication?: AuthenticationOptions;
  /** Say who a request comes from, after client certificates and before bearer tokens. */
  readonly authenticators?: readonly Authenticator[];
  /**
   * Say what a user may do, before those of {@link authorization}; members of system:masters, as the administrator is, may do everything.
   * Without these and without {@link authorization} every user may do everything.
   */
  readonly authorizers?: readonly Authorizer[];
  /** The authorizers that kube-apiserver has, and their files. */
  readonly authorization?: AuthorizationOptions;
  /**
   * Which admission plugins run, and plugins of the caller's own. Default: those that kube-apiserver runs by default.
   */
  readonly admission?: FileAdmissionOptions;
  /**
   * The main server whose objects hooks and admission plugins read: of a kubeconfig file, else of the Pod that the process runs in. Its informers
   * are started by the hook "generic-apiserver-start-informers". Default: none.
   */
  readonly coreApi?: CoreApiOptions;
  /**
   * Registers the server at the main server of {@link coreApi} when it serves: a Service that leads to it, and an APIService for each of its group
   * versions. The start fails where they are there and lead elsewhere. They stay when the server stops. Default: none.
   */
  readonly registration?: RegistrationOptions;
  /** Filters of the caller's own, each with its place among the server's. */
  readonly filters?: readonly OwnFilter[];
  /**
   * How the server connects to what is outside of it, as kube-apiserver's --egress-selector-config-file: the path of an
   * EgressSelectorConfiguration (apiserver.k8s.io/v1beta1), or its selections. Default: over the machine's network.
   */
  readonly egress?: string | readonly EgressSelection[];
  /** What operators may read at /metrics, /statusz, /flagz, /debug and /logs. Default: metrics that count from the first time they are read. */
  readonly monitoring?: MonitoringOptions;
  /** Which requests are recorded, and where. Default: none is. */
  readonly audit?: AuditOptions;
  /** Where traces of requests go, and texts about slow ones. Default: to the SDK of OpenTelemetry that the process has registered, if any. */
  readonly tracing?: TracingOptions;
  /** Checks of /healthz, /livez and /readyz beside the server's own. */
  readonly healthChecks?: readonly HealthCheck[];
  readonly hooks?: Hooks;
  /** Told of each event in the server's life, in order. */
  readonly onLifeCycle?: (event: LifeCycleEvent) => void;
  /**
   * Stamps objects and expires what expires. A manualClock() also drives every timer of the server and of what runs beside it: time
   * stands still until `clock.advance()`.
   */
  readonly clock?: Clock;
  /** Names, uids and secrets come from it. With seededRandom(), each run has the same. */
  readonly random?: Random;
  /** Sees every request from outside before it is handled. */
  readonly onRequest?: (request: RequestRecord) => void;
  /** The server calls it with its own faults, which clients see as "Internal error". */
  readonly onError?: (error: unknown) => void;
}

/** Feature gates by name; docs/kubernetes-versions.md lists those that have an effect. */
export interface FeatureGates {
  readonly [name: string]: boolean | undefined;
  /**
   * Whether users with the verb "unsafe-delete-ignore-read-errors" may delete objects that cannot be decrypted or decoded, by the delete option
   * ignoreStoreReadErrorWithClusterBreakingPotential. Default: since Kubernetes 1.37 true (K37-107).
   */
  readonly AllowUnsafeMalformedObjectDeletion?: boolean;
  /** Whether {@link ServerOptions.encryption} may have plugins of KMS v1. Default false. */
  readonly KMSv1?: boolean;
}

export type HttpOptions = {
  /**
   * Lets in whoever sends no credentials, as system:anonymous, who may do everything where there are no authorizers: for a server that stands alone
   * (`kubectl --server=http://127.0.0.1:6080`). It needs `port: false`. Default false.
   */
  readonly anonymous?: boolean;
} & (
  | { readonly port?: number; readonly host?: string }
  | {
      /** The path of the socket, in a folder that only those can reach who may connect. */
      readonly socketPath: string;
    }
);

export interface Hooks {
  /**
   * Run one after the other before the server serves. Each is a health check, "poststarthook/<name>". One that throws keeps
   * the server from starting, and so does a name that two of them have, or that is a step's of the server.
   */
  readonly postStart?: readonly Hook[];
  /** Run one after the other when the server stops, while it still serves. One that throws is reported. */
  readonly preShutdown?: readonly Hook[];
}

export interface Hook {
  readonly name: string;
  run(server: HookContext): void | Promise<void>;
}

export interface HookContext {
  /** A client's end in this process, as the server itself; it is answered before the server is ready and while it stops. */
  readonly transport: Transport;
  readonly registry: ApiRegistry;
  /** The main server of {@link ServerOptions.coreApi}. */
  readonly coreApi: ApiAccess | undefined;
}

/** The options that the server uses unchanged. */
export function ofCaller(
  {
    storageMediaType,
    resources,
    authenticators,
    authorizers,
    admission,
    filters,
    inFlight,
    deletion,
    conduct,
    title,
    processWebhooks,
  }: ServerOptions,
  gates: ServerGates,
) {
  const unreadable = gates.enabled(DELETES_UNREADABLE);
  return {
    ...(storageMediaType && { storageMediaType }),
    ...(resources && { resources }),
    ...(authenticators && { authenticators }),
    ...(authorizers && { authorizers }),
    ...(admission && { admission }),
    ...(filters && { filters }),
    ...(inFlight && { inFlight }),
    ...((deletion !== undefined || unreadable) && { deletion: { ...deletion, unreadable } }),
    ...(conduct && { conduct }),
    ...(title && { title }),
    ...(processWebhooks && { processWebhooks }),
  };
}

/** The feature gate that allows users with the right to delete objects that cannot be read. */
export const DELETES_UNREADABLE = "AllowUnsafeMalformedObjectDeletion";

/** Finds the faults of the options about ports and sockets. */
export function listeningFaults({ port = 0, http, authentication }: ServerOptions): string[] {
  const faults: string[] = [];
  if (port !== false && !isPort(port))
    faults.push(`port is ${port}; give a port from 1 to 65535, 0 for a free one, or false for none`);
  if (http === undefined) return faults;
  if ("socketPath" in http) {
    if (http.socketPath === "") faults.push("http.socketPath is empty; give the path of the socket");
  } else {
    const { port: plain = 0, host = "127.0.0.1" } = http;
    if (!isPort(plain)) faults.push(`http.port is ${plain}; give a port from 1 to 65535, or 0 for a free one`);
    if (!isLoopback(host)) {
      faults.push(
        `http.host is ${host}: without TLS everyone on the way reads tokens and objects; give a loopback address, or serve with TLS`,
      );
    }
  }
  if (http.anonymous === true && port !== false) {
    faults.push(
      "http.anonymous would open the port with TLS too; give port: false, or authorizers and authentication.anonymous",
    );
  }
  const needsTls = [
    ...((authentication?.clientCaFiles ?? []).length > 0 ? ["certificates of clients"] : []),
    ...(authentication?.requestHeader === undefined ? [] : ["the certificate of a front proxy"]),
    ...(authentication?.delegated === undefined || authentication.delegated.skipLookup === true
      ? []
      : ["certificates of the main server's authorities (skipLookup leaves them out)"]),
  ];
  if (port === false && needsTls.length > 0) {
    faults.push(
      `http alone cannot authenticate by ${needsTls.join(" and ")}: a certificate is proved by TLS; give a port with TLS too`,
    );
  }
  return faults;
}

/** Finds the faults of the options about the registration at a main server. */
export function registrationFaults({ registration, coreApi, host, port }: ServerOptions): readonly string[] {
  if (registration === undefined) return [];
  return [
    ...(coreApi === undefined
      ? ["registration needs the main server to register at: give coreApi or --kubeconfig"]
      : []),
    ...(port === false ? ["registration needs a port with TLS, which the main server connects to"] : []),
    ...(registration.host === undefined && host !== undefined && !isLoopback(host)
      ? [
          `the server listens on ${host}: give registration.host or --register-host, by which the main server reaches it`,
        ]
      : []),
  ];
}

const isPort = (port: number): boolean => Number.isInteger(port) && port >= 0 && port <= 65_535;

const isLoopback = (host: string): boolean =>
  host === "localhost" || host === "::1" || /^127(\.\d{1,3}){3}$/.test(host);
