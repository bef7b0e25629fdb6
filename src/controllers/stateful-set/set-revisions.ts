import type { ControllerRevision, StatefulSet } from "../../api/types/apps/v1.js";
import { inOrder } from "../../base/async/turns.js";
import type { ResourceClient } from "../../client/dynamic/resource-client.js";
import { controllerRevision, createRevision, nameOf, nextRevision } from "../history/controller-revisions.js";
import { hasData, revisionData, revisionText } from "../history/revision-data.js";
import { revisionHash } from "../template-hash/template-hash.js";
import { STATEFUL_SET } from "./identity.js";

const HASH_LABEL = "controller.kubernetes.io/hash";

export interface SetRevisions {
  /** Which most pods are of, until an update is complete. */
  readonly current: ControllerRevision;
  /** That of the set's template. */
  readonly update: ControllerRevision;
  readonly collisionCount: number;
}

/** Finds the set's revisions; one of a template that came back becomes the newest again, one of a new template is created. */
export async function setRevisions(
  set: StatefulSet,
  sorted: readonly ControllerRevision[],
  revisions: ResourceClient<ControllerRevision>,
): Promise<SetRevisions> {
  const template = set.spec?.template ?? {};
  const data = revisionData(template);
  let collisionCount = set.status?.collisionCount ?? 0;
  const newest = sorted.at(-1);
  const equal = sorted.findLast((one) => hasData(one, data));
  let update: ControllerRevision | undefined = equal;
  if (newest !== undefined && equal !== newest && !hasData(newest, data)) {
    const { keepsTemplate } = await inOrder(import("./same-template.js"));
    if (keepsTemplate(newest, set)) update = newest;
    else if (equal !== undefined) update = await revisions.update({ ...equal, revision: nextRevision(sorted) });
  }
  for (; update === undefined; update === undefined && collisionCount++) {
    const hash = revisionHash(revisionText(data), collisionCount);
    const revision = nextRevision(sorted);
    const wanted = { owner: set, ownerKind: STATEFUL_SET, template, data, revision, hashLabel: HASH_LABEL, hash };
    update = await createRevision(revisions, controllerRevision(wanted));
  }
  const current = sorted.find((one) => nameOf(one) === set.status?.currentRevision);
  return { current: current ?? update, update, collisionCount };
}
