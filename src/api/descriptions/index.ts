import { createHash } from "node:crypto";
import admissionregistration from "./admissionregistration.json" with { type: "json" };
import apiextensions from "./apiextensions.json" with { type: "json" };
import apiregistration from "./apiregistration.json" with { type: "json" };
import apiserverinternal from "./apiserverinternal.json" with { type: "json" };
import apps from "./apps.json" with { type: "json" };
import authentication from "./authentication.json" with { type: "json" };
import authorization from "./authorization.json" with { type: "json" };
import autoscaling from "./autoscaling.json" with { type: "json" };
import batch from "./batch.json" with { type: "json" };
import certificates from "./certificates.json" with { type: "json" };
import coordination from "./coordination.json" with { type: "json" };
import core from "./core.json" with { type: "json" };
import discovery from "./discovery.json" with { type: "json" };
import events from "./events.json" with { type: "json" };
import flowcontrol from "./flowcontrol.json" with { type: "json" };
import lifecycle from "./lifecycle.json" with { type: "json" };
import meta from "./meta.json" with { type: "json" };
import networking from "./networking.json" with { type: "json" };
import node from "./node.json" with { type: "json" };
import policy from "./policy.json" with { type: "json" };
import rbac from "./rbac.json" with { type: "json" };
import resource from "./resource.json" with { type: "json" };
import scheduling from "./scheduling.json" with { type: "json" };
import storage from "./storage.json" with { type: "json" };
import storagemigration from "./storagemigration.json" with { type: "json" };
import { describedAt, type DescriptionsFile, EVERY_KIND, EVERY_LIST } from "./file-of.js";

/** By the names of the files. OpenAPI and explain load them, nothing else does. */
const files: Readonly<Record<string, DescriptionsFile>> = {
  admissionregistration,
  apiextensions,
  apiregistration,
  apiserverinternal,
  apps,
  authentication,
  authorization,
  autoscaling,
  batch,
  certificates,
  coordination,
  core,
  discovery,
  events,
  flowcontrol,
  lifecycle,
  meta,
  networking,
  node,
  policy,
  rbac,
  resource,
  scheduling,
  storage,
  storagemigration,
};

/** What fields of a definition are described by, the narrowest first; by the definition and whether it is a kind's. */
const known = new Map<string, readonly Readonly<Record<string, string>>[]>();

/**
 * What a type means ("io.k8s.api.core.v1.PodSpec"), or one of its fields; undefined for what is not Kubernetes' own. A sentence or a
 * few, without markup. `isKind` says whether the type is that of a kind, whose apiVersion, kind and metadata all kinds share.
 */
export function descriptionOf(definition: string, field: string, isKind: boolean): string | undefined {
  const key = `${definition} ${isKind}`;
  let entries = known.get(key);
  if (entries === undefined) {
    entries = entriesOf(definition, isKind);
    known.set(key, entries);
  }
  return entries.find((entry) => Object.hasOwn(entry, field))?.[field];
}

/** The description of a field that all kinds have (apiVersion, kind, metadata) or all lists; undefined for another field. */
export function commonDescriptionOf(of: "kind" | "list", field: string): string | undefined {
  const shared = files["meta"]?.[of === "list" ? EVERY_LIST : EVERY_KIND] ?? {};
  return Object.hasOwn(shared, field) ? shared[field] : undefined;
}

let digest: string | undefined;

/** A digest that changes with any description. */
export function descriptionsDigest(): string {
  digest ??= createHash("sha256").update(JSON.stringify(files)).digest("hex");
  return digest;
}

function entriesOf(definition: string, isKind: boolean): readonly Readonly<Record<string, string>>[] {
  const at = describedAt(definition);
  const file = at === undefined || !Object.hasOwn(files, at.file) ? undefined : files[at.file];
  if (at === undefined || file === undefined) return [];
  const own = at.keys.flatMap((key) => (Object.hasOwn(file, key) ? [file[key] ?? {}] : []));
  if (!isKind) return own;
  const shared = files["meta"]?.[definition.endsWith("List") ? EVERY_LIST : EVERY_KIND];
  return shared === undefined ? own : [...own, shared];
}
