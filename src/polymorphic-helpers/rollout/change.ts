import type { FieldsOf } from "../../machinery/meta/received.js";
import type { PodTemplateSpec } from "../../api/types/core/v1.js";
import type { DeploymentSpec, Deployment } from "../../api/types/apps/v1.js";
import { type Fields, isFields, object } from "../../machinery/meta/access.js";
import type { GroupKind } from "../../machinery/meta/gvk.js";
import type { ApiObject, ObjectMeta, KubeObject } from "../../machinery/meta/object.js";

// It changes objects of several kinds and versions by their common fields, which stay untyped.

/** Returns the object after a change; the given object is not modified. Throws an error whose text continues after the object's name. */
export type Change = (kind: GroupKind, object: KubeObject, now: Date) => KubeObject;

const RESTARTED_AT = "kubectl.kubernetes.io/restartedAt";

export const pause: Change = (kind, deployment) => {
  if (!isDeployment(kind)) throw new Error("pausing is not supported");
  if (isPaused(deployment)) throw new Error("is already paused");
  return withSpec(deployment, { paused: true } satisfies FieldsOf<DeploymentSpec>);
};

export const resume: Change = (kind, deployment) => {
  if (!isDeployment(kind)) throw new Error("resuming is not supported");
  if (!isPaused(deployment)) throw new Error("is not paused");
  return withSpec(deployment, { paused: undefined } satisfies FieldsOf<DeploymentSpec>);
};

/** Changes the pod template by a timestamp in its annotations, which starts another rollout. */
export const restart: Change = (kind, changed, now) => {
  const rolledOut =
    isDeployment(kind) ||
    (isApps(kind) && kind.kind === "DaemonSet") ||
    (kind.group === "apps" && kind.kind === "StatefulSet");
  if (!rolledOut) throw new Error("restarting is not supported");
  if (isDeployment(kind) && isPaused(changed)) {
    throw new Error("can't restart paused deployment (run rollout resume first)");
  }
  const { spec }: FieldsOf<Deployment> = changed;
  const { template: given }: FieldsOf<DeploymentSpec> = object(spec);
  const template: FieldsOf<ApiObject> = object(given);
  const metadata: FieldsOf<ObjectMeta> = object(template.metadata);
  const annotations = { ...object(metadata.annotations), [RESTARTED_AT]: localTime(now) };
  return withSpec(changed, {
    template: {
      ...template,
      metadata: { ...metadata, annotations } satisfies FieldsOf<ObjectMeta>,
    } satisfies FieldsOf<PodTemplateSpec>,
  } satisfies FieldsOf<DeploymentSpec>);
};

const isApps = ({ group }: GroupKind): boolean => group === "apps" || group === "extensions";
const isDeployment = (kind: GroupKind): boolean => isApps(kind) && kind.kind === "Deployment";
const isPaused = ({ spec }: FieldsOf<Deployment>): boolean => {
  const { paused }: FieldsOf<DeploymentSpec> = object(spec);
  return paused === true;
};

/** Fields that are undefined are taken out. */
function withSpec(changed: KubeObject, fields: Fields): KubeObject {
  const spec: Fields = { ...(isFields(changed.spec) ? changed.spec : {}), ...fields };
  for (const [field, value] of Object.entries(fields)) if (value === undefined) delete spec[field];
  return { ...changed, spec } satisfies FieldsOf<Deployment>;
}

/** Formats a time in RFC 3339, with whole seconds, `offset` minutes east of Greenwich; default: in the zone of this machine. */
export function localTime(now: Date, offset = -now.getTimezoneOffset()): string {
  const local = new Date(now.getTime() + offset * 60_000).toISOString().slice(0, 19);
  if (offset === 0) return `${local}Z`;
  const pad = (value: number): string => String(value).padStart(2, "0");
  const minutes = Math.abs(offset);
  return `${local}${offset < 0 ? "-" : "+"}${pad(Math.floor(minutes / 60))}:${pad(minutes % 60)}`;
}
