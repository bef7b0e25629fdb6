import type { ControllerRevision, DaemonSet } from "../../api/types/apps/v1.js";
import type { ResourceClient } from "../../client/dynamic/resource-client.js";
import { controllerRevision, createRevision, nameOf, nextRevision } from "../history/controller-revisions.js";
import { hasData, revisionData } from "../history/revision-data.js";
import { podTemplateHash } from "../template-hash/template-hash.js";
import { HASH_LABEL } from "./daemon-pod.js";

export const DAEMON_SET = { apiVersion: "apps/v1", kind: "DaemonSet" } as const;

export interface DaemonRevisions {
  /** That of the set's template. */
  readonly current: ControllerRevision;
  /** In order. */
  readonly old: readonly ControllerRevision[];
}

/** What pods of a revision have as their label; a revision without one gives its name. */
export const hashOf = (revision: ControllerRevision): string =>
  revision.metadata?.labels?.[HASH_LABEL] ?? nameOf(revision);

/**
 * Finds the revision of the set's template, as the newest, or creates it. Undefined when its name is taken by other data: then
 * the set's collision count must grow.
 */
export async function daemonRevisions(
  set: DaemonSet,
  sorted: readonly ControllerRevision[],
  revisions: ResourceClient<ControllerRevision>,
): Promise<DaemonRevisions | undefined> {
  const template = set.spec?.template ?? {};
  const data = revisionData(template);
  const found = sorted.findLast((one) => hasData(one, data));
  const old = sorted.filter((one) => !hasData(one, data));
  const revision = nextRevision(old);
  if (found !== undefined) {
    const current = found.revision < revision ? await revisions.update({ ...found, revision }) : found;
    return { current, old };
  }
  const hash = podTemplateHash(template, set.status?.collisionCount);
  const wanted = { owner: set, ownerKind: DAEMON_SET, template, data, revision, hashLabel: HASH_LABEL, hash };
  const current = await createRevision(revisions, controllerRevision(wanted));
  return current === undefined ? undefined : { current, old };
}
