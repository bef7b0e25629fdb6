import type { Steps } from "../../../base/async/steps.js";
import type { CheckedAst } from "../../cel/ast.js";
import { estimateCost } from "../../cel/estimate/estimator.js";
import type { Environment } from "../../cel/environment.js";
import type { Issues } from "../../cel/issues.js";
import { ConstantError } from "../../cel/functions/declaration.js";
import { estimateKubernetesCall } from "../../cel/kubernetes/call-estimate.js";
import type { Program, ProgramOptions } from "../../cel/program.js";
import { fieldPath } from "../field-path.js";
import type { StructuralSchema } from "../structural-schema.js";
import type { ValidationRule } from "../value-validation.js";
import { type DeclaredType, NamedTypes } from "./declared-type.js";
import type { Range } from "../../cel/estimate/call-estimate.js";
import { STRING, optionalType } from "../../cel/types/type.js";
import { KUBERNETES_PROGRAM, kubernetesEnvironment, LIBRARIES_OF_NEW } from "../../cel/kubernetes/environment.js";

/** How rules are evaluated. The limit of steps, about 30 milliseconds, is ours: it ends what costs little and takes long. */
const RULE_PROGRAM: ProgramOptions = { ...KUBERNETES_PROGRAM, stepLimit: 1_000_000 };

/** What rules may name: `self`, and `oldSelf`, which is an optional value where the rule also runs without one. */
function ruleEnvironment(types: NamedTypes, optionalOldSelf: boolean, libraries: string): Environment {
  const { self } = types;
  return kubernetesEnvironment(libraries).extend({
    types,
    variables: [
      { name: "self", type: self },
      { name: "oldSelf", type: optionalOldSelf ? optionalType(self) : self },
    ],
  });
}

/** A compiled expression, or its error. */
export type Expression =
  | { readonly program: Program; readonly error: undefined; readonly maxCost: () => number }
  | { readonly program: undefined; readonly error: string };

export interface CompiledRule {
  readonly rule: ValidationRule;
  /** undefined for a rule of nothing but white space. */
  readonly expression: Expression | undefined;
  /** Whether it compares with what was there before: a transition rule. */
  readonly usesOldSelf: boolean;
  /** undefined where there is none, and beside a rule with an error. */
  readonly messageExpression: Expression | undefined;
  /** Of the field that errors name, from the rule's place on; "" for none. */
  readonly fieldPath: string;
}

/** An expression of so many characters takes a millisecond to read, and one to check. */
const LONG = 1000;

/** Compiles the rules of one schema, each on its own. Source: apiextensions' cel.Compile. */
export class RuleCompiler {
  readonly #schema: StructuralSchema;
  readonly #self: DeclaredType;
  readonly #types: NamedTypes;
  readonly #environments = new Map<string, Environment>();

  constructor(schema: StructuralSchema, self: DeclaredType) {
    this.#schema = schema;
    this.#self = self;
    this.#types = new NamedTypes(self);
  }

  /** Compiles a rule in steps, by the function libraries of a version: a long one takes some hundredths of a second. */
  *compileSteps(rule: ValidationRule, libraries = LIBRARIES_OF_NEW): Steps<CompiledRule> {
    const none = { rule, expression: undefined, usesOldSelf: false, messageExpression: undefined, fieldPath: "" };
    if (rule.rule.trim() === "") return none;
    const environment = this.#environmentFor(rule, libraries);
    const { ast, expression } = yield* this.#expressionSteps(environment, rule.rule, RULE);
    const usesOldSelf = ast !== undefined && mentionsOldSelf(ast);
    if (expression.error !== undefined) return { ...none, expression, usesOldSelf };
    const { messageExpression: text = "" } = rule;
    const message = text === "" ? undefined : yield* this.#expressionSteps(environment, text, MESSAGE);
    return {
      rule,
      expression,
      usesOldSelf,
      messageExpression: message?.expression,
      fieldPath: this.#fieldPath(rule),
    };
  }

