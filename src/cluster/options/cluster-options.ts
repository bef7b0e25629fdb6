import { join } from "node:path";
import type { RuntimeConfig } from "../../api/facts/index.js";
import { inOrder } from "../../base/async/turns.js";
import type { AllowedForward, Forward } from "../../base/forward.js";
import { type Ipv4Prefix, parseIpv4Prefix } from "../../base/numbers/ipv4-prefix.js";
import type { MetricsSource } from "../../controllers/horizontal-pod-autoscaler/metrics-source.js";
import type { ImageScript } from "../../node/scripted/images/image-script.js";
import type { ImageScriptText } from "../../node/scripted/images/text-script.js";
import type { PodForwards } from "../../node/scripted/network/pod-forwards.js";
import type { StagesOf } from "../../node/stages/stages.js";
import type { SchedulerOptions } from "../../scheduler/options.js";
import type { LeaderElectionOptions, LeadershipEvent } from "../leader-election.js";
import type { NodeOptions } from "../nodes/start-nodes.js";
import type { ServerOptions } from "./server-options.js";

/** The options of `startCluster`. */
export interface ClusterOptions extends ServerOptions {
  /**
   * As kube-apiserver's --runtime-config: "resource.k8s.io/v1beta1", "api/beta" or "api/all" to on or off. By default the
   * stable versions are served. "apiextensions.k8s.io/v1beta1", which 1.36 has removed, is served where it is named.
   */
  readonly runtimeConfig?: RuntimeConfig;
  /**
   * Which controllers run, as kube-controller-manager's --controllers: "*" all but those that are off by default
   * ("bootstrap-signer-controller", "token-cleaner-controller"), "name" that one, "-name" not that one; a list
   * without "*" runs what it names and nothing else. False: none, for suites that bring their own; what Kubernetes has
   * inside kube-apiserver runs all the same. Default ["*"].
   */
  readonly controllers?: false | readonly string[];
  /**
   * Nodes that run pods in this process: a list, or how many ("node-1", "node-2", ...; on an etcd "SERVER-node-1", ...). Default: none, and
   * pods wait for a node from outside.
   */
  readonly nodes?: number | readonly NodeOptions[];
  /**
   * Who this server is among those that share its etcd: its nodes' names begin with it, and it takes them back when it starts again. Default:
   * the name that {@link dataDir} holds for the port, else one of host name and port, which the folder holds from now on.
   */
  readonly serverName?: string;
  /**
   * What the containers of a pod do in place of their images: when they start, fail, exit, become ready and stop, what they use and
   * write. A pod's annotation kubets.dev/stages comes first.
   */
  readonly stages?: StagesOf;
  /**
   * Whether a container whose program is not there stands in for its image: it starts, says so in its log, answers on its ports and passes
   * its probes. Else it cannot start. A pod's annotation kubets.dev/images ("stand-in", "strict") comes first. Default true.
   */
  readonly standIn?: boolean;
  /**
   * What containers of some images run: scripts of the small shell by patterns of image names, as a list or as the path of a YAML file that has
   * one. The first that fits counts; {@link stages} and a node's images come before it. Default: none but those that kubets has for images
   * that charts cannot do without.
   */
  readonly imageScripts?: string | readonly ImageScriptText[];
  /**
   * Ports of pods that lead to programs of this machine, for Services, port-forward, proxies, webhooks and probes too: a webhook under
   * development runs in an editor while the cluster believes that it is a pod. A start rejects with a ForwardSyntaxError.
   */
  readonly forward?: readonly Forward[];
  /** Addresses of this machine that a pod's annotation kubets.dev/forward may lead its ports to: "127.0.0.1:3000-3999". Default: none. */
  readonly allowForward?: readonly AllowedForward[];
  /**
   * A block of IPv4 addresses, "172.20.255.0/24", that Services of type LoadBalancer get an address of. Nothing listens there. "": they get
   * none, and stay pending. Default: "203.0.113.0/24" where there are {@link nodes}, else none.
   */
  readonly loadBalancerAddresses?: string;
  /**
   * How long a node may be silent before it counts as lost, in milliseconds. Default: kube-controller-manager's, 50,000. The cluster's own nodes
   * give a sign of life at least three times in it.
   */
  readonly nodeMonitorGracePeriod?: number;
  /** Custom and external metrics, which horizontal pod autoscalers scale by. */
  readonly metrics?: MetricsSource;
  /** How the scheduler is set up, as in kube-scheduler's configuration. False: there is none. Default: kube-scheduler's defaults. */
  readonly scheduler?: false | SchedulerOptions;
  /**
   * Whether controllers and scheduler of one server work at a time, where servers share a storage ("etcd"), by the Leases
   * kube-system/kube-controller-manager and kube-system/kube-scheduler. What Kubernetes has inside kube-apiserver runs in every server.
   * Default true. Storage that belongs to one process ("memory", "disk") needs no election, and there is none.
   */
  readonly leaderElect?: boolean | LeaderElectionOptions;
  /** Told when this server waits to lead, begins to, and no longer does, and each request that it sends as the leader. */
  readonly onLeadership?: (event: LeadershipEvent) => void;
}

/** Completes the option `nodes`, which is a list or a number, to a list. */
export function nodesOf(nodes: number | readonly NodeOptions[]): readonly NodeOptions[] {
  if (typeof nodes !== "number") return nodes;
  return Array.from({ length: nodes }, (_, index) => ({ name: `node-${index + 1}` }));
}

/** Throws for a table with a fault: before anything is opened. */
export async function givenScripts({ imageScripts }: ClusterOptions): Promise<readonly ImageScript[]> {
  if (imageScripts === undefined) return [];
  const { openImageScripts } = await inOrder(import("../image-scripts.js"));
  return openImageScripts(imageScripts);
}

/** Makes the forwards from pods to this machine; undefined where the options allow none. */
export async function forwardsOf({
  forward = [],
  allowForward = [],
}: ClusterOptions): Promise<PodForwards | undefined> {
  if (forward.length === 0 && allowForward.length === 0) return undefined;
  const { PodForwards: Made } = await inOrder(import("../../node/scripted/network/pod-forwards.js"));
  return new Made(forward, allowForward);
}

/** A block for documentation (RFC 5737), which no network has. */
const LOAD_BALANCERS = "203.0.113.0/24";

/** The block for the addresses of load balancers; undefined where Services get none. Throws for a text that is not a block. */
export function loadBalancersOf({ loadBalancerAddresses }: ClusterOptions, hasNodes: boolean): Ipv4Prefix | undefined {
  const text = loadBalancerAddresses ?? (hasNodes ? LOAD_BALANCERS : "");
  const block = text === "" ? undefined : parseIpv4Prefix(text);
  if (text !== "" && block === undefined) {
    throw new Error(
      `loadBalancerAddresses is ${JSON.stringify(text)}; give a block of IPv4 addresses, "172.20.255.0/24"`,
    );
  }
  return block;
}

/**
 * The file that keeps which pods run after the process has ended. Servers of one storage may share their data folder, so each has
 * a file of its own.
 */
export function marksFileOf(
  { storage = "memory", dataDir }: ClusterOptions,
  server: string | undefined,
): string | undefined {
  if (storage === "memory" || dataDir === undefined) return undefined;
  return join(dataDir, server === undefined ? "pods-that-run.txt" : `pods-that-run-${server}.txt`);
}
