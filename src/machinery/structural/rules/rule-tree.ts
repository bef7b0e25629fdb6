import type { Steps } from "../../../base/async/steps.js";
import { isFields, list, type ReadonlyFields } from "../../meta/access.js";
import type { StructuralSchema } from "../structural-schema.js";
import type { ValidationRule } from "../value-validation.js";
import { type CompiledRule, RuleCompiler } from "./compile-rule.js";
import { type DeclaredType, declaredTypeOf } from "./declared-type.js";
import type { RuleDialect } from "./dialect.js";
import type { ReadNative } from "./structural-values.js";
import { readerOf } from "./value-of.js";
import type { JsonValue } from "../../meta/json.js";
import type { CorrelatedValue } from "../ratchet.js";
import { NO_PATH } from "../validation-result.js";

/** A schema that has rules, or contains one that has. */
export class RuleNode {
  readonly properties: ReadonlyMap<string, RuleNode>;
  /** Of the values of additionalProperties. */
  readonly others: RuleNode | undefined;
  readonly items: RuleNode | undefined;
  #rules: readonly LazyRule[] | undefined;
  #read: ReadNative | undefined;

  constructor(
    readonly schema: StructuralSchema,
    private readonly isResourceRoot: boolean,
    private readonly dialect: RuleDialect,
    children: Pick<RuleNode, "properties" | "others" | "items">,
  ) {
    this.properties = children.properties;
    this.others = children.others;
    this.items = children.items;
  }

  /** What rules see of the schema's values; undefined where that is nothing. */
  get self(): DeclaredType | undefined {
    return declaredTypeOf(this.schema, this.dialect, this.isResourceRoot);
  }

  /** In the order of the schema. Empty where rules know nothing of the schema's values. */
  get rules(): readonly LazyRule[] {
    if (this.#rules === undefined) {
      const { schema } = this;
      const self = schema.rules.length === 0 ? undefined : this.self;
      const compiler = self && new RuleCompiler(schema, self);
      this.#rules =
        compiler === undefined ? [] : schema.rules.map((rule) => new LazyRule(compiler, rule, this.dialect));
    }
    return this.#rules;
  }

  /** Makes what rules call `self` of a value of the schema. */
  get read(): ReadNative {
    this.#read ??= readerOf(this.schema, this.dialect, this.isResourceRoot);
    return this.#read;
  }
}

/** A rule that is compiled on first use. */
export class LazyRule {
  /** By the function libraries that stored rules may use; undefined before. */
  compiled: CompiledRule | undefined;
  /** By those that new rules may use; undefined before. */
  #compiledAsNew: CompiledRule | undefined;

  constructor(
    private readonly compiler: RuleCompiler,
    private readonly rule: ValidationRule,
    private readonly dialect: RuleDialect,
  ) {}

  *compileSteps(): Steps<CompiledRule> {
    return (this.compiled ??= yield* this.compiler.compileSteps(this.rule, this.dialect.libraries));
  }

  /** As a rule that is not stored yet. */
  *compileNewSteps(): Steps<CompiledRule> {
    const { libraries, librariesOfNew } = this.dialect;
    if (libraries === librariesOfNew) return yield* this.compileSteps();
    return (this.#compiledAsNew ??= yield* this.compiler.compileSteps(this.rule, librariesOfNew));
  }
}

/** The part of a schema that contains rules; undefined where it contains none. */
export function ruleTreeOf(
  schema: StructuralSchema,
  isResourceRoot: boolean,
  dialect: RuleDialect,
): RuleNode | undefined {
  const leading = new Set<unknown>();
  findRules(schema.source, leading);
  return leading.has(schema.source) ? nodeOf(schema, isResourceRoot, dialect, leading) : undefined;
}

/** Adds the schemas that lead to rules. What is made of a schema is made of those alone. */
function findRules(source: ReadonlyFields, leading: Set<unknown>): boolean {
  const { items, additionalProperties, properties } = source;
  let leads = list(source["x-kubernetes-validations"]).length > 0;
  for (const child of [items, additionalProperties, ...(isFields(properties) ? Object.values(properties) : [])]) {
    if (isFields(child) && findRules(child, leading)) leads = true;
  }
  if (leads) leading.add(source);
  return leads;
}

function nodeOf(
  schema: StructuralSchema,
  isResourceRoot: boolean,
  dialect: RuleDialect,
  leading: ReadonlySet<unknown>,
): RuleNode {
  const child = (inner: StructuralSchema | boolean | undefined): RuleNode | undefined =>
    typeof inner === "object" && leading.has(inner.source)
      ? nodeOf(inner, inner.embeddedResource, dialect, leading)
      : undefined;
  const properties = new Map<string, RuleNode>();
  for (const [name, property] of schema.properties) {
    const node = child(property);
    if (node !== undefined) properties.set(name, node);
  }
  return new RuleNode(schema, isResourceRoot, dialect, {
    properties,
    others: child(schema.additionalProperties),
    items: child(schema.items),
  });
}

/** A value to which rules may apply, with its place in the object. */
export interface Place {
  readonly node: RuleNode;
  readonly value: Exclude<JsonValue, null>;
  readonly outer: Place | undefined;
  /** What stands behind the outer place's path: ".spec", "[0]", "[key]"; the whole path for the outermost. */
  readonly step: string;
  /** undefined where the value was not there before, or cannot be found again. */
  readonly correlated: CorrelatedValue | undefined;
  /** By which what did not change is forgiven: the value's own, or the nearest around it. */
  readonly ratchet: CorrelatedValue | undefined;
}

/** The value before the update; undefined where there is none or it was null. */
export function oldOf({ correlated }: Place): Exclude<JsonValue, null> | undefined {
  return correlated?.old ?? undefined;
}

/** The path of a place for errors. */
export function pathOf(place: Place): string {
  let path = "";
  for (let at: Place | undefined = place; at !== undefined; at = at.outer) path = at.step + path;
  // The step of the outermost place is a path, or empty.
  return path === "" ? NO_PATH : path.replace(/^\./, "");
}

/** Lists the places directly inside another. */
export function placesIn(place: Place, ratchets: boolean): Place[] {
  const { node, value, correlated } = place;
  const places: Place[] = [];
  const add = (inner: RuleNode, held: JsonValue | undefined, step: string, at: CorrelatedValue | undefined): void => {
    if (held === undefined || held === null) return;
    // A change of version does not show in apiVersion and kind.
    const shows = place.outer !== undefined || (step !== ".apiVersion" && step !== ".kind");
    const ratchet = ratchets && shows ? (at ?? nearest(place)) : undefined;
    places.push({ node: inner, value: held, outer: place, step, correlated: at, ratchet });
  };
  if (Array.isArray(value)) {
    const { items } = node;
    if (items === undefined) return places;
    for (const [index, item] of value.entries()) add(items, item, `[${index}]`, correlated?.item(index));
  } else if (isFields(value)) {
    if (node.others !== undefined) {
      for (const name of Object.keys(value)) add(node.others, value[name], `[${name}]`, correlated?.field(name));
    }
    for (const [name, inner] of node.properties) {
      if (Object.hasOwn(value, name)) add(inner, value[name], `.${name}`, correlated?.field(name));
    }
  }
  return places;
}

const nearest = ({ correlated, ratchet }: Place): CorrelatedValue | undefined => correlated ?? ratchet;
