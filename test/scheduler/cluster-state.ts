import type { Container, Node, Pod, PodSpec, Taint } from "../../src/api/types/core/v1.js";
import { Indexer } from "../../src/client/informers/index.js";
import type { ApiObject } from "../../src/machinery/meta/object.js";
import { NodeInfo } from "../../src/scheduler/cache/node-info.js";
import { podInfo } from "../../src/scheduler/cache/pod-info.js";
import { SchedulerCache } from "../../src/scheduler/cache/scheduler-cache.js";
import type { FollowedKinds } from "../../src/scheduler/followed-kinds.js";
import { CycleState } from "../../src/scheduler/framework/cycle-state.js";
import { Diagnosis, fitMessage } from "../../src/scheduler/framework/diagnosis.js";
import type { SchedulerPlugin } from "../../src/scheduler/framework/plugin.js";
import { Profile } from "../../src/scheduler/framework/profile.js";
import { NodePicker } from "../../src/scheduler/node-picker.js";
import { prioritySort } from "../../src/scheduler/plugins/queue-plugins.js";
import { Nominator } from "../../src/scheduler/queue/nominator.js";
import { seededRandom } from "../helpers/seeded-random.js";

export interface NodeShape {
  readonly labels?: Record<string, string>;
  readonly taints?: readonly Taint[];
  readonly unschedulable?: boolean;
  /** Default: 4 CPUs, 8 GiB, 110 pods. */
  readonly allocatable?: Record<string, string>;
  readonly images?: readonly { readonly names: string[]; readonly sizeBytes: number }[];
}

export function node(name: string, shape: NodeShape = {}): Node {
  const { labels, taints, unschedulable, allocatable, images } = shape;
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, uid: name, labels: { "kubernetes.io/hostname": name, ...labels } },
    spec: { ...(taints && { taints: [...taints] }), ...(unschedulable !== undefined && { unschedulable }) },
    status: {
      allocatable: { cpu: "4", memory: "8Gi", pods: "110", ...allocatable },
      ...(images && { images: images.map((image) => ({ ...image })) }),
    },
  };
}

export interface PodShape extends Omit<Partial<PodSpec>, "containers"> {
  readonly namespace?: string;
  readonly labels?: Record<string, string>;
  /** What its one container asks for. */
  readonly requests?: Record<string, string>;
  readonly containers?: readonly Partial<Container>[];
  readonly status?: Pod["status"];
  readonly deletionTimestamp?: string;
  readonly annotations?: Record<string, string>;
}

export function pod(name: string, shape: PodShape = {}): Pod {
  const {
    namespace = "default",
    labels,
    requests,
    containers,
    status,
    deletionTimestamp,
    annotations,
    ...spec
  } = shape;
  const own = containers ?? [{ ...(requests && { resources: { requests } }) }];
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      namespace,
      uid: `${namespace}/${name}`,
      ...(labels && { labels }),
      ...(annotations && { annotations }),
      ...(deletionTimestamp !== undefined && { deletionTimestamp }),
    },
    spec: { containers: own.map((container, index) => ({ name: `c${index}`, image: "app", ...container })), ...spec },
    ...(status && { status }),
  };
}

/** The cache of a cluster: pods with a nodeName are on their nodes. */
export function cacheOf(nodes: readonly Node[], pods: readonly Pod[] = []): SchedulerCache {
  const cache = new SchedulerCache();
  for (const one of nodes) cache.setNode(one);
  for (const one of pods) cache.setPod(podInfo(one), one.spec?.nodeName ?? "");
  return cache;
}

export function nodeInfo(of: Node, pods: readonly Pod[] = []): NodeInfo {
  const info = new NodeInfo();
  info.setNode(of);
  for (const one of pods) info.addPod(podInfo(one));
  return info;
}

/** A profile of these plugins, with what every profile needs. */
export function profileOf(plugins: readonly SchedulerPlugin[], percentageOfNodesToScore = 0): Profile {
  const needed: SchedulerPlugin[] = [prioritySort(), { name: "TestBinder", bind: () => Promise.resolve(undefined) }];
  return new Profile(
    "default-scheduler",
    [...plugins, ...needed].map((plugin) => ({ plugin, weight: 1 })),
    percentageOfNodesToScore,
  );
}

/** The node that the plugins find for a pod, or the message that it gets. */
export function placed(plugins: readonly SchedulerPlugin[], cache: SchedulerCache, of: Pod, seed = "lots"): string {
  const picker = new NodePicker(cache, new Nominator(), seededRandom(seed));
  const picked = picker.pick(profileOf(plugins), new CycleState(), podInfo(of));
  return picked instanceof Diagnosis ? fitMessage(cache.list().length, picked) : picked;
}

/** The scores of the nodes that fit, by name. */
export function scored(plugin: SchedulerPlugin, cache: SchedulerCache, of: Pod): Record<string, number> {
  const [state, info, nodes] = [new CycleState(), podInfo(of), cache.list()];
  const profile = profileOf([plugin]);
  profile.preFilter(state, info, nodes);
  const scoring = profile.preScore(state, info, nodes);
  if ("code" in scoring) throw new Error(scoring.reasons.join(", "));
  const scores = profile.score(state, info, nodes, scoring);
  return Object.fromEntries(nodes.map(({ name }, index) => [name, scores[index] ?? 0]));
}

/** What plugins follow: these objects, by kind. */
export function following(objects: Readonly<Record<string, readonly ApiObject[]>> = {}): FollowedKinds {
  const cache = (_apiVersion: string, kind: string): Indexer<ApiObject> => {
    const indexer = new Indexer<ApiObject>();
    for (const object of objects[kind] ?? []) indexer.set(object);
    return indexer;
  };
  return { cache, follow: () => undefined } as unknown as FollowedKinds;
}
