import type { Quantity } from "../../api/types/meta/v1.js";
import type { Container, EphemeralContainer, ResourceList } from "../../api/types/core/v1.js";
import {
  number,
  object,
  objects,
  type OrAbsent,
  quantityText,
  type Received,
  text,
} from "../../machinery/meta/received.js";
import { compareQuantities, parseQuantity, quantityValue } from "../../machinery/text/quantity/quantity.js";
import type { ContainerRecord } from "./container-record.js";
import type { Condition } from "./status/pod-conditions.js";
import type { PodContext } from "./pod-context.js";
import { stopContainer } from "./stop-containers.js";

type Amounts = OrAbsent<Received<ResourceList>>;

/** The result of comparing a pod's resources with those of its new spec. */
export interface Resize {
  /** Whether a container is to have other resources than before. */
  readonly isWanted: boolean;
  /** Says why the node can never do it. */
  readonly pending?: Condition;
}

/**
 * Applies changed images and resources of the pod's spec to its containers. A container with another image restarts; one with
 * other resources does so if its resize policy requires it. A resize that the node can never do is not applied.
 */
export function changeContainers(records: readonly ContainerRecord[], context: PodContext): Resize {
  const { spec } = context.pod();
  const containers = { main: objects(object(spec).containers), init: objects(object(spec).initContainers) };
  const changes = records.flatMap((record) => {
    const next =
      record.kind === "ephemeral" ? undefined : containers[record.kind].find(({ name }) => name === record.name);
    return next === undefined ? [] : [{ record, next, resized: resizedNames(record.spec, next) }];
  });
  const isWanted = changes.some(({ resized }) => resized.length > 0);
  const lacks = isWanted ? infeasible(changes, context) : undefined;
  for (const { record, next, resized } of changes) {
    const { spec: before } = record;
    record.spec = lacks === undefined ? next : { ...next, resources: before.resources };
    if (record.running === undefined) continue;
    if (text(before.image) !== text(next.image)) restart(record, "definition changed, will be restarted", context);
    else if (lacks === undefined && needsRestart(next, resized)) restart(record, "resize requires restart", context);
  }
  if (lacks === undefined) return { isWanted };
  return { isWanted, pending: { type: "PodResizePending", status: "True", reason: "Infeasible", message: lacks } };
}

function restart(record: ContainerRecord, why: string, context: PodContext): void {
  const { terminationGracePeriodSeconds } = object(context.pod().spec);
  record.mustRestart = true;
  const request = { graceSeconds: number(terminationGracePeriodSeconds), message: `Container ${record.name} ${why}` };
  stopContainer(record, request, context).catch(context.parts.report);
}

/** The resources of which a container requests or may use another amount than before. */
function resizedNames(
  before: Received<Container | EphemeralContainer>,
  next: Received<Container | EphemeralContainer>,
): readonly string[] {
  const [old, now] = [object(before.resources), object(next.resources)];
  const lists = [old.requests, old.limits, now.requests, now.limits].map((amounts) => object(amounts));
  const names = new Set(lists.flatMap((one) => Object.keys(one)));
  const same = (name: string, one: Amounts, two: Amounts): boolean => {
    const [a, b] = [quantityText(object(one)[name]), quantityText(object(two)[name])];
    return a === b || (a !== "" && b !== "" && compareQuantities(parseQuantity(a), parseQuantity(b)) === 0);
  };
  return [...names].filter((name) => !same(name, old.requests, now.requests) || !same(name, old.limits, now.limits));
}

const needsRestart = (
  { resizePolicy }: Received<Container | EphemeralContainer>,
  resized: readonly string[],
): boolean =>
  objects(resizePolicy).some(
    (one) => one.restartPolicy === "RestartContainer" && resized.includes(text(one.resourceName)),
  );

/** Why the node can never have the resources that containers and sidecars of the pod request together; undefined where it can. */
function infeasible(
  changes: readonly { readonly record: ContainerRecord; readonly next: Received<Container | EphemeralContainer> }[],
  { parts }: PodContext,
): string | undefined {
  const running = changes.filter(({ record }) => record.kind === "main" || record.isSidecar);
  for (const [name, scale] of [
    ["cpu", -3],
    ["memory", 0],
  ] as const) {
    const amount = (quantity: OrAbsent<Quantity>): bigint =>
      quantityValue(parseQuantity(quantityText(quantity) || "0"), scale);
    const requested = running.map(({ next }) => amount(object(object(next.resources).requests)[name]));
    const total = requested.reduce((sum, one) => sum + one, 0n);
    const capacity = amount(parts.capacity[name]);
    if (total > capacity)
      return `Node didn't have enough capacity: ${name}, requested: ${total}, capacity: ${capacity}`;
  }
  return undefined;
}
