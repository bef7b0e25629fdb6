import {
  type CallEstimate,
  type EstimateCall,
  type EstimatedNode,
  fixed,
  MOST,
  ONE,
  product,
  type Range,
  scaled,
  sum,
} from "../estimate/call-estimate.js";
import { PER_CHARACTER, PER_PATTERN_CHARACTER } from "../evaluator/cost.js";
import { OPERATOR } from "../operators.js";
import { CIDR_TYPE, IP_TYPE } from "./net.js";
import { FORMAT_TYPE } from "./formats.js";
import { CHECK_COST } from "./runtime-cost.js";
import { URL_TYPE } from "./urls.js";

const traversal = (size: Range, times = 1): Range => scaled(size, times * PER_CHARACTER);

/** Goes through an argument. */
const parsing =
  (times = 1): EstimateCall =>
  ({ args, sizeOf }) => ({ cost: traversal(sizeOf(args[0]), times) });

/** Goes through a text, and makes one that is as long. */
const rewriting: EstimateCall = ({ args, sizeOf }) => {
  const size = sizeOf(args[0]);
  return { cost: traversal(size), resultSize: size };
};

/** Compares the elements of a list with each other, or with something; strings are gone through. */
const comparing: EstimateCall = ({ args: [list], sizeOf, elementOf }) => {
  const element = list && elementOf(list);
  if (element === undefined) return { cost: traversal(sizeOf(list)) };
  const isText = element.type.kind === "string" || element.type.kind === "bytes";
  return { cost: product(sizeOf(list), isText ? sum(ONE, traversal(sizeOf(element))) : ONE) };
};

/** {@link comparing} of what may be a list or any other value, which is taken for a list (K37-241). */
const including: EstimateCall = (call) => {
  const [target] = call.args;
  if (target !== undefined && call.elementOf(target) !== undefined) return comparing(call);
  return { cost: call.sizeOf(target) };
};

const replacing: EstimateCall = ({ args: [text, old, by], sizeOf }) => {
  const size = sizeOf(text);
  return { cost: traversal(size, 2), resultSize: replacedSize(size, sizeOf(old), sizeOf(by)) };
};

/** The shortest and the longest text that a replacement can make. */
function replacedSize(text: Range, old: Range, by: Range): Range {
  return {
    min: sizeWith(text.min, old.max, by.min, by.min >= old.max),
    max: sizeWith(text.max, old.min, by.max, by.max <= old.min),
  };
}

/** The size with as many replacements as there can be; an empty text is found around every character. `stays`: replacing changes it only the wrong way. */
function sizeWith(size: number, old: number, by: number, stays: boolean): number {
  if (old === 0) return Math.min(Math.min(size + 1, MOST) * by + size, MOST);
  return stays ? size : Math.min(Math.ceil(size / old) * by, MOST);
}

const splitting: EstimateCall = ({ args: [text, , limit], sizeOf }) => {
  const size = sizeOf(text);
  return { cost: traversal(size, 2), resultSize: { min: 0, max: writtenLimit(limit) ?? size.max } };
};

/** The limit that is written in the expression; a negative one is none. */
function writtenLimit(node: EstimatedNode | undefined): number | undefined {
  const value = node?.expr?.kind === "literal" ? node.expr.value : undefined;
  if (typeof value !== "number" && typeof value !== "bigint") return undefined;
  return value < 0 ? MOST : Number(value);
}

const joining: EstimateCall = ({ args: [list, separator], sizeOf, elementOf }) => {
  const count = sizeOf(list);
  const element = list && elementOf(list);
  const elements = element === undefined ? fixed(0) : product(count, sizeOf(element));
  const separators = { min: Math.max(count.min - 1, 0), max: Math.max(count.max - 1, 0) };
  const size = separator === undefined ? elements : sum(elements, product(sizeOf(separator), separators));
  return { cost: traversal(size), resultSize: size };
};

