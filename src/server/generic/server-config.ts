import type { ProcessWebhooks } from "../webhook/process-webhooks.js";
import type { ServerGates } from "../../api/gates/feature-gates.js";
import type { Aggregation } from "../endpoints/aggregation.js";
import type { ApiTitle, Release, RuntimeConfig, TypeSource } from "../../api/facts/index.js";
import type { Random } from "../../base/numbers/random.js";
import type { Clock } from "../../base/time/clock.js";
import type { Timers } from "../../base/time/timers.js";
import type { conductOptions } from "../../component/apiserver-flags/generic.js";
import type { OptionsOf } from "../../component/option-group.js";
import type { Environment } from "../../client/surroundings.js";
import type { EgressDialers } from "../../client/transport/dial.js";
import type { Scheme } from "../../machinery/scheme/scheme.js";
import type { AdmissionOptions } from "../admission/enabled-plugins.js";
import type { AdmissionManifests } from "../admission/plugin.js";
import type { ResourceDefinition } from "../api-registry/resource-definition.js";
import type { Authentication, AuthenticationContext } from "../authn/authentication.js";
import type { Authenticator } from "../authn/authenticator.js";
import type { AuthorizationContext, AuthorizationMode, Authorizer } from "../authz/authorizer.js";
import type { HealthCheck } from "../endpoints/non-resource/health.js";
import type { ResourceRecord } from "../endpoints/resource-record.js";
import type { StorageMediaType } from "../endpoints/serializers/serializer.js";
import type { InFlightLimits } from "../filters/max-in-flight.js";
import type { OwnFilter } from "../filters/own-filter.js";
import type { RequestTracing } from "../filters/tracing.js";
import type { ClusterNetwork } from "../kubelet/cluster-network.js";
import type { Measuring } from "../metrics/measures.js";
import type { DeletionRules } from "../registry/deletion.js";
import type { Filter, Handler } from "../request/api-request.js";
import type { RequestAuditing } from "../request/request-audit.js";
import type { TokenIssuer } from "../request/token-issuer.js";
import type { TokenLookup } from "../request/user.js";
import type { Storage } from "../storage/create-storage.js";
import type { LocateService } from "../webhook/service-address.js";
import type { BootSequence } from "./boot-sequence.js";
import type { Delegate } from "./delegate.js";
import type { OwnPaths } from "./own-paths.js";

/** How a server answers and stops, with the defaults of kube-apiserver's generic flags. */
export type Conduct = OptionsOf<typeof conductOptions>;

/** A part of the server that serves paths outside of the API. */
export interface ServerPaths {
  /** Answers a path, with every method. */
  find(path: string): Handler | undefined;
  /** Those of the index at "/". */
  readonly listed: readonly string[];
}

