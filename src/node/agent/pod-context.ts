import type { Pod } from "../../api/types/core/v1.js";
import type { Clock } from "../../base/time/clock.js";
import type { Timers } from "../../base/time/timers.js";
import type { KubernetesClient } from "../../client/dynamic/kubernetes-client.js";
import type { ContainerRuntime } from "../container-runtime.js";
import type { EnvironmentSource } from "./container-environment.js";
import type { ContainerRecord } from "./container-record.js";
import type { HookTarget } from "./lifecycle-hook.js";
import type { PodStarts } from "./pod-starts.js";
import type { RunMarks } from "./run-marks.js";
import type { ReceivedObject } from "../../machinery/meta/received.js";
import type { KubeObject } from "../../machinery/meta/object.js";

export type EventType = "Normal" | "Warning";

/** The parts of a node that the workers of its pods use. */
export interface PodWorkerParts {
  /** The version of the kubelet: "v1.36.3". */
  readonly kubeletVersion: string;
  readonly client: KubernetesClient;
  readonly runtime: ContainerRuntime;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly hostIp: string;
  /** What the node has: { cpu: "8", memory: "16Gi" }. */
  readonly capacity: Readonly<Record<string, string>>;
  /** The Services that containers are told of. Left out: none. */
  readonly services?: EnvironmentSource["services"];
  /** When pods start. */
  readonly starts: PodStarts;
  /** Left out: nothing outlives the server's process. */
  readonly marks?: RunMarks;
  readonly report: (error: unknown) => void;
  /** Records an event of a pod, or of the part of it that `fieldPath` names: "spec.containers{web}". */
  readonly event: (
    pod: ReceivedObject<Pod>,
    type: EventType,
    reason: string,
    message: string,
    fieldPath?: string,
  ) => void;
}

/** The state that everything which works for one pod shares. */
export interface PodContext {
  readonly parts: PodWorkerParts;
  readonly podIp: string;
  /** The pod as the API has it now, with the status that its worker knows. */
  readonly pod: () => ReceivedObject<Pod>;
  /** Aborts when the node is to leave everything of the pod as it is. */
  readonly abandoned: AbortSignal;
  /** Called after a record has changed: the pod's status is written. */
  readonly changed: () => void;
  /** Called when the node has no room left for the pod: it fails. */
  readonly evict: (message: string) => void;
  /** Resolves when the last status is written. */
  readonly flushed: () => Promise<void>;
}

/** Records an event of a container. */
export function containerEvent(
  { parts, pod }: PodContext,
  record: ContainerRecord,
  type: EventType,
  reason: string,
  message: string,
): void {
  parts.event(pod(), type, reason, message, record.fieldPath);
}

/** Makes the view of a running container that hooks use. */
export function hookTarget(
  { parts, pod, podIp, abandoned }: PodContext,
  record: ContainerRecord,
  containerId: string,
): HookTarget {
  const { runtime, timers } = parts;
  const podUid = pod().metadata?.uid ?? "";
  return {
    kubeletVersion: parts.kubeletVersion,
    runtime,
    timers,
    podUid,
    podIp,
    pod: podName(pod()),
    container: record.spec,
    containerId,
    signal: abandoned,
  };
}

/** Whether a kubelet ("v1.37.1") is of the minor version ("1.37") or a later one. A caller names its requirement in a comment. */
export const isKubeletAtLeast = (kubelet: string, version: string): boolean =>
  Number(kubelet.split(".")[1]) >= Number(version.split(".")[1]);

/** Formats a pod as a kubelet's messages do: "web_default(1b4e28ba-2fa1-11d2-883f-0016d3cca427)". */
export function podName({ metadata }: KubeObject): string {
  const { name = "", namespace = "", uid = "" } = metadata ?? {};
  return `${name}_${namespace}(${uid})`;
}
