import type { Steps } from "../../../base/async/steps.js";
import type { CheckedAst } from "../../cel/ast.js";
import { estimateCost } from "../../cel/estimate/estimator.js";
import type { Environment } from "../../cel/environment.js";
import type { Issues } from "../../cel/issues.js";
import { ConstantError } from "../../cel/functions/declaration.js";
import { estimateKubernetesCall } from "../../cel/kubernetes/call-estimate.js";
import type { Program } from "../../cel/program.js";
import { fieldPath } from "../field-path.js";
import type { StructuralSchema } from "../structural-schema.js";
import type { ValidationRule } from "../validation-rule.js";
import type { DeclaredType } from "./declared-type.js";
import { NamedTypes } from "./named-types.js";
import { RULE_PROGRAM, ruleEnvironment } from "./rule-environment.js";
import { sizeAt } from "./size-at.js";

/** An expression that is ready to run, or what is wrong with it. */
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
  #environment: Environment | undefined;
  #withOptional: Environment | undefined;

  constructor(schema: StructuralSchema, self: DeclaredType) {
    this.#schema = schema;
    this.#self = self;
    this.#types = new NamedTypes(self);
  }

  /** Compiles a rule in steps: a long one takes some hundredths of a second. */
  *compileSteps(rule: ValidationRule): Steps<CompiledRule> {
    const none = { rule, expression: undefined, usesOldSelf: false, messageExpression: undefined, fieldPath: "" };
    if (rule.rule.trim() === "") return none;
    const environment = this.#environmentFor(rule);
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

  #environmentFor({ optionalOldSelf }: ValidationRule): Environment {
    if (optionalOldSelf === true) return (this.#withOptional ??= ruleEnvironment(this.#types, true));
    return (this.#environment ??= ruleEnvironment(this.#types, false));
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
