import type { Clock } from "../../base/clock.js";
import { clusterReader } from "../../actions/cluster-reader.js";
import type { RestClient } from "../../client/rest/rest-client.js";
import { isNotFound } from "../../machinery/errors/status-error.js";
import { object as fieldsOf, objects } from "../../machinery/meta/access.js";
import type { KubeObject, OwnerReference } from "../../machinery/meta/object.js";
import { parseLabelSelector } from "../../machinery/selectors/parse-label-selector.js";

export interface PodRules {
  readonly client: () => Promise<RestClient>;
  readonly clock: Clock;
  /** Pods that nobody would make again go too. */
  readonly force: boolean;
  readonly ignoreDaemonSets: boolean;
  readonly deleteEmptyDirData: boolean;
  readonly podSelector: string;
  readonly chunkSize: number;
  /** Seconds since its deletion after which a pod is left alone; 0: never. */
  readonly skipDeletedAfter: number;
}

/** What is to become of the pods of a node. */
export interface PodsToDelete {
  readonly pods: readonly KubeObject[];
  /** "" when there are none. */
  readonly warnings: string;
  /** Why none may be deleted. */
  readonly errors: readonly Error[];
}

type Verdict =
  | { readonly type: "delete"; readonly warning?: string }
  | { readonly type: "skip"; readonly warning?: string }
  | { readonly type: "error"; readonly message: string };

/** Reads the pods of a node and decides on each. Throws when they cannot be read. */
export async function podsToDelete(node: string, rules: PodRules): Promise<PodsToDelete> {
  const reader = clusterReader(await rules.client(), rules.chunkSize);
  const listed = await reader.list({ group: "", version: "v1", resource: "pods" }, "", {
    labelSelector: parseLabelSelector(rules.podSelector).toString(),
    fieldSelector: `spec.nodeName=${node}`,
  });
  const pods: KubeObject[] = [];
  const warnings = new Map<string, string[]>();
  const errors = new Map<string, string[]>();
  for (const item of listed) {
    const pod: KubeObject = { ...item, apiVersion: "v1", kind: "Pod" };
    const verdict = await judge(pod, rules);
    if (verdict.type === "error") note(errors, verdict.message, pod);
    else if (verdict.warning !== undefined) note(warnings, verdict.warning, pod);
    if (verdict.type === "delete") pods.push(pod);
  }
  return {
    pods,
    warnings: [...warnings].map(([message, names]) => `${message}: ${names.join(", ")}`).join("; "),
    errors: [...errors].map(([message, names]) => new Error(`cannot delete ${message}: ${names.join(", ")}`)),
  };
}

function note(notes: Map<string, string[]>, message: string, { metadata = {} }: KubeObject): void {
  notes.set(message, [...(notes.get(message) ?? []), `${metadata.namespace ?? ""}/${metadata.name ?? ""}`]);
}

/** The rules in kubectl's order: the first that keeps a pod ends it, of the others the last one's warning counts. */
async function judge(pod: KubeObject, rules: PodRules): Promise<Verdict> {
  if (isLongDeleted(pod, rules.skipDeletedAfter, rules.clock)) return { type: "skip" };
  const owned = await judgeDaemonSet(pod, rules);
  if (owned.type !== "delete") return owned;
  if (Object.hasOwn(pod.metadata?.annotations ?? {}, "kubernetes.io/config.mirror")) return { type: "skip" };
  if (hasLocalStorage(pod) && !isOver(pod) && !rules.deleteEmptyDirData) {
    return { type: "error", message: "Pods with local storage (use --delete-emptydir-data to override)" };
  }
  if (isOver(pod) || controllerOf(pod) !== undefined) return { type: "delete" };
  return rules.force
    ? { type: "delete", warning: "deleting Pods that declare no controller" }
    : { type: "error", message: "Pods that declare no controller (use --force to override)" };
}

async function judgeDaemonSet(pod: KubeObject, { client, force, ignoreDaemonSets }: PodRules): Promise<Verdict> {
  const controller = controllerOf(pod);
  if (controller?.kind !== "DaemonSet" || controller.apiVersion !== "apps/v1" || isOver(pod)) return { type: "delete" };
  const reader = clusterReader(await client(), 0);
  try {
    const resource = { group: "apps", version: "v1", resource: "daemonsets" };
    await reader.get(resource, pod.metadata?.namespace ?? "", controller.name);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (isNotFound(error) && force) return { type: "delete", warning: message };
    return { type: "error", message };
  }
  return ignoreDaemonSets
    ? { type: "skip", warning: "ignoring DaemonSet-managed Pods" }
    : { type: "error", message: "DaemonSet-managed Pods (use --ignore-daemonsets to ignore)" };
}

/** Whether a pod was deleted more than `seconds` ago and is still there; never with 0. */
export function isLongDeleted({ metadata }: KubeObject, seconds: number, clock: Clock): boolean {
  const deleted = metadata?.deletionTimestamp;
  if (seconds <= 0 || deleted === undefined) return false;
  return Math.trunc((clock.now() - Date.parse(deleted)) / 1000) > seconds;
}

const controllerOf = ({ metadata }: KubeObject): OwnerReference | undefined =>
  metadata?.ownerReferences?.find(({ controller }) => controller === true);

const isOver = (pod: KubeObject): boolean => ["Succeeded", "Failed"].includes(String(fieldsOf(pod["status"])["phase"]));

const hasLocalStorage = (pod: KubeObject): boolean =>
  objects(fieldsOf(pod["spec"])["volumes"]).some(
    (volume) => volume["emptyDir"] !== undefined && volume["emptyDir"] !== null,
  );