export interface ServerConfig {
  /** Names the server in a chain and in errors: "kube-apiserver". Default: "kubets". */
  readonly name?: string;
  /** What OpenAPI documents are called, and with a version also what /version says. Default: Kubernetes and its version. */
  readonly title?: ApiTitle | undefined;
  /** Whether a path that nobody serves is answered with the index of all paths, as a server that stands alone does; else with a line of text. Default false. */
  readonly listsPathsAtEnd?: boolean;
  readonly storage: Storage;
  /** What the resources are beyond their facts. A resource without a record has generic behaviour only. */
  readonly records: readonly ResourceRecord[];
  /** The version of Kubernetes that the server is: its built-in resources, /version and behaviour. Default: the newest release. */
  readonly release?: Release;
  /** The feature gates of the server. Default: those of the release, with their defaults. */
  readonly gates?: ServerGates;
  /** Holds every version that is served or may be stored. Default: the versions that the release can serve. */
  readonly scheme?: Scheme;
  /** The types of built-in resources, for OpenAPI. Default: those that the release publishes. */
  readonly types?: TypeSource;
  /** Turns versions of built-in resources on and off; see {@link RuntimeConfig}. Default: the stable versions. */
  readonly runtimeConfig?: RuntimeConfig;
  /** Resources beside the built-in ones. */
  readonly resources?: readonly ResourceDefinition[];
  /** The form that objects are stored in; both forms are read. Default: "application/json". */
  readonly storageMediaType?: StorageMediaType;
  readonly clock: Clock;
  readonly random: Random;
  /**
   * Makes audit ids and spreads the ends of watches. It is not {@link random}, because requests would then shift the uids
   * and names that a test fixes.
   */
  readonly requestRandom: Random;
  /** Ends requests and watches that take too long. Default: the process's. */
  readonly timers?: Timers;
  readonly tokens: readonly TokenLookup[];
  /** Issues and verifies service account tokens. Left out: the server accepts none. */
  readonly serviceAccounts?: TokenIssuer;
  /** Reaches the agents of nodes and the addresses of pods. Default: over the machine's network, without a client certificate. */
  readonly network?: ClusterNetwork | undefined;
  /** Connects to the webhooks of admission and conversion. Default: the machine's network does. */
  readonly webhookEgress?: EgressDialers | undefined;
  /** The webhooks of admission and conversion that programs of this process answer. Default: none. */
  readonly processWebhooks?: ProcessWebhooks;
  /** The webhooks and policies of files. Default: none. */
  readonly manifests?: AdmissionManifests | undefined;
  /** Which admission plugins run. Default: those that kube-apiserver runs by default. */
  readonly admission?: AdmissionOptions;
  /**
   * Finds where the webhook behind a service listens. Default: at the addresses of the service's EndpointSlices and Endpoints, as if
   * the server were in their network.
   */
  readonly locateService?: LocateService;
  /** Other servers that serve a part of the API. */
  readonly aggregation?: Aggregation | undefined;
  /** Proxies and authorities for calls of webhooks; see {@link WebhookSurroundings}. Default: none. */
  readonly env?: Environment;
  /** Returns the "host:port" that /api tells clients; "" without a socket. */
  readonly serverAddress: () => string;
  /** Takes what the parts of the server measure. Default: nothing does. */
  readonly measuring?: Measuring | undefined;
  /** The steps before the server serves requests. Left out: it serves at once. */
  readonly boot?: BootSequence;
  /** Receives exceptions that are no StatusError: faults of the server. */
  readonly reportError?: (error: unknown) => void;
  /** Say who a request comes from, after client certificates and before bearer tokens. */
  readonly authenticators?: readonly Authenticator[];
  /** What says who a request comes from beside client certificates, {@link tokens} and service accounts. */
  readonly authentication?: (context: AuthenticationContext) => Authentication;
  /** Whether requests without credentials are let in where every user may do everything. Default: only those to health checks are. */
  readonly openToAnonymous?: boolean;
  /** Say what a user may do, before those of {@link authorization}. */
  readonly authorizers?: readonly Authorizer[];
  /**
   * Makes the authorizers, in the order in which they are asked; before all of them, members of system:masters may do everything.
   * Left out, and without {@link authorizers}: every user may do everything.
   */
  readonly authorization?: (context: AuthorizationContext) => readonly AuthorizationMode[];
  /** Filters from outside the server, each with its place among the server's own. */
  readonly filters?: readonly OwnFilter[];
  /** Records requests. Default: none is recorded. */
  readonly audit?: RequestAuditing | undefined;
  /** Traces requests. Default: a caller's trace is passed on, and nothing is recorded. */
  readonly tracing?: RequestTracing | undefined;
  /** How many requests run at once. Default: kube-apiserver's limits. */
  readonly inFlight?: InFlightLimits | undefined;
  /** The filter of priority and fairness, which takes the place of those limits. Left out: there is none. */
  readonly fairness?: Filter | undefined;
  /** How objects are deleted. Default: as kube-apiserver without flags. */
  readonly deletion?: DeletionRules | undefined;
  /** How the server answers and stops. Default: as kube-apiserver without flags. */
  readonly conduct?: Conduct | undefined;
  /** The outermost filters, of the composition itself: nothing catches what they throw. */
  readonly outermost?: readonly Filter[];
  /** Checks beside the server's own: of /healthz, /livez and /readyz. */
  readonly healthChecks?: readonly HealthCheck[];
  /** Checks of /readyz alone: what must hold before clients are sent here. */
  readonly readyChecks?: readonly HealthCheck[];
  /** Paths beside the API's; more can be added while the server runs. Default: none. */
  readonly paths?: OwnPaths;
  /** Paths for operators: metrics, profiles. {@link paths} come before them. Default: none. */
  readonly monitoring?: ServerPaths | undefined;
  /** The next server of the chain, which answers what this one does not serve. Default: nothing else is served. */
  readonly delegate?: Delegate | undefined;
}
