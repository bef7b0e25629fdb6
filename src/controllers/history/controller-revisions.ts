import type { FieldsOf } from "../../machinery/meta/received.js";
import type { ControllerRevision } from "../../api/types/apps/v1.js";
import type { PodTemplateSpec } from "../../api/types/core/v1.js";
import { compareKeys } from "../../base/collections/key-order.js";
import type { ResourceClient } from "../../client/dynamic/resource-client.js";
import { isAlreadyExists, isNotFound } from "../../machinery/errors/status-error.js";
import type { JsonObject } from "../../machinery/meta/json.js";
import type { ObjectMeta, ApiObject } from "../../machinery/meta/object.js";
import { type ControllerKind, controllerReference } from "../owned-pods/controller-ref.js";
import { hasData } from "./revision-data.js";

export const REVISION = { apiVersion: "apps/v1", kind: "ControllerRevision" } as const satisfies FieldsOf<ApiObject>;

/** A name and a hash together are no longer than a name may be. */
const PREFIX_CHARACTERS = 223;

/** Sorts ControllerRevisions, the lowest revision first. */
export function inRevisionOrder(revisions: readonly ControllerRevision[]): ControllerRevision[] {
  const created = ({ metadata }: ControllerRevision): number => Date.parse(metadata?.creationTimestamp ?? "") || 0;
  return [...revisions].sort(
    (a, b) => (a.revision ?? 0) - (b.revision ?? 0) || created(a) - created(b) || compareKeys(nameOf(a), nameOf(b)),
  );
}

export const nextRevision = (sorted: readonly ControllerRevision[]): number => (sorted.at(-1)?.revision ?? 0) + 1;

export interface NewRevision {
  readonly owner: ApiObject;
  readonly ownerKind: ControllerKind;
  readonly template: PodTemplateSpec;
  readonly data: JsonObject;
  readonly revision: number;
  /** The label that says the hash. */
  readonly hashLabel: string;
  readonly hash: string;
}

/** Makes the ControllerRevision of an object's template, with the object's annotations and the template's labels. */
export function controllerRevision(wanted: NewRevision): ControllerRevision {
  const { owner, ownerKind, template, data, revision, hashLabel, hash } = wanted;
  const { namespace, annotations } = owner.metadata ?? {};
  return {
    ...REVISION,
    metadata: {
      name: revisionName(owner, hash),
      ...(namespace !== undefined && ({ namespace } satisfies FieldsOf<ObjectMeta>)),
      ...(annotations && ({ annotations } satisfies FieldsOf<ObjectMeta>)),
      labels: { ...template.metadata?.labels, [hashLabel]: hash },
      ownerReferences: [controllerReference(ownerKind, owner)],
    },
    data,
    revision,
  };
}

export function revisionName({ metadata }: ApiObject, hash: string): string {
  return `${(metadata?.name ?? "").slice(0, PREFIX_CHARACTERS)}-${hash}`;
}

/** Creates the revision. Answers one that has its name and its data already; undefined when the name has other data. */
export async function createRevision(
  revisions: ResourceClient<ControllerRevision>,
  wanted: ControllerRevision,
): Promise<ControllerRevision | undefined> {
  try {
    return await revisions.create(wanted);
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    const found = await revisions.get(nameOf(wanted));
    return hasData(found, wanted.data as JsonObject) ? found : undefined;
  }
}

/** Deletes the oldest revisions that are not live until at most `limit` of them are left. */
export async function truncateHistory(
  revisions: ResourceClient<ControllerRevision>,
  sorted: readonly ControllerRevision[],
  { live, limit }: { readonly live: ReadonlySet<string>; readonly limit: number },
): Promise<void> {
  const former = sorted.filter((revision) => !live.has(nameOf(revision)));
  for (const revision of former.slice(0, Math.max(0, former.length - limit))) {
    try {
      await revisions.delete(nameOf(revision));
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
}

export const nameOf = ({ metadata }: ControllerRevision): string => metadata?.name ?? "";
