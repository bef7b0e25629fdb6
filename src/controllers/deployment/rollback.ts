import type { Deployment, ReplicaSet } from "../../api/types/apps/v1.js";
import { lastRevision, revisionOf, ROLLBACK_TO, rolledBackAnnotations } from "./annotations.js";
import { equalIgnoringHash, HASH_LABEL } from "./replica-sets.js";

export interface Rollback {
  /** Without the request to roll back. */
  readonly deployment: Deployment;
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
}

/** The Deployment that was asked, as old clients ask it, to go back to the template of a revision; to the last one by "0". */
export function rollBack(deployment: Deployment, sets: readonly ReplicaSet[]): Rollback {
  const { [ROLLBACK_TO]: asked = "", ...annotations } = deployment.metadata?.annotations ?? {};
  const cleared = { ...deployment, metadata: { ...deployment.metadata, annotations } };
  const notFound = (message: string): Rollback =>
    ({ deployment: cleared, type: "Warning", reason: "DeploymentRollbackRevisionNotFound", message }) as const;
  const revision = Number(asked) || lastRevision(sets);
  if (revision === 0) return notFound("Unable to find last revision.");
  const set = sets.find((one) => revisionOf(one) === revision);
  const template = set?.spec?.template;
  if (set === undefined || template === undefined) return notFound("Unable to find the revision to rollback to.");
  const name = deployment.metadata?.name ?? "";
  if (deployment.spec === undefined || equalIgnoringHash(template, deployment.spec.template)) {
    const message = `The rollback revision contains the same template as current deployment "${name}"`;
    return { deployment: cleared, type: "Warning", reason: "DeploymentRollbackTemplateUnchanged", message };
  }
  const { [HASH_LABEL]: _, ...labels } = template.metadata?.labels ?? {};
  return {
    deployment: {
      ...deployment,
      metadata: { ...deployment.metadata, annotations: rolledBackAnnotations(deployment, set) },
      spec: { ...deployment.spec, template: { ...template, metadata: { ...template.metadata, labels } } },
    },
    type: "Normal",
    reason: "DeploymentRollback",
    message: `Rolled back deployment "${name}" to revision ${revision}`,
  };
}
