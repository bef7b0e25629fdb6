import type { Release, ResourceFacts } from "../../api/facts/index.js";
import { storedVersionOf } from "../../api/facts/stored-version.js";
import type { GroupVersionKind } from "../../machinery/meta/gvk.js";
import type { Scheme } from "../../machinery/scheme/scheme.js";
import { type ResourceRecord, recordId, type StorageRecord } from "../endpoints/resource-record.js";
import type { ObjectSource } from "../registry/plain-objects/object-source.js";
import type { OwnKind } from "./own-types.js";

/** A resource as the registry has it installed: a built-in one, or one that a {@link ResourceDefinition} describes. */
export interface Installation {
  readonly group: string;
  /** The plural. */
  readonly resource: string;
  /** The versions that are served, preferred first. */
  readonly versions: readonly ResourceFacts[];
  readonly record: ResourceRecord | undefined;
  /** The code of the resource's own that keeps its objects. Absent: the server's storage does. */
  readonly source?: ObjectSource;
  /** Knows every version of the kind, those that are only stored too. */
  readonly scheme: Scheme;
  /** The kinds that the resource brings: none for a built-in one. */
  readonly kinds: readonly OwnKind[];
  /** The version that objects are stored in, where it is not the hub: the hub is an internal version, or one that an older server does not know. */
  readonly storedAs?: GroupVersionKind;
}

/** Makes the id of a resource: "<group>/<resource>"; "/pods" for the core group. */
export const installationId = ({ group, resource }: Pick<Installation, "group" | "resource">): string =>
  `${group}/${resource}`;

/** Thrown for a resource that is invalid, or cannot be removed: the message names it and the reason. Nothing of the same call takes effect. */
export class InvalidResourceError extends Error {
  override readonly name = "InvalidResourceError";

  constructor(resource: string, reason: string, act: "installed" | "removed" = "installed") {
    super(`resource ${resource} cannot be ${act}: ${reason}`);
  }
}

/** Prepares the built-in resources that are served for the registry, each with the record of its rules. */
export function builtInInstallations(
  release: Release,
  served: readonly ResourceFacts[],
  records: readonly ResourceRecord[],
  scheme: Scheme,
): readonly Installation[] {
  const recordsById = new Map(records.map((record) => [recordId(record), record]));
  const versions = new Map<string, ResourceFacts[]>();
  for (const facts of served) {
    const id = installationId({ group: facts.group, resource: facts.name });
    const known = versions.get(id);
    if (known === undefined) versions.set(id, [facts]);
    else known.push(facts);
  }
  return [...versions].map(([id, facts]) => ({
    group: facts[0]?.group ?? "",
    resource: facts[0]?.name ?? "",
    versions: facts,
    ...recorded(recordsById.get(id)),
    ...storedAs(release, facts[0], scheme),
    scheme,
    kinds: [],
  }));
}

function storedAs(release: Release, facts: ResourceFacts | undefined, scheme: Scheme): Pick<Installation, "storedAs"> {
  if (facts?.storageVersionHash === undefined) return {};
  const { hub } = scheme.kind(facts);
  const version = storedVersionOf(release, facts);
  // Events of both groups are stored as those of the core group.
  if (hub.group !== facts.group || version === hub.version) return {};
  return { storedAs: { ...hub, version } };
}

function recorded(record: ResourceRecord | undefined): Pick<Installation, "record" | "source"> {
  const source = sourceOf(record?.storage);
  return { record, ...(source && { source }) };
}

/** The source in a record; if the record has a function, each call makes a new source. */
export function sourceOf(storage: StorageRecord | undefined): ObjectSource | undefined {
  const { objects } = storage ?? {};
  return typeof objects === "function" ? objects() : objects;
}
