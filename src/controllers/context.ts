import type { Release } from "../api/facts/index.js";
import type { ServerGates } from "../api/gates/feature-gates.js";
import type { Clock } from "../base/time/clock.js";
import type { Ipv4Prefix } from "../base/numbers/ipv4-prefix.js";
import type { Random } from "../base/numbers/random.js";
import type { Timers } from "../base/time/timers.js";
import type { KubernetesClient } from "../client/dynamic/kubernetes-client.js";
import type { EventRecorder, EventSource } from "../client/events/index.js";
import type { Manager } from "../client/manager/index.js";
import type { GroupResource } from "../machinery/errors/status-error.js";
import type { JsonObject } from "../machinery/meta/json.js";
import type { KubeObject } from "../machinery/meta/object.js";
import type { AuthenticationInfo } from "./authentication-trust/authentication-trust.js";
import type { SignClient } from "./certificates/certificate-signer.js";
import type { MetricsSource } from "./horizontal-pod-autoscaler/metrics-source.js";
import type { NamespaceObjects } from "./namespace-objects/namespace-objects.js";
import type { PodRange } from "./node-ipam/node-ipam-controller.js";
import type { ServedResources } from "./served-resources.js";
import type { OpenQuotaCharges } from "./resource-quota/recount.js";
import type { NodePortRegistry } from "./service-allocation/node-port-repair.js";
import type { WorkCounts } from "./work-counts.js";

/** The settings and parts that a cluster passes to its controllers. */
export interface ClusterParts {
  /** The version of Kubernetes that they are of. Default: the newest release. */
  readonly release?: Release;
  /** The features that differ from the release's defaults, as by --feature-gates. Default: none. */
  readonly featureGates?: Readonly<Record<string, boolean | undefined>>;
  /** PEM; published in every namespace. */
  readonly caCertificate: string;
  /** How the server authenticates clients, which others learn from it. Default: nothing is published. */
  readonly authentication?: {
    info(): AuthenticationInfo;
    /** Calls `listener` after {@link info} has changed. */
    onChange(listener: () => void): void;
  };
  /** The Service the API is found at; put back when it is deleted. Left out where kube-apiserver's controllers do not run. */
  readonly kubernetesService?: KubeObject;
  /** Where cluster IPs come from by default; put back as well. Left out as the Service, and where networking.k8s.io/v1 is switched off. */
  readonly serviceCidr?: KubeObject;
  /** Left out as the Service. */
  readonly nodePorts?: NodePortRegistry;
  /** What quotas may have been charged for objects that are not stored yet. Default: nothing. */
  readonly openCharges?: OpenQuotaCharges;
  /** Whether a kubelet of this server, or of another on its storage, runs the pods of a node, and ends those that are deleted. Default: none does. */
  readonly hasKubelet?: (node: string) => boolean;
  /** How long a node may be silent before it counts as lost, in milliseconds. Default: kube-controller-manager's, 50,000. */
  readonly nodeMonitorGracePeriod?: number;
  /** Whether the cluster makes volumes itself, and has a default StorageClass for them. Default: it does not. */
  readonly hasVolumes?: boolean;
  /** The signers whose requests {@link signClient} answers. Default: all that the controller knows. */
  readonly signers?: ReadonlySet<string>;
  /** A client's certificate for a PKCS #10 request, both PEM. Throws for what is no request. */
  readonly signClient: SignClient;
  /** A token of these claims, signed by the key of service accounts. */
  readonly signToken: (claims: JsonObject) => string;
  /** Where nodes without a range of pod addresses get one of, as by --cluster-cidr and --allocate-node-cidrs. Default: they get none. */
  readonly podRange?: PodRange;
  /** Where Services of type LoadBalancer get an address of. Default: they get none. */
  readonly loadBalancerAddresses?: Ipv4Prefix;
  /** How many objects controllers of these names work on at a time. Default: as many as kube-controller-manager's. */
  readonly workers?: Readonly<Record<string, number>>;
  /** How many pods that have ended are kept; 0 or less: all. Default: kube-controller-manager's, 12,500. */
  readonly terminatedPodThreshold?: number;
  /** Custom and external metrics of horizontal pod autoscalers. */
  readonly metrics?: MetricsSource | undefined;
}

/** The argument with which every controller is started. */
export interface ControllerContext {
  /** The version of Kubernetes that they are of. */
  readonly release: Release;
  /** The features of the release and of {@link ClusterParts.featureGates}. */
  readonly gates: ServerGates;
  readonly cluster: ClusterParts;
  readonly client: KubernetesClient;
  /** Runs reconcilers over shared informers. */
  readonly manager: Manager;
  /** What the server serves now. */
  readonly served: ServedResources;
  /** What every namespace has. */
  readonly namespaceObjects: NamespaceObjects;
  readonly clock: Clock;
  readonly timers: Timers;
  /** Varies delays and makes generated names. */
  readonly random: Random;
  /** Aborts when the controllers stop. */
  readonly signal: AbortSignal;
  readonly recorder: (source: EventSource) => EventRecorder;
  /** Counts what the controllers do. */
  readonly counts: WorkCounts;
  /** Counts a request for a new ResourceClaim. */
  readonly countClaim: (succeeded: boolean, adminAccess: boolean) => void;
  readonly report: (error: unknown) => void;
  /** Calls `listener` after each change of what the server serves. */
  readonly onApiChange: (listener: () => void) => void;
  /**
   * Calls `listener` once: now, where the resource has objects or that is not known, else when its first one is created. Never
   * after the returned function is called. A controller that follows every resource need not watch those without objects.
   */
  readonly whenOccupied: (resource: GroupResource, listener: () => void) => () => void;
}

/** The work that a controller does beside its reconcilers. */
export interface OwnWork {
  /**
   * Done once before the cluster counts as started, one controller after the other, so that a new cluster always has the same
   * objects at the same versions. Tried again while it fails.
   */
  readonly prepare?: () => Promise<void>;
  /** Begun when all controllers are prepared. Ends when the signal aborts. */
  readonly run?: () => Promise<void>;
}

/** Adds a controller's reconcilers to the manager. */
export type StartController = (context: ControllerContext) => OwnWork | void;
