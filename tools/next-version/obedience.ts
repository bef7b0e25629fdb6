import { newestRelease, type Release } from "../../src/api/facts/index.js";
import type { FieldError } from "../../src/machinery/errors/field-error.js";
import { dns1123SubdomainErrors } from "../../src/machinery/validation/names.js";
import type { KubeObject } from "../../src/machinery/meta/object.js";
import { builtinRecord } from "../../src/server/builtin/index.js";
import { validateMetadata, validateMetadataUpdate } from "../../src/server/registry/metadata.js";
import type { Strategy, StrategyContext } from "../../src/server/registry/strategy.js";
import { partsOf } from "../../src/server/endpoints/resource-record.js";
import type { KnownField, Place, Step } from "./fields.js";
import { sampleOf } from "./samples.js";
import { ABSENT, type Try, triesOf } from "./tries.js";

export type Verdict = "obeyed" | "broken" | "cannot be tried";

/** So many places are tried: the rules of a type are those of all places that hold it. */
const MOST_PLACES = 12;

/**
 * Asks the validation of built-in resources whether it obeys a rule of a field: it is given objects that break the rule. Objects are otherwise
 * as good as empty, so that only errors at the field count.
 */
export class Obedience {
  constructor(private readonly release: Release = newestRelease) {}

  /** `parts` are those of a mark: "eachVal", "maxBytes=64". With "exact", errors in the field and at what holds it do not count. */
  verdict(field: KnownField, parts: readonly string[], where: "exact" | "around" = "around"): Verdict {
    let verdict: Verdict = "cannot be tried";
    for (const place of nearest(field)) {
      const tries = triesOf(parts, place.field.schema, place.holder);
      if (tries === undefined) continue;
      if (tries.every((one) => this.#isObeyed(place, one, where))) return "obeyed";
      verdict = "broken";
    }
    return verdict;
  }

  /** Whether a value of an enum is taken, in a field or a list. False where a resource says it is not supported. */
  takes(field: KnownField, value: string): boolean {
    const errors = ["FieldValueNotSupported"] as const;
    return nearest(field).every((place) => {
      const { type } = place.field.schema;
      const held = type === "list" ? [value] : type === "map" ? { k0: value } : value;
      return this.#isObeyed(place, { at: "field", value: held, errors, isGood: true });
    });
  }

  /** An error counts that the same object does not have without what breaks the rule. */
  #isObeyed(place: Place, one: Try, where: "exact" | "around" = "around"): boolean {
    const usual = new Set(
      one.isGood === true || isMissing(one) ? [] : this.#errorsOf(place, harmless(one, place)).map(textOf),
    );
    const errors = this.#errorsOf(place, one).filter((error) => !usual.has(textOf(error)));
    const path = pathOf([...place.steps.map(({ name }) => name), place.field.name], one.below);
    const holder = pathOf(place.steps.map(({ name }) => name));
    const isAt = ({ field }: FieldError): boolean => {
      const at = field.replace(/\[[^\]]*\]/g, "");
      const isIn = at === path || at.startsWith(`${path}.`);
      if (one.isGood === true || where === "exact") return at === path;
      return isIn || (one.at !== "field" && isAbove(at, path)) || (one.at === "beside" && isBeside(at, holder));
    };
    const refuses = errors.some((error) => one.errors.includes(error.type) && isAt(error));
    return one.isGood === true ? !refuses : refuses;
  }