  #environmentFor({ optionalOldSelf = false }: ValidationRule, libraries: string): Environment {
    const key = `${libraries} ${optionalOldSelf}`;
    let environment = this.#environments.get(key);
    if (environment === undefined) {
      environment = ruleEnvironment(this.#types, optionalOldSelf, libraries);
      this.#environments.set(key, environment);
    }
    return environment;
  }

  *#expressionSteps(
    environment: Environment,
    text: string,
    words: Words,
  ): Steps<{ readonly expression: Expression; readonly ast?: CheckedAst }> {
    const fail = (error: string) => ({ expression: { program: undefined, error } });
    const failToCompile = (issues: Issues) => fail(`${words.prefix}compilation failed: ${issues.toString()}`);
    const parsed = environment.parse(text);
    if (parsed.ast === undefined) return failToCompile(parsed.issues);
    if (text.length >= LONG) yield;
    const { ast, issues } = environment.check(parsed.ast);
    if (ast === undefined) return failToCompile(issues);
    if (ast.type.kind !== words.kind || ast.type.nullable) return fail(words.otherKind);
    if (text.length >= LONG) yield;
    try {
      const program = environment.program(ast, RULE_PROGRAM);
      return { expression: { program, error: undefined, maxCost: () => this.#maxCost(environment, ast) }, ast };
    } catch (error) {
      if (!(error instanceof ConstantError)) throw error;
      return { ...fail(`${words.failedStart}: ${error.message}`), ast };
    }
  }

  #maxCost(environment: Environment, ast: CheckedAst): number {
    return estimateCost(ast, environment, {
      sizeAt: (path) => sizeAt(this.#self, path),
      estimateCall: estimateKubernetesCall,
      presenceTestHasCost: false,
    }).max;
  }

  #fieldPath({ fieldPath: path = "" }: ValidationRule): string {
    const found = path === "" ? "" : fieldPath(path, this.#schema.source);
    return typeof found === "string" ? "" : found.text;
  }
}

/** How Kubernetes words what is wrong with an expression. */
interface Words {
  readonly prefix: string;
  readonly kind: "bool" | "string";
  readonly otherKind: string;
  readonly failedStart: string;
}

const RULE: Words = {
  prefix: "",
  kind: "bool",
  otherKind: "cel expression must evaluate to a bool",
  failedStart: "program instantiation failed",
};

const MESSAGE: Words = {
  prefix: "messageExpression ",
  kind: "string",
  otherKind: "messageExpression must evaluate to a string",
  failedStart: "messageExpression instantiation failed",
};

function mentionsOldSelf({ references }: CheckedAst): boolean {
  for (const reference of references.values()) {
    if (reference.kind === "ident" && (reference.name === "oldSelf" || reference.name === ".oldSelf")) return true;
  }
  return false;
}

/**
 * How large what a path leads to can be by its declared type; undefined where the path leads nowhere. What the path begins with is
 * taken for `self`, whatever it is, as in Kubernetes. Source: apiextensions' cel.sizeEstimator.
 */
function sizeAt(self: DeclaredType, path: readonly string[]): Range | undefined {
  let at: DeclaredType | undefined = self;
  for (const step of path.slice(1)) {
    at = at && stepInto(at, step);
    if (at === undefined) return undefined;
  }
  return { min: 0, max: at.maxElements };
}

/** Kubernetes declares no length of keys, and so takes them for empty. */
const KEY: DeclaredType = { kind: "scalar", type: STRING, maxElements: 0, minSerializedSize: 2 };

function stepInto(declared: DeclaredType, step: string): DeclaredType | undefined {
  if (step === "@items" || step === "@values") {
    if (declared.kind === "list") return declared.element;
    return declared.kind === "map" ? declared.value : undefined;
  }
  if (step === "@keys") return declared.kind === "map" ? KEY : undefined;
  return declared.kind === "object" ? declared.fields.get(step)?.type : undefined;
}
