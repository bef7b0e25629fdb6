import type {
  LimitRange,
  LimitRangeItem,
  PersistentVolumeClaim,
  Pod,
  ResourceList,
  Container,
  PodSpec,
} from "../../../../api/types/core/v1.js";
import { fixedPoint } from "../../../../machinery/cel/extensions/format-number.js";
import {
  compareQuantities,
  formatQuantity,
  parseQuantity,
  type Quantity,
  quantityValue,
} from "../../../../machinery/text/quantity/quantity.js";
import { addUsage, raiseUsage, type Usage, usageOf } from "../../../../api/quota/index.js";
import { type AmountKind, podTotal } from "../../../../api/pods/pod-total.js";

/** Returns an error for each limit of a LimitRange that a pod violates, in kube-apiserver's words and order. */
export function brokenByPod(pod: Pod, { spec }: LimitRange): string[] {
  const containers = [...(pod.spec?.containers ?? []), ...(pod.spec?.initContainers ?? [])];
  return (spec?.limits ?? []).flatMap((item) => {
    if (item.type === "Container") return containers.flatMap((one) => brokenBy(heldByContainer(one), item));
    return item.type === "Pod" ? brokenBy(heldByPod(pod.spec), item) : [];
  });
}

const brokenBy = (held: Held, { type, min, max, maxLimitRequestRatio }: LimitRangeItem): string[] => [
  ...broken(minimum, type, min, held),
  ...broken(maximum, type, max, held),
  ...broken(maximumRatio, type, maxLimitRequestRatio, held),
];

/** Returns an error for each limit of a LimitRange that a claim violates. */
export function brokenByClaim(claim: PersistentVolumeClaim, { spec }: LimitRange): string[] {
  const held = heldByClaim(claim);
  return (spec?.limits ?? [])
    .filter(({ type }) => type === "PersistentVolumeClaim")
    .flatMap(({ type, min, max }) => [...broken(minimum, type, min, held), ...broken(maximumRequest, type, max, held)]);
}

/** What a container, a pod or a claim has of each resource. */
interface Held {
  readonly requests: ReadonlyMap<string, Quantity>;
  readonly limits: ReadonlyMap<string, Quantity>;
}

/** Says in kube-apiserver's words what is wrong with the amounts of one resource; undefined where nothing is. */
type Constraint = (subject: Subject, held: Held) => string | undefined;

interface Subject {
  /** "Container" */
  readonly type: string;
  /** "cpu" */
  readonly name: string;
  readonly enforced: Quantity;
}

/** What breaks the constraints that a range has, each once for a resource, in the order of the resources' names. */
function broken(constraint: Constraint, type: string, enforced: ResourceList = {}, held: Held): string[] {
  return Object.keys(enforced)
    .sort()
    .flatMap((name) => constraint({ type, name, enforced: parseQuantity(String(enforced[name])) }, held) ?? []);
}

const minimum: Constraint = ({ type, name, enforced }, { requests, limits }) => {
  const bound = `minimum ${name} usage per ${type} is ${formatQuantity(enforced)}`;
  const [request, limit] = [requests.get(name), limits.get(name)];
  if (request === undefined) return `${bound}.  No request is specified`;
  if (isLess(request, enforced)) return `${bound}, but request is ${formatQuantity(request)}`;
  return limit !== undefined && isLess(limit, enforced) ? `${bound}, but limit is ${formatQuantity(limit)}` : undefined;
};

const maximum: Constraint = ({ type, name, enforced }, { requests, limits }) => {
  const bound = `maximum ${name} usage per ${type} is ${formatQuantity(enforced)}`;
  const [request, limit] = [requests.get(name), limits.get(name)];
  if (limit === undefined) return `${bound}.  No limit is specified`;
  if (isLess(enforced, limit)) return `${bound}, but limit is ${formatQuantity(limit)}`;
  return request !== undefined && isLess(enforced, request)
    ? `${bound}, but request is ${formatQuantity(request)}`
    : undefined;
};

/** The {@link maximum} of what has no limits. */
const maximumRequest: Constraint = ({ type, name, enforced }, { requests }) => {
  const bound = `maximum ${name} usage per ${type} is ${formatQuantity(enforced)}`;
  const request = requests.get(name);
  if (request === undefined) return `${bound}.  No request is specified`;
  return isLess(enforced, request) ? `${bound}, but request is ${formatQuantity(request)}` : undefined;
};

/** How many times its request a limit may be. */
const maximumRatio: Constraint = ({ type, name, enforced }, { requests, limits }) => {
  const bound = `${name} max limit to request ratio per ${type} is ${formatQuantity(enforced)}`;
  const [request, limit] = [requests.get(name), limits.get(name)];
  if (request === undefined || request.unscaled === 0n) return `${bound}, but no request is specified or request is 0`;
  if (limit === undefined || limit.unscaled === 0n) return `${bound}, but no limit is specified or limit is 0`;
  const ratio = inThousandths(limit) / inThousandths(request);
  if (ratio * 1000 <= inThousandths(enforced)) return undefined;
  return `${bound}, but provided ratio is ${fixedPoint(ratio, 6)}`;
};

/** To a thousandth, as finely as kube-apiserver looks. */
const isLess = (a: Quantity, b: Quantity): boolean =>
  compareQuantities(a, b) < 0 && quantityValue(a, -3) < quantityValue(b, -3);

const inThousandths = (quantity: Quantity): number => Number(quantityValue(quantity, -3));

const heldByContainer = ({ resources }: Container): Held => ({
  requests: usageOf(resources?.requests),
  limits: usageOf(resources?.limits),
});

/** What the containers have together; amounts of the whole pod replace that. Overhead does not count. */
const heldByPod = (spec: PodSpec | undefined): Held => ({
  requests: total(spec, "requests"),
  limits: total(spec, "limits"),
});

/** A claim has no limits, whatever it says. */
const heldByClaim = ({ spec }: PersistentVolumeClaim): Held => ({
  requests: usageOf(spec?.resources?.requests),
  limits: new Map(),
});

const USAGE: AmountKind<Usage> = { none: () => new Map(), add: addUsage, raise: raiseUsage };

function total(spec: PodSpec | undefined, field: "requests" | "limits"): Usage {
  const sum = podTotal(spec, USAGE, ({ resources }) => usageOf(resources?.[field]));
  for (const [name, amount] of usageOf(spec?.resources?.[field])) sum.set(name, amount);
  return sum;
}
