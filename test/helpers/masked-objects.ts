import { createHash } from "node:crypto";
import type { ApiObject } from "../../src/machinery/meta/object.js";

/**
 * Objects that controllers made, a line for each field: "ReplicaSet web-{web:1 3d0505}: spec.replicas = 3". Every object names its
 * kind. Masked are uids, versions, times, the random ends of names, and hashes, which name the template that they are of; of a
 * pod's status the phase and the readiness are left.
 */
export function masked(objects: readonly ApiObject[]): readonly string[] {
  const hide = hiding(objects);
  const texts = objects.map((object) => {
    const shown = object.kind === "Pod" ? shortPod(object) : object;
    const fields = flat(JSON.parse(hide(JSON.stringify(withoutPassing(shown)))));
    return { name: hide(`${object.kind} ${object.metadata?.name}`), fields };
  });
  return numbered(texts).flatMap(({ name, fields }) => fields.map((field) => `${name}: ${field}`));
}

/** An object of any kind, read as it comes. */
type Read = ApiObject & {
  readonly spec?: { readonly template?: unknown; readonly nodeName?: string };
  readonly status?: { readonly phase?: string; readonly conditions?: readonly { type: string; status: string }[] };
  readonly data?: unknown;
};

/** Of a pod's status only what controllers look at; where it runs, only what its controller chose. */
function shortPod(pod: ApiObject): ApiObject {
  const { spec = {}, status = {} } = pod as Read;
  const { nodeName: _, ...chosen } = spec;
  const ready = status.conditions?.some((one) => one.type === "Ready" && one.status === "True") ?? false;
  return { ...pod, spec: chosen, status: { phase: status.phase, ready } } as ApiObject;
}

const PASSING = new Set([
  "uid",
  "resourceVersion",
  "creationTimestamp",
  "managedFields",
  "generation",
  "observedGeneration",
  "volumeName",
  "volume.kubernetes.io/selected-node",
]);
const isPassing = (key: string): boolean => PASSING.has(key) || /^\w+Time$/.test(key);

/** Without what differs from run to run. */
function withoutPassing(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutPassing);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(([key]) => !isPassing(key));
  return Object.fromEntries(entries.map(([key, held]) => [key, withoutPassing(held)]));
}

/** Replaces uids, hashes and random ends of names in a text. */
function hiding(objects: readonly ApiObject[]): (text: string) => string {
  const shown = new Map<string, string>();
  for (const object of objects) {
    const { kind, metadata = {} } = object;
    const { name = "", uid = "", labels = {}, generateName, ownerReferences = [] } = metadata;
    shown.set(uid, `{uid of ${kind}}`);
    const hash = kind === "ReplicaSet" ? labels["pod-template-hash"] : undefined;
    if (hash !== undefined) shown.set(hash, digest((object as Read).spec?.template, hash));
    if (kind === "ControllerRevision") shown.set(name.split("-").at(-1) ?? "", digest((object as Read).data));
    const isMember = ownerReferences.some((owner) => owner.kind === "StatefulSet");
    if (kind === "Pod" && generateName !== undefined && !isMember) shown.set(name, `${generateName}?`);
  }
  // Names before the hashes in them, which are in what is shown for names too.
  const pairs = [...shown].sort(([a], [b]) => b.length - a.length);
  return (text) => {
    let hidden = text.replaceAll(/kube-api-access-\w{5}/g, "kube-api-access-?");
    for (const [one, other] of pairs) hidden = hidden.replaceAll(one, other);
    return hidden.replaceAll(/pods \\"([\w{}: -]+-)\w{5}\\"/g, 'pods \\"$1?\\"');
  };
}

/** Of what is hashed, without its hash: which image it has, and a digest of the rest. */
function digest(value: unknown, hash?: string): string {
  const text = flat(value)
    .filter((field) => hash === undefined || !field.includes(hash))
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

interface Text {
  readonly name: string;
  readonly fields: readonly string[];
}

/** Objects whose masked names are the same get numbers, in the order of their fields. */
function numbered(texts: readonly Text[]): Text[] {
  const keyOf = ({ name, fields }: Text): string => `${name}\n${fields.join("\n")}`;
  const sorted = [...texts].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  const counts = new Map<string, number>();
  return sorted.map((one) => {
    const count = (counts.get(one.name) ?? 0) + 1;
    counts.set(one.name, count);
    return { ...one, name: one.name.endsWith("?") ? `${one.name}${count}` : one.name };
  });
}