  #errorsOf(place: Place, { value, old, without, beside = {} }: Try): readonly FieldError[] {
    const { strategy = {}, subresources } = builtinRecord(place.group, place.plural) ?? {};
    const { steps, field } = place;
    const { validateName = dns1123SubdomainErrors } = strategy;
    const isStatus = (steps[0]?.name ?? field.name) === "status";
    const before = objectWith(place, old === undefined || old === ABSENT ? {} : { [field.name]: old });
    const object = objectWith(place, { ...beside, ...(value === ABSENT ? {} : { [field.name]: value }) });
    const context = contextOf(this.release, without);
    const hooks: readonly (() => readonly FieldError[] | undefined)[] = [
      // What the registry asks for beside the hooks.
      () => validateMetadata(object, place.namespaced, (name) => validateName(name, context.gates)),
      () => validateMetadataUpdate(object, before, place.namespaced),
      ...(old === undefined ? [() => strategy.validate?.(object, context)] : []),
      () => strategy.validateUpdate?.(object, before, context),
      ...(isStatus
        ? [
            () => strategy.validateStatusUpdate?.(object, before, context),
            () => strategy.validateStatusUpdate?.(object, objectWith({ ...place, steps: [] }, {}), context),
          ]
        : []),
      ...Object.values(partsOf({ group: "", resource: "", ...(subresources && { subresources }) })).map(
        (part) => () => part.validate(object, before, context),
      ),
    ];
    return hooks.flatMap((hook) => tolerant(hook));
  }
}

/** Validation may count on what decoding and defaults make sure of, which these objects lack. */
function tolerant(hook: () => readonly FieldError[] | undefined): readonly FieldError[] {
  try {
    return hook() ?? [];
  } catch {
    return [];
  }
}

/** Those of the type's own group first. */
function nearest({ type, places }: KnownField): readonly Place[] {
  const family = type.split(".")[0];
  const isOwn = ({ holder, steps, group }: Place): number =>
    (group.split(".")[0] || "core") === family || holder.definition.includes(`.${group || "core"}.`)
      ? steps.length
      : 100;
  return places
    .filter(({ group, plural }) => builtinRecord(group, plural) !== undefined)
    .toSorted((a, b) => isOwn(a) - isOwn(b))
    .slice(0, MOST_PLACES);
}

const pathOf = (names: readonly string[], below?: string): string =>
  [...names, ...(below === undefined ? [] : [below])].join(".");

const isAbove = (at: string, path: string): boolean => path.startsWith(`${at}.`) || at === "" || at === "<nil>";

const isBeside = (at: string, holder: string): boolean => holder === "" || at.startsWith(`${holder}.`);

const textOf = ({ type, field, detail }: FieldError): string => `${type} ${field} ${detail}`;

/** What is wrong with no value may be wrong with one that is no good, too. */
const isMissing = ({ value, old, at }: Try): boolean => value === ABSENT && old === undefined && at === "field";

/** The write that does not break the rule. */
function harmless(one: Try, { field }: Place): Try {
  const { beside: _, ...alone } = one;
  if (one.good !== undefined) return { ...alone, value: one.good };
  if (one.value === ABSENT) return { ...one, value: sampleOf(field.schema) };
  if (one.old !== undefined) return { ...alone, old: one.value };
  return { ...alone, value: ABSENT };
}

function objectWith(
  { apiVersion, kind, namespaced, steps }: Place,
  last: Readonly<Record<string, unknown>>,
): KubeObject {
  const inner = steps.reduceRight<Readonly<Record<string, unknown>>>(
    (held, { name, holds }: Step) => ({
      [name]: holds === "items" ? [held] : holds === "values" ? { k0: held } : held,
    }),
    last,
  );
  const metadata = { name: "one", resourceVersion: "1", uid: "1", ...(namespaced && { namespace: "default" }) };
  const own = inner["metadata"];
  const all = typeof own === "object" ? { ...metadata, ...own } : metadata;
  return structuredClone({ apiVersion, kind, ...inner, metadata: all }) as KubeObject;
}

/** All gates are on, but `without`. */
function contextOf(release: Release, without: string | undefined): StrategyContext {
  const context: Partial<StrategyContext> = {
    release,
    gates: { enabled: (name) => name !== without },
    now: 0,
    user: { name: "one", groups: [] } as unknown as StrategyContext["user"],
    verb: "",
    apiVersion: "",
    dryRun: false,
    resourceOf: () => undefined,
    warn: () => {},
  };
  return context as StrategyContext;
}

/** Whether a resource's hooks judge anything at all. */
export const validates = (strategy: Strategy | undefined): boolean =>
  strategy?.validate !== undefined || strategy?.validateStatusUpdate !== undefined;
