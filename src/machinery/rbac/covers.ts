import { atOnce, type Steps } from "../../base/async/steps.js";
import { Pace } from "../../base/time/pace.js";
import { withoutTrailing } from "../../base/text/without-trailing.js";
import type { PolicyRule } from "./policy-rule.js";

/** The permissions that are missing. */
export interface Missing {
  /** The first of them, each a rule of one permission, in the order of the wanted rules. */
  readonly listed: readonly PolicyRule[];
  /** How many there are. */
  readonly count: number;
}

/** The permissions of `wanted` that none of the rules `held` grants, one permission per rule. */
export function uncovered(held: readonly PolicyRule[], wanted: readonly PolicyRule[]): readonly PolicyRule[] {
  return atOnce(missingSteps(held, wanted, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY)).listed;
}

/** Words of held rules that a comparison may look at. A cluster's own roles need some thousands. */
const MOST_WORK = 20_000_000;

/**
 * {@link uncovered} in steps, with the first `limit` of the permissions. A rule stands for the product of its lists, which a short rule
 * makes of millions: so values that the same held rules name are compared together, and the rest of a comparison that takes more than
 * `work` is counted as missing.
 */
export function* missingSteps(
  held: readonly PolicyRule[],
  wanted: readonly PolicyRule[],
  limit: number,
  work = MOST_WORK,
): Steps<Missing> {
  const index = new HeldRules(held);
  const listed: PolicyRule[] = [];
  const budget = { left: work };
  const pace = new Pace(16);
  let count = 0;
  for (const rule of wanted) {
    if (pace.isDue()) yield;
    for (const dimensions of [index.ofResources(rule), index.ofUrls(rule)]) {
      if (dimensions.some(({ values }) => values.length === 0)) continue;
      const product = new Product(dimensions, index.everyRule(), budget);
      count += yield* product.countSteps(pace);
      if (listed.length < limit) yield* product.listSteps(limit, listed, pace);
    }
  }
  return { listed, count };
}

/** Numbers of held rules, a bit for each. */
type RuleSet = Uint32Array;

/** One of a rule's lists: its values, in classes of those that the same held rules allow. */
interface Dimension {
  readonly field: keyof PolicyRule;
  /** Undefined for "of no certain name". */
  readonly values: readonly (string | undefined)[];
  /** The class of each value. */
  readonly classes: readonly number[];
  /** For each class: the held rules that allow its values. */
  readonly allowedBy: readonly RuleSet[];
  /** For each class: how many values it has. */
  readonly sizes: readonly number[];
}

/** The held rules, by what they name. */
class HeldRules {
  readonly #verbs: Named;
  readonly #groups: Named;
  readonly #resources: Named;
  readonly #names = new Map<string, number[]>();
  readonly #nameless: number[] = [];
  readonly #urls: { readonly rule: number; readonly url: string }[] = [];
  readonly #exactUrls = new Map<string, number[]>();

  constructor(private readonly held: readonly PolicyRule[]) {
    this.#verbs = new Named(held.map(({ verbs }) => verbs));
    this.#groups = new Named(held.map(({ apiGroups }) => apiGroups));
    this.#resources = new Named(held.map(({ resources }) => resources));
    for (const [rule, { resourceNames, nonResourceURLs }] of held.entries()) {
      // A rule without names is for all of them; here a star is a name like any other.
      if (resourceNames.length === 0) this.#nameless.push(rule);
      for (const name of resourceNames) put(this.#names, name, rule);
      // A star at the end stands for whatever follows.
      for (const url of nonResourceURLs) {
        if (url.endsWith("*")) this.#urls.push({ rule, url: withoutTrailing(url, "*") });
        put(this.#exactUrls, url, rule);
      }
    }
  }

  everyRule(): RuleSet {
    return new Uint32Array(Math.ceil(this.held.length / 32)).fill(0xffff_ffff);
  }

  ofResources({ verbs, apiGroups, resources, resourceNames }: PolicyRule): readonly Dimension[] {
    return [
      this.#dimension("apiGroups", apiGroups, (group) => [this.#groups.any, this.#groups.naming(group)]),
      this.#dimension("resources", resources, (resource) => {
        const slash = resource.indexOf("/");
        const ofAll = slash < 0 ? [] : this.#resources.naming(`*${resource.slice(slash)}`);
        return [this.#resources.any, this.#resources.naming(resource), ofAll];
      }),
      this.#dimension("verbs", verbs, (verb) => [this.#verbs.any, this.#verbs.naming(verb)]),
      resourceNames.length === 0
        ? this.#withoutNames()
        : this.#dimension("resourceNames", resourceNames, (name) => [this.#nameless, this.#names.get(name) ?? []]),
    ];
  }

  ofUrls({ verbs, nonResourceURLs }: PolicyRule): readonly Dimension[] {
    if (nonResourceURLs.length === 0) return [{ ...this.#withoutNames(), values: [] }];
    return [
      this.#dimension("nonResourceURLs", nonResourceURLs, (url) => [
        this.#urls.filter((pattern) => url.startsWith(pattern.url)).map(({ rule }) => rule),
        this.#exactUrls.get(url) ?? [],
      ]),
      this.#dimension("verbs", verbs, (verb) => [this.#verbs.any, this.#verbs.naming(verb)]),
      this.#withoutNames(),
    ];
  }

  #withoutNames(): Dimension {
    return {
      field: "resourceNames",
      values: [undefined],
      classes: [0],
      allowedBy: [this.#setOf([this.#nameless])],
      sizes: [1],
    };
  }

  #dimension(
    field: keyof PolicyRule,
    values: readonly string[],
    allowing: (value: string) => readonly (readonly number[])[],
  ): Dimension {
    const known = new Map<string, number>();
    const placeOf = new Map<string, number>();
    const allowedBy: RuleSet[] = [];
    const sizes: number[] = [];
    const classes = values.map((value) => {
      const before = placeOf.get(value);
      if (before !== undefined) {
        sizes[before] = (sizes[before] ?? 0) + 1;
        return before;
      }
      const [always = [], ...named] = allowing(value);
      const key = `${field === "nonResourceURLs" ? always.join() : ""} ${named.map((rules) => rules.join()).join(" ")}`;
      let place = known.get(key);
      if (place === undefined) {
        place = allowedBy.push(this.#setOf([always, ...named])) - 1;
        known.set(key, place);
      }
      placeOf.set(value, place);
      sizes[place] = (sizes[place] ?? 0) + 1;
      return place;
    });
    return { field, values, classes, allowedBy, sizes };
  }

  #setOf(lists: readonly (readonly number[])[]): RuleSet {
    const set = new Uint32Array(Math.ceil(this.held.length / 32));
    for (const rules of lists) for (const rule of rules) set[rule >>> 5] = (set[rule >>> 5] ?? 0) | (1 << (rule & 31));
    return set;
  }
}

