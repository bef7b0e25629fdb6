import { createHash } from "node:crypto";
import type { ControllerRevision, ReplicaSet } from "../../../src/api/types/apps/v1.js";
import type { Pod } from "../../../src/api/types/core/v1.js";
import type { ApiObject } from "../../../src/machinery/meta/object.js";
import { isReady, type Seen } from "./seen.js";

/**
 * What a namespace holds, a line for each field: "ReplicaSet web-{web:1}: spec.replicas = 3". Masked are uids, versions, times, the
 * random ends of names, and hashes, which name the template that they are of.
 */
export function masked(seen: Seen): readonly string[] {
  const { deployments, replicaSets, statefulSets, daemonSets, revisions, pods, claims } = seen;
  const named = [
    ...deployments.map((one) => ({ kind: "Deployment", ...one })),
    ...replicaSets.map((one) => ({ kind: "ReplicaSet", ...one })),
    ...statefulSets.map((one) => ({ kind: "StatefulSet", ...one })),
    ...daemonSets.map((one) => ({ kind: "DaemonSet", ...one })),
    ...revisions.map((one) => ({ kind: "ControllerRevision", ...one })),
    ...claims.map((one) => ({ kind: "PersistentVolumeClaim", ...one })),
    ...pods.map((one) => ({ ...shortPod(one), kind: "Pod" })),
  ];
  const hide = hiding(replicaSets, revisions, pods);
  const texts = named.map((object) => {
    const fields = flat(JSON.parse(hide(JSON.stringify(withoutPassing(object)))));
    return { name: hide(`${object.kind} ${object.metadata?.name}`), fields };
  });
  return numbered(texts).flatMap(({ name, fields }) => fields.map((field) => `${name}: ${field}`));
}

/** Of a pod's status only what controllers look at; where it runs, only what its controller chose. */
function shortPod(pod: Pod): ApiObject {
  const { nodeName: _, ...spec } = pod.spec ?? { containers: [] };
  return { ...pod, spec, status: { phase: pod.status?.phase, ready: isReady(pod) } } as ApiObject;
}

const PASSING =
  /^(uid|resourceVersion|creationTimestamp|managedFields|\w*Time|generation|observedGeneration|volumeName|volume\.kubernetes\.io\/selected-node)$/;

/** Without what differs from run to run. */
function withoutPassing(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutPassing);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(([key]) => !PASSING.test(key));
  return Object.fromEntries(entries.map(([key, held]) => [key, withoutPassing(held)]));
}

/** Replaces hashes and random ends of names in a text. */
function hiding(
  sets: readonly ReplicaSet[],
  revisions: readonly ControllerRevision[],
  pods: readonly Pod[],
): (text: string) => string {
  const hashes = new Map<string, string>();
  for (const { metadata, spec } of sets) {
    const hash = metadata?.labels?.["pod-template-hash"];
    if (hash !== undefined) hashes.set(hash, digest(spec?.template, hash));
  }
  for (const { metadata, data } of revisions) hashes.set(metadata?.name?.split("-").at(-1) ?? "", digest(data, ""));
  const ends = pods.flatMap(({ metadata }) => {
    const { name = "", generateName, ownerReferences = [] } = metadata ?? {};
    const isMember = ownerReferences.some(({ kind }) => kind === "StatefulSet");
    return generateName === undefined || isMember ? [] : [[name, `${generateName}?`] as const];
  });
  return (text) => {
    let hidden = text.replaceAll(/kube-api-access-\w{5}/g, "kube-api-access-?");
    for (const [name, shown] of ends) hidden = hidden.replaceAll(name, shown);
    for (const [hash, shown] of hashes) hidden = hidden.replaceAll(hash, shown);
    return hidden.replaceAll(/pods \\"([\w{}:-]+-)\w{5}\\"/g, 'pods \\"$1?\\"');
  };
}

/** Of what is hashed, without its hash: which image it has, and a digest of the rest. */
function digest(value: unknown, hash: string): string {
  const text = flat(value)
    .filter((field) => hash === "" || !field.includes(hash))
    .join("\n");
  const [, image = ""] = /image = "([^"]*)"/.exec(text) ?? [];
  return `{${image} ${createHash("sha256").update(text).digest("hex").slice(0, 6)}}`;
}

/** `spec.replicas = 3`; null is nothing, as the zero time that Go before 1.34 writes. */
function flat(value: unknown, path = ""): string[] {
  if (value === null || value === undefined) return [];
  if (typeof value !== "object") return [`${path} = ${JSON.stringify(value)}`];
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  const fields = entries.flatMap(([key, held]) => flat(held, path === "" ? key : `${path}.${key}`));
  return entries.length === 0 && path !== "" ? [`${path} is empty`] : fields;
}

/** Objects whose masked names are the same get numbers, in the order of their fields. */
function numbered<T extends { readonly name: string; readonly fields: readonly string[] }>(texts: readonly T[]): T[] {
  const sorted = [...texts].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  const counts = new Map<string, number>();
  return sorted.map((one) => {
    const count = (counts.get(one.name) ?? 0) + 1;
    counts.set(one.name, count);
    return { ...one, name: one.name.endsWith("?") ? `${one.name}${count}` : one.name };
  });
}

const keyOf = ({ name, fields }: { readonly name: string; readonly fields: readonly string[] }): string =>
  `${name}\n${fields.join("\n")}`;
