import type { Steps } from "../../../base/async/steps.js";
import { isFields, list, type ReadonlyFields } from "../../meta/access.js";
import type { StructuralSchema } from "../structural-schema.js";
import type { ValidationRule } from "../value-validation.js";
import { type CompiledRule, RuleCompiler } from "./compile-rule.js";
import { type DeclaredType, declaredTypeOf } from "./declared-type.js";
import { type ReadNative } from "./objects.js";
import { readerOf } from "./value-of.js";

/** A schema that has rules, or leads to one that has. */
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
    children: Pick<RuleNode, "properties" | "others" | "items">,
  ) {
    this.properties = children.properties;
    this.others = children.others;
    this.items = children.items;
  }

  /** What rules see of the schema's values; undefined where that is nothing. */
  get self(): DeclaredType | undefined {
    return declaredTypeOf(this.schema, this.isResourceRoot);
  }

  /** In the order of the schema. Empty where rules know nothing of the schema's values. */
  get rules(): readonly LazyRule[] {
    if (this.#rules === undefined) {
      const { schema } = this;
      const self = schema.rules.length === 0 ? undefined : this.self;
      const compiler = self && new RuleCompiler(schema, self);
      this.#rules = compiler === undefined ? [] : schema.rules.map((rule) => new LazyRule(compiler, rule));
    }
    return this.#rules;
  }

  /** Makes what rules call `self` of a value of the schema. */
  get read(): ReadNative {
    this.#read ??= readerOf(this.schema, this.isResourceRoot);
    return this.#read;
  }
}

/** A rule that is compiled when it is first needed. */
export class LazyRule {
  /** undefined before. */
  compiled: CompiledRule | undefined;

  constructor(
    private readonly compiler: RuleCompiler,
    private readonly rule: ValidationRule,
  ) {}

  *compileSteps(): Steps<CompiledRule> {
    return (this.compiled ??= yield* this.compiler.compileSteps(this.rule));
  }
}

/** The part of a schema that leads to rules; undefined where there are none. */
export function ruleTreeOf(schema: StructuralSchema, isResourceRoot: boolean): RuleNode | undefined {
  const leading = new Set<unknown>();
  findRules(schema.source, leading);
  return leading.has(schema.source) ? nodeOf(schema, isResourceRoot, leading) : undefined;
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

function nodeOf(schema: StructuralSchema, isResourceRoot: boolean, leading: ReadonlySet<unknown>): RuleNode {
  const child = (inner: StructuralSchema | boolean | undefined): RuleNode | undefined =>
    typeof inner === "object" && leading.has(inner.source) ? nodeOf(inner, inner.embeddedResource, leading) : undefined;
  const properties = new Map<string, RuleNode>();
  for (const [name, property] of schema.properties) {
    const node = child(property);
    if (node !== undefined) properties.set(name, node);
  }
  return new RuleNode(schema, isResourceRoot, {
    properties,
    others: child(schema.additionalProperties),
    items: child(schema.items),
  });
}