/** The rules whose list has a value, and those whose list has a star. */
class Named {
  readonly any: readonly number[];
  readonly #byValue = new Map<string, number[]>();

  constructor(lists: readonly (readonly string[])[]) {
    const any: number[] = [];
    for (const [rule, values] of lists.entries()) {
      if (values.includes("*")) any.push(rule);
      for (const value of values) put(this.#byValue, value, rule);
    }
    this.any = any;
  }

  naming(value: string): readonly number[] {
    return this.#byValue.get(value) ?? [];
  }
}

function put(map: Map<string, number[]>, key: string, rule: number): void {
  const known = map.get(key);
  if (known === undefined) map.set(key, [rule]);
  else known.push(rule);
}

/** The permissions of one rule: the product of its lists, of which each class is looked at once. */
class Product {
  /** For the classes of the first dimensions: those of the next below which something is missing. */
  readonly #missing = new Map<string, ReadonlySet<number>>();

  constructor(
    private readonly dimensions: readonly Dimension[],
    private readonly all: RuleSet,
    private readonly budget: { left: number },
  ) {}

  /** How many permissions are missing. */
  countSteps(pace: Pace): Steps<number> {
    return this.#count(0, this.all, "", pace);
  }

  *#count(depth: number, rules: RuleSet, key: string, pace: Pace): Steps<number> {
    const dimension = this.dimensions[depth];
    if (dimension === undefined) return rules.some((word) => word !== 0) ? 0 : 1;
    const missing = new Set<number>();
    let count = 0;
    for (const [place, allowed] of dimension.allowedBy.entries()) {
      if (pace.isDue()) yield;
      this.budget.left -= allowed.length + 1;
      const left = this.budget.left < 0 ? new Uint32Array(0) : rules.map((word, at) => word & (allowed[at] ?? 0));
      // What no rule is left for is missing with all that is below it.
      const below = left.some((word) => word !== 0)
        ? yield* this.#count(depth + 1, left, `${key},${place}`, pace)
        : this.dimensions.slice(depth + 1).reduce((product, { values }) => product * values.length, 1);
      if (below === 0) continue;
      missing.add(place);
      count += below * (dimension.sizes[place] ?? 0);
    }
    this.#missing.set(key, missing);
    return count;
  }

  /** Puts the permissions that are missing into `listed`, until it has `limit` of them. */
  *listSteps(limit: number, listed: PolicyRule[], pace: Pace): Steps<void> {
    yield* this.#list(0, "", true, NOTHING, limit, listed, pace);
  }

  *#list(
    depth: number,
    key: string,
    looked: boolean,
    permission: PolicyRule,
    limit: number,
    listed: PolicyRule[],
    pace: Pace,
  ): Steps<void> {
    const dimension = this.dimensions[depth];
    if (dimension === undefined) {
      listed.push(permission);
      return;
    }
    const missing = looked ? this.#missing.get(key) : undefined;
    if (missing?.size === 0) return;
    for (const [index, value] of dimension.values.entries()) {
      if (listed.length >= limit) return;
      if (pace.isDue()) yield;
      const place = dimension.classes[index] ?? 0;
      if (missing !== undefined && !missing.has(place)) continue;
      const next = value === undefined ? permission : { ...permission, [dimension.field]: [value] };
      yield* this.#list(depth + 1, `${key},${place}`, missing !== undefined, next, limit, listed, pace);
    }
  }
}

const NOTHING: PolicyRule = { verbs: [], apiGroups: [], resources: [], resourceNames: [], nonResourceURLs: [] };
