import type { ObjectMeta } from "../../machinery/meta/object.js";
import type { LeaseSpec, Lease } from "../../api/types/coordination/v1.js";
import { createHash } from "node:crypto";
import type { NodeSpec, Node, NodeCondition, NodeStatus, Taint } from "../../api/types/core/v1.js";
import type { Clock } from "../../base/time/clock.js";
import { pause } from "../../base/time/pause.js";
import type { Timers } from "../../base/time/timers.js";
import type { KubernetesClient } from "../../client/dynamic/kubernetes-client.js";
import { isAlreadyExists, isNotFound } from "../../machinery/errors/status-error.js";
import {
  type FieldsOf,
  object,
  objects,
  type Received,
  type ReceivedObject,
  text,
} from "../../machinery/meta/received.js";
import { formatMicroTime, formatTime } from "../../machinery/meta/time.js";
import { formatQuantity, parseQuantity, quantityValue } from "../../machinery/text/quantity/quantity.js";
import { isKubeletAtLeast } from "./pod-context.js";

/** The facts that a node reports about itself. */
export interface NodeFacts {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly taints: readonly Taint[];
  /** The address that the kubelet's API is reached at. */
  readonly address: string;
  /** The name that API servers reach it by, which ask for a Hostname before an IP. */
  readonly hostname: string;
  readonly port: number;
  readonly podCidr: string;
  readonly runtimeVersion: string;
  /** "v1.36.3" */
  readonly kubeletVersion: string;
  readonly capacity: Readonly<Record<string, string>>;
  /** Called after a Node that was deleted is registered again: rejects where it may not be, and has removed it. */
  readonly checkReturn?: (() => Promise<void>) | undefined;
}

/** Makes a new Node; its status is written afterwards. */
export function newNode({
  name,
  labels,
  annotations,
  podCidr,
  taints,
}: Pick<NodeFacts, "name" | "labels" | "annotations" | "podCidr" | "taints">): Node {
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: {
      name,
      labels: {
        "beta.kubernetes.io/arch": "amd64",
        "beta.kubernetes.io/os": "linux",
        "kubernetes.io/arch": "amd64",
        "kubernetes.io/hostname": name,
        "kubernetes.io/os": "linux",
        ...labels,
      },
      annotations: { "volumes.kubernetes.io/controller-managed-attach-detach": "true", ...annotations },
    },
    spec: {
      podCIDR: podCidr,
      podCIDRs: [podCidr],
      ...(taints.length > 0 && ({ taints: [...taints] } satisfies FieldsOf<NodeSpec>)),
    },
  };
}

/**
 * A kubelet's Lease ends after 40 seconds, and it posts its status every five minutes. It renews the Lease every 10 seconds, for requests get
 * lost; none gets lost here, and those of a thousand nodes would be a write every 10 ms.
 */
export const LEASE_SECONDS = 40;
export const RENEW_MS = 20_000;
const STATUS_RENEWALS = 15;
/** The operating system image that nodes of this program report. */
export const OS_IMAGE = "kubets";
/** What a kubelet of 1.36 or 1.37 declares (K37-164) of what an API server asks of it before it lets a pod be changed. */
const DECLARED_FEATURES = [
  "ExtendWebSocketsToKubelet",
  "InPlacePodLevelResourcesVerticalScaling",
  "InPlacePodVerticalScalingInitContainers",
  "RestartAllContainersOnContainerExits",
];

/** Creates the Node, and keeps its status and its Lease until `signal` aborts. */
export class NodeRegistration {
  /** Of the Node; undefined until it is registered. */
  uid: string | undefined;

  constructor(
    private readonly client: Pick<KubernetesClient, "of">,
    private readonly facts: NodeFacts,
    private readonly clock: Clock,
    private readonly timers: Timers,
    private readonly report: (error: unknown) => void,
    /** Records a Normal event of the node. */
    private readonly event: (reason: string, message: string) => void,
  ) {}

  /** Creates or adopts the Node and its Lease, and makes it ready. */
  async register(): Promise<void> {
    this.event("Starting", "Starting kubelet.");
    const nodes = this.client.of("v1", "Node");
    try {
      const created = await nodes.create(newNode(this.facts));
      this.uid = created.metadata?.uid;
      await this.#postStatus(created);
      await this.#createLease(created);
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      await this.#postStatus();
      await this.#renewLease();
    }
  }