/** At worst every character is a match. */
const finding: EstimateCall = ({ args: [text, pattern], sizeOf }) => {
  const size = sizeOf(text);
  const cost = product(traversal(sum(size, ONE)), scaled(sizeOf(pattern), PER_PATTERN_CHARACTER));
  return { cost, resultSize: { min: 0, max: size.max } };
};

/** A list of requirements is made of a selector, each a struct and a list; the shortest requirement has two characters. */
const selecting: EstimateCall = ({ args, sizeOf }) => {
  const size = sizeOf(args[1]);
  return { cost: sum(fixed(10), traversal(size), scaled(scaled(size, 0.5), 50)) };
};

/** The bytes of an address. */
const ADDRESS: Range = { min: 4, max: 16 };
const COMPARED = traversal(sum(ADDRESS, ADDRESS));
const MASKED = sum(traversal(ADDRESS), ONE);

/** Compares an address or a network with a network; a text is parsed first. */
const containing =
  (base: Range): EstimateCall =>
  ({ overload, args, sizeOf }) => ({
    cost: overload.endsWith("_string") ? sum(base, traversal(sizeOf(args[1]))) : base,
  });

/** The longest pattern of a format. */
const FORMAT_PATTERN = 128;

const validating: EstimateCall = ({ args, sizeOf }) => ({
  cost: scaled(traversal(sizeOf(args[1])), FORMAT_PATTERN * PER_PATTERN_CHARACTER),
});

/** The longest name of a format. */
const FORMAT_NAME = 64;

/** Of two values of one of Kubernetes' types; other values are compared as in cel-go. */
const equality: EstimateCall = ({ args: [a, b] }): CallEstimate | undefined => {
  if (a === undefined || b === undefined || !a.type.is(b.type)) return undefined;
  const { kind, name } = a.type;
  if (a.type.is(FORMAT_TYPE)) return { cost: traversal({ min: 1, max: FORMAT_NAME }) };
  if (a.type.is(URL_TYPE)) return { cost: traversal({ min: 1, max: b.size?.max ?? 1 }) };
  if (a.type.is(IP_TYPE) || a.type.is(CIDR_TYPE)) return { cost: ONE };
  return kind === "struct" && name.startsWith("kubernetes.") ? { cost: ONE } : undefined;
};

/** Functions that go through their first argument once. */
const PARSERS = ["cidr", "isCIDR", "isIP", "isQuantity", "isSemver", "quantity", "semver"];
const REWRITERS = ["jsonpatch.escapeKey", "lowerAscii", "substring", "trim", "upperAscii", "url"];
const COMPARERS = ["indexOf", "isSorted", "lastIndexOf", "max", "min", "sum"];

/** By the names of functions, whatever is called. What is not here costs 1, or what cel-go says. */
const ESTIMATES: ReadonlyMap<string, EstimateCall> = new Map<string, EstimateCall>([
  ["check", () => ({ cost: fixed(CHECK_COST) })],
  ["fieldSelector", selecting],
  ["labelSelector", selecting],
  ...COMPARERS.map((name): [string, EstimateCall] => [name, comparing]),
  ["includes", including],
  ...REWRITERS.map((name): [string, EstimateCall] => [name, rewriting]),
  ...PARSERS.map((name): [string, EstimateCall] => [name, parsing()]),
  ["ip", (call) => (call.overload === "cidr_ip" ? undefined : parsing()(call))],
  ["ip.isCanonical", parsing(2)],
  ["replace", replacing],
  ["split", splitting],
  ["join", joining],
  ["find", finding],
  ["findAll", finding],
  ["containsIP", containing(COMPARED)],
  ["containsCIDR", containing(sum(COMPARED, MASKED))],
  ["validate", validating],
  [OPERATOR.equals, equality],
]);

/** Estimates the cost of calls where Kubernetes defines it. Source: apiserver's cel/library/cost.go. */
export const estimateKubernetesCall: EstimateCall = (call) => ESTIMATES.get(call.name)?.(call);
