import type { KubernetesClient } from "../client/dynamic/kubernetes-client.js";
import { InformerFactory } from "../client/informers/informer-factory.js";
import { isConflict, isNotFound } from "../machinery/errors/status-error.js";
import { object, objects, text } from "../machinery/meta/access.js";
import type { KubeObject } from "../machinery/meta/object.js";
import type { Clock } from "../base/clock.js";
import type { Random } from "../base/random.js";
import type { Timers } from "../base/timers.js";
import { isUsualFault } from "../client/reflector/usual-fault.js";

export interface PodBinderParts {
  readonly client: KubernetesClient;
  readonly clock: Clock;
  readonly timers: Timers;
  /** Varies how long watches last. */
  readonly random: Random;
  readonly report: (error: unknown) => void;
  readonly event: (pod: KubeObject, type: "Normal" | "Warning", reason: string, message: string) => void;
}

/** A node that pods may be bound to. */
export interface BindableNode {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
}

const DEFAULT_SCHEDULER = "default-scheduler";

/**
 * Binds pods that name no node, in the place of a scheduler: in turn to the nodes that their nodeSelector matches. It asks neither for
 * resources nor for affinity. Resolves when it follows the pods; stops when `signal` aborts.
 */
export async function bindPods(
  nodes: readonly BindableNode[],
  parts: PodBinderParts,
  signal: AbortSignal,
): Promise<void> {
  const { client, clock, timers, random, report } = parts;
  const informers = new InformerFactory(client, {
    clock,
    timers,
    random,
    onFault: ({ error }) => (isUsualFault(error) ? undefined : report(error)),
    onError: report,
  });
  let turn = 0;
  const bind = async (pod: KubeObject): Promise<void> => {
    const selector = bindable(pod);
    if (selector === undefined) return;
    const matching = nodes.filter(({ labels }) =>
      Object.entries(selector).every(([key, value]) => labels[key] === value),
    );
    const node = matching[turn++ % matching.length];
    if (node === undefined) {
      const reason = `0/${nodes.length} nodes are available: ${nodes.length} node(s) didn't match Pod's node affinity/selector.`;
      parts.event(pod, "Warning", "FailedScheduling", reason);
      return;
    }
    await bindTo(client, pod, node.name, signal);
    const { namespace = "", name = "" } = pod.metadata ?? {};
    parts.event(pod, "Normal", "Scheduled", `Successfully assigned ${namespace}/${name} to ${node.name}`);
  };
  const informer = informers.of("v1", "Pod", { fieldSelector: "spec.nodeName=" });
  const handle = async (pod: unknown): Promise<void> => {
    try {
      await bind(pod as KubeObject);
    } catch (error) {
      // Another one has bound it, or it is gone.
      if (!signal.aborted && !isConflict(error) && !isNotFound(error)) report(error);
    }
  };
  informer.addHandler({ added: handle, updated: (_before, after) => handle(after) });
  informers.start(signal);
  await informers.synced();
}

/** The nodeSelector of a pod that waits for a scheduler; undefined for every other pod. */
function bindable({ metadata, spec, status }: KubeObject): Readonly<Record<string, string>> | undefined {
  const { schedulerName, schedulingGates, nodeName, nodeSelector } = object(spec);
  const waits =
    metadata?.deletionTimestamp === undefined && text(nodeName) === "" && objects(schedulingGates).length === 0;
  const ended = ["Succeeded", "Failed"].includes(text(object(status).phase));
  if (!waits || ended || (text(schedulerName) || DEFAULT_SCHEDULER) !== DEFAULT_SCHEDULER) return undefined;
  return object(nodeSelector) as Readonly<Record<string, string>>;
}

async function bindTo({ rest }: KubernetesClient, pod: KubeObject, node: string, signal: AbortSignal): Promise<void> {
  const { namespace = "", name = "", uid } = pod.metadata ?? {};
  const binding = {
    apiVersion: "v1",
    kind: "Binding",
    metadata: { name, namespace, uid },
    target: { apiVersion: "v1", kind: "Node", name: node },
  };
  const path = `/api/v1/namespaces/${namespace}/pods/${name}/binding`;
  await rest.request({ method: "POST", path, body: Buffer.from(JSON.stringify(binding)), signal });
}