  /** Renews the Lease every `period` milliseconds, for the first time after `delay`, and posts the status now and then. */
  async keep(signal: AbortSignal, delay: number, period: number): Promise<void> {
    for (let renewals = 1; ; renewals += 1) {
      await pause(this.timers, renewals === 1 ? delay : period, signal);
      if (signal.aborted) return;
      try {
        await this.#renewLease();
        if (renewals % STATUS_RENEWALS === 0) await this.#postStatus();
      } catch (error) {
        if (signal.aborted) return;
        // A Node that was deleted is registered again, as a kubelet does.
        if (isNotFound(error)) await this.#return().catch(this.report);
        else this.report(error);
      }
    }
  }

  async #return(): Promise<void> {
    await this.register();
    await this.facts.checkReturn?.();
  }

  async #postStatus(known?: ReceivedObject<Node>): Promise<void> {
    const { name } = this.facts;
    const nodes = this.client.of("v1", "Node");
    const before: ReceivedObject<Node> = known ?? (await nodes.get(name));
    this.uid = before.metadata?.uid;
    const conditions = objects(object(before.status).conditions);
    await nodes.patchStatus(name, { status: this.#status(conditions) }, { type: "merge" });
    const wasReady = conditions.some(({ type, status }) => type === "Ready" && status === "True");
    if (!wasReady) this.event("NodeReady", nodeStatusText(name, "NodeReady"));
  }

  #status(known: readonly Received<NodeCondition>[]): NodeStatus {
    const { address, hostname, port, capacity, runtimeVersion, kubeletVersion, name } = this.facts;
    const now = formatTime(this.clock.now());
    const condition = (type: string, status: "True" | "False", reason: string, message: string): NodeCondition => {
      const before = known.find((one) => text(one.type) === type && text(one.status) === status);
      const lastTransitionTime = text(before?.lastTransitionTime) || now;
      return { type, status, lastHeartbeatTime: now, lastTransitionTime, reason, message };
    };
    // A machine's ids, the same at each start.
    const id = createHash("sha256").update(name).digest("hex").slice(0, 32);
    const uuid = id.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
    const shown = isKubeletAtLeast(kubeletVersion, "1.37") ? withDecimalStorage(capacity) : capacity;
    return {
      capacity: { ...shown },
      allocatable: { ...shown },
      conditions: [
        condition("MemoryPressure", "False", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
        condition("DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
        condition("PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
        condition("Ready", "True", "KubeletReady", "kubelet is posting ready status"),
      ],
      addresses: [
        { type: "InternalIP", address },
        { type: "Hostname", address: hostname },
      ],
      declaredFeatures: [...DECLARED_FEATURES],
      daemonEndpoints: { kubeletEndpoint: { Port: port } },
      nodeInfo: {
        machineID: id,
        systemUUID: uuid,
        bootID: uuid,
        kernelVersion: "6.12.0",
        osImage: OS_IMAGE,
        containerRuntimeVersion: runtimeVersion,
        kubeletVersion,
        kubeProxyVersion: "",
        operatingSystem: "linux",
        architecture: "amd64",
      },
    };
  }

  async #renewLease(): Promise<void> {
    const { name } = this.facts;
    try {
      await this.#leases().patch(name, { spec: this.#lease() }, { type: "merge" });
    } catch (error) {
      if (!isNotFound(error)) throw error;
      await this.#createLease(await this.client.of("v1", "Node").get(name));
    }
  }

  async #createLease(node: ReceivedObject<Node>): Promise<void> {
    const { name } = this.facts;
    const ownerReferences = [{ apiVersion: "v1", kind: "Node", name, uid: node.metadata?.uid ?? "" }];
    const lease = {
      metadata: { name, ownerReferences } satisfies FieldsOf<ObjectMeta>,
      spec: this.#lease(),
    } satisfies FieldsOf<Lease>;
    await this.#leases().create({ apiVersion: "coordination.k8s.io/v1", kind: "Lease", ...lease });
  }

  #leases() {
    return this.client.of("coordination.k8s.io/v1", "Lease").namespace("kube-node-lease");
  }

  #lease() {
    const renewTime = formatMicroTime(this.clock.now());
    return {
      holderIdentity: this.facts.name,
      leaseDurationSeconds: LEASE_SECONDS,
      renewTime,
    } satisfies FieldsOf<LeaseSpec>;
  }
}

/** K37-183: a kubelet measures the storage of its disk in bytes, and writes them as a decimal quantity. */
function withDecimalStorage(capacity: NodeFacts["capacity"]): NodeFacts["capacity"] {
  const storage = capacity["ephemeral-storage"];
  if (storage === undefined) return capacity;
  const unscaled = quantityValue(parseQuantity(storage));
  return { ...capacity, "ephemeral-storage": formatQuantity({ unscaled, scale: 0, format: "DecimalSI" }) };
}

/** The text of a kubelet's event about a changed node. */
export const nodeStatusText = (name: string, event: string): string => `Node ${name} status is now: ${event}`;
