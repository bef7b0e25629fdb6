import { dictionary } from "../../base/collections/dictionary.js";
import type { PodSpec } from "../../api/types/core/v1.js";
import { eachContainer } from "../../api/validation/pod/each-container.js";
import { type FieldError, forbiddenField } from "../../machinery/errors/field-error.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { object, type Received } from "../../machinery/meta/received.js";
import { recordId, type ResourceRecord } from "../../server/endpoints/resource-record.js";
import type { SubresourceStrategy } from "../../server/registry/strategy.js";

export interface RecordChanges {
  /** How long objects that expire are kept, in seconds; 0 for ever. */
  readonly eventTtl: number;
  /** Whether pods may have privileged containers. */
  readonly allowPrivileged: boolean;
}

/** Adapts the built-in resources to a server's flags. */
export function adaptRecords(
  records: readonly ResourceRecord[],
  { eventTtl, allowPrivileged }: RecordChanges,
): readonly ResourceRecord[] {
  return records.map((record) => {
    const timed =
      record.strategy?.ttlSeconds === undefined
        ? record
        : { ...record, strategy: { ...record.strategy, ttlSeconds: eventTtl } };
    const path = POD_SPECS[recordId(record)];
    return allowPrivileged || path === undefined ? timed : withoutPrivileged(timed, path);
  });
}

/** Where a kind has the spec of a pod. */
const POD_SPECS: Readonly<Record<string, string>> = dictionary({
  "/pods": "spec",
  "/podtemplates": "template.spec",
  "/replicationcontrollers": "spec.template.spec",
  "apps/daemonsets": "spec.template.spec",
  "apps/deployments": "spec.template.spec",
  "apps/replicasets": "spec.template.spec",
  "apps/statefulsets": "spec.template.spec",
  "batch/cronjobs": "spec.jobTemplate.spec.template.spec",
  "batch/jobs": "spec.template.spec",
});

function withoutPrivileged(record: ResourceRecord, path: string): ResourceRecord {
  const { strategy = {}, subresources = {} } = record;
  const faults = (written: KubeObject): readonly FieldError[] => privilegedFaults(written, path);
  return {
    ...record,
    strategy: {
      ...strategy,
      validate: (written, context) => [...(strategy.validate?.(written, context) ?? []), ...faults(written)],
      validateUpdate: (written, old, context) => [
        ...(strategy.validateUpdate?.(written, old, context) ?? []),
        ...faults(written),
      ],
    },
    subresources: Object.fromEntries(
      Object.entries(subresources).map(([name, subresource]) => [
        name,
        "part" in subresource ? { part: withFaults(subresource.part, faults) } : subresource,
      ]),
    ),
  };
}

const withFaults = (
  part: SubresourceStrategy,
  faults: (written: KubeObject) => readonly FieldError[],
): SubresourceStrategy => ({
  prepare: (draft, old, context) => part.prepare(draft, old, context),
  validate: (written, old, context) => [...part.validate(written, old, context), ...faults(written)],
});

function privilegedFaults(written: KubeObject, path: string): readonly FieldError[] {
  let at: object = written;
  for (const field of path.split(".")) at = object(Reflect.get(at, field));
  return eachContainer(at as Received<PodSpec>, path)
    .filter(([{ securityContext }]) => object(securityContext).privileged === true)
    .map(([, place]) => forbiddenField(`${place}.securityContext.privileged`, "disallowed by cluster policy"));
}
