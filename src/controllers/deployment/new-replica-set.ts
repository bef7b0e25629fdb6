import type { Deployment, ReplicaSet } from "../../api/types/apps/v1.js";
import type { PodTemplateSpec } from "../../api/types/core/v1.js";
import { type ControllerKind, controllerReference } from "../owned-pods/controller-ref.js";
import { podTemplateHash } from "../template-hash/template-hash.js";
import { newSetAnnotations, sizeAnnotations } from "./annotations.js";
import { newSetSize } from "./fenceposts.js";
import { HASH_LABEL } from "./replica-sets.js";

/** The set of a template that the Deployment has had no set for. Its name and label have the template's hash. */
export function newReplicaSet(
  deployment: Deployment,
  { owner, old, revision }: { owner: ControllerKind; old: readonly ReplicaSet[]; revision: number },
): ReplicaSet {
  const { name = "", namespace } = deployment.metadata ?? {};
  const { selector = {}, minReadySeconds = 0, template: wanted = {} } = deployment.spec ?? {};
  const hash = podTemplateHash(wanted, deployment.status?.collisionCount);
  const labels = { ...wanted.metadata?.labels, [HASH_LABEL]: hash };
  const template: PodTemplateSpec = { ...wanted, metadata: { ...wanted.metadata, labels } };
  const spec = {
    replicas: 0,
    ...(minReadySeconds > 0 && { minReadySeconds }),
    selector: { ...selector, matchLabels: { ...selector.matchLabels, [HASH_LABEL]: hash } },
    template,
  };
  const metadata = {
    name: `${name}-${hash}`,
    ...(namespace !== undefined && { namespace }),
    labels,
    ownerReferences: [controllerReference(owner, deployment)],
  };
  const set: ReplicaSet = { apiVersion: "apps/v1", kind: "ReplicaSet", metadata, spec };
  const annotations = { ...newSetAnnotations(deployment, set, revision), ...sizeAnnotations(deployment) };
  const replicas = newSetSize(deployment, [...old, set], set);
  return { ...set, metadata: { ...metadata, annotations }, spec: { ...spec, replicas } };
}
