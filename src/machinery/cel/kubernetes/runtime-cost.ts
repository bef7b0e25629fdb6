import {
  type CallCost,
  type CostOf,
  OVERLOAD_COSTS,
  PER_CHARACTER,
  PER_PATTERN_CHARACTER,
  sizeOf,
} from "../evaluator/cost.js";
import { OPERATOR } from "../operators.js";
import { ListValue } from "../values/list.js";
import { MapValue } from "../values/map.js";
import { spendSteps } from "../values/meter.js";
import { NativeObject } from "../values/native.js";
import type { Value } from "../values/value.js";
import { NamedFormat } from "./formats.js";
import { KubernetesValue } from "./kubernetes-value.js";

/** The cost of a call of `check`: at most two fit into the limit of one evaluation. */
export const CHECK_COST = 350_000;

const constant =
  (cost: number): CallCost =>
  () =>
    cost;

/** Going through the first argument, `times` over. */
const traversal =
  (times = 1): CallCost =>
  ([text]) =>
    traversed(sizeOf(text) * times);

const traversed = (size: number): number => Math.ceil(size * PER_CHARACTER);

function matching(text: Value | undefined, patternSize: number): number {
  return Math.ceil((1 + sizeOf(text)) * PER_CHARACTER) * Math.ceil(patternSize * PER_PATTERN_CHARACTER);
}

/** Going through a value with all that is in it. A string counts its bytes. */
function wholeTraversal(value: Value): number {
  spendSteps(1);
  if (typeof value === "string") return Math.floor(Buffer.byteLength(value) * PER_CHARACTER);
  if (value instanceof Uint8Array) return Math.floor(value.length * PER_CHARACTER);
  if (value instanceof ListValue) return total(value.toArray().map(wholeTraversal));
  if (value instanceof NativeObject) return nativeTraversal(value.native);
  if (!(value instanceof MapValue)) return 1;
  return total(Array.from(value.keys(), (key) => wholeTraversal(key) + wholeTraversal(value.get(key) as Value)));
}

/** The same of what a decoded object holds. */
function nativeTraversal(native: unknown): number {
  if (typeof native === "string") return wholeTraversal(native);
  spendSteps(1);
  if (Array.isArray(native)) return total(native.map(nativeTraversal));
  if (typeof native !== "object" || native === null) return 1;
  return total(Object.entries(native).map(([key, value]) => wholeTraversal(key) + nativeTraversal(value)));
}

const total = (costs: readonly number[]): number => costs.reduce((sum, cost) => sum + cost, 0);

/** Selectors are parsed into a list of requirements, each a struct and a list; the shortest requirement has two characters. */
const selector: CallCost = ([, text]) => {
  const size = sizeOf(text);
  return 10 + traversed(size) + Math.ceil(size * 0.5) * 50;
};

/** Comparing an address with a network, whose bytes are gone through `times` over. */
function contained(times: number): CallCost {
  return ([network]) => traversed(2 * sizeOf(network)) + (times === 3 ? traversed(sizeOf(network)) + 1 : 0);
}

/** The same with an address or a network that is a text, which is parsed first. */
function containedText(cost: CallCost): CallCost {
  return (args, result) => cost(args, result) + traversed(sizeOf(args[1]));
}

const containsIp = contained(2);
const containsCidr = contained(3);

/** Functions that go through their first argument once. */
const PARSERS: readonly string[] = [
  "cidr",
  "ip",
  "isCIDR",
  "isIP",
  "isQuantity",
  "isSemver",
  "jsonpatch.escapeKey",
  "lowerAscii",
  "quantity",
  "semver",
  "substring",
  "trim",
  "upperAscii",
  "url",
];

/** Costs of functions, whatever is called: Kubernetes goes by the name alone. */
const BY_NAME: ReadonlyMap<string, CallCost> = new Map<string, CallCost>([
  ["check", constant(CHECK_COST)],
  ...["fieldSelector", "labelSelector"].map((name) => [name, selector] as const),
  ...["isSorted", "sum", "max", "min", "indexOf", "lastIndexOf", "includes"].map(
    (name) => [name, ([list]) => wholeTraversal(list as Value)] as [string, CallCost],
  ),
  ...PARSERS.map((name) => [name, traversal()] as const),
  ...["replace", "split", "ip.isCanonical"].map((name) => [name, traversal(2)] as const),
  ["join", (_args, result) => traversed(sizeOf(result) * 2)],
  ...["find", "findAll"].map(
    (name) => [name, ([text, pattern]) => matching(text, sizeOf(pattern))] as [string, CallCost],
  ),
  ["validate", ([format, text]) => (format instanceof NamedFormat ? matching(text, format.patternSize) : 1)],
  ["containsIP", containsIp],
  ["containsCIDR", containsCidr],
  // Values of Kubernetes' types are compared at the cost of 1, whatever their size.
  [OPERATOR.equals, (args, result) => (args[0] instanceof KubernetesValue ? 1 : equalityCost(args, result))],
]);

/** Costs of the overloads that differ from what their function's name says. */
const BY_OVERLOAD: ReadonlyMap<string, CallCost> = new Map<string, CallCost>([
  ["cidr_ip", constant(1)],
  ["cidr_contains_ip_string", containedText(containsIp)],
  ["cidr_contains_cidr_string", containedText(containsCidr)],
]);

const equalityCost = OVERLOAD_COSTS.get("equals") ?? constant(1);

/** Looks up the cost of calls where Kubernetes defines it; all others have cel-go's. Source: apiserver's cel/library/cost.go. */
export const kubernetesCostOf: CostOf = (name, overload) => {
  if (overload !== undefined && BY_OVERLOAD.has(overload)) return BY_OVERLOAD.get(overload);
  return BY_NAME.get(name);
};
