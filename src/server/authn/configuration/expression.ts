import type { FieldsOf } from "../../../machinery/meta/received.js";
import type { UserInfo } from "../../../api/types/authentication/v1.js";
import { type CheckedAst, type Expr, walk } from "../../../machinery/cel/ast.js";
import type { Environment } from "../../../machinery/cel/environment.js";
import { ConstantError } from "../../../machinery/cel/functions/declaration.js";
import { KUBERNETES_PROGRAM, kubernetesEnvironment } from "../../../machinery/cel/kubernetes/environment.js";
import type { Program } from "../../../machinery/cel/program.js";
import type { FieldDeclaration, TypeProvider } from "../../../machinery/cel/types/provider.js";
import { ANY, BOOL, listType, mapType, objectType, STRING, type Type } from "../../../machinery/cel/types/type.js";
import { ErrorValue, type Value } from "../../../machinery/cel/values/value.js";
import { type FieldError, invalidValue } from "../../../machinery/errors/field-error.js";

/** An expression over `claims` or `user` that was accepted. */
export interface Expression {
  readonly text: string;
  readonly ast: CheckedAst;
  /** Throws an Error, in kube-apiserver's words, where evaluation fails. */
  evaluate(variable: Value): Value;
}

/** A compiled expression, or its error. */
export type Compiled =
  | { readonly expression: Expression; readonly error?: undefined }
  | { readonly error: FieldError; readonly expression?: undefined };

const STRINGS = listType(STRING);
const USER = objectType("kubernetes.UserInfo");
const USER_FIELDS: Readonly<Record<string, Type>> = {
  username: STRING,
  uid: STRING,
  groups: STRINGS,
  extra: mapType(STRING, STRINGS),
} satisfies FieldsOf<UserInfo>;

const USER_TYPES: TypeProvider = {
  findType: (name) => (name === USER.name ? USER : undefined),
  findField(typeName, field): FieldDeclaration | undefined {
    const type = typeName === USER.name && Object.hasOwn(USER_FIELDS, field) ? USER_FIELDS[field] : undefined;
    return type && { type };
  },
};

/** The environments of expressions: one knows `claims`, whose values may be anything, the other `user`. */
const ENVIRONMENTS = {
  claims: () => kubernetesEnvironment().extend({ variables: [{ name: "claims", type: mapType(STRING, ANY) }] }),
  user: () => kubernetesEnvironment().extend({ types: USER_TYPES, variables: [{ name: "user", type: USER }] }),
} as const;

const made = new Map<string, Environment>();

function environmentOf(variable: keyof typeof ENVIRONMENTS): Environment {
  const environment = made.get(variable) ?? ENVIRONMENTS[variable]();
  made.set(variable, environment);
  return environment;
}

/** Compiles an expression that maps claims to a part of the user. Its type is checked when it is evaluated. */
export const compileMapping = (text: string, path: string): Compiled => compile("claims", text, path, ANY);

/** Compiles an expression that decides whether claims are valid. */
export const compileClaimRule = (text: string, path: string): Compiled => compile("claims", text, path, BOOL);

/** Compiles an expression that decides whether a user is valid. */
export const compileUserRule = (text: string, path: string): Compiled => compile("user", text, path, BOOL);

function compile(variable: keyof typeof ENVIRONMENTS, text: string, path: string, result: Type): Compiled {
  const failed = (detail: string): Compiled => ({ error: invalidValue(path, text, detail) });
  const environment = environmentOf(variable);
  const { ast, issues } = environment.compile(text);
  if (issues !== undefined) return failed(`compilation failed: ${issues}`);
  if (result !== ANY && !result.is(ast.type)) return failed(`must evaluate to ${result.name}`);
  try {
    const program = environment.program(ast, KUBERNETES_PROGRAM);
    return { expression: { text, ast, evaluate: (value) => evaluated(program, text, { [variable]: value }) } };
  } catch (error) {
    if (error instanceof ConstantError) return failed(`program instantiation failed: ${error.message}`);
    throw error;
  }
}

function evaluated(program: Program, text: string, bindings: Readonly<Record<string, Value>>): Value {
  const { value } = program.evaluate(bindings);
  if (value instanceof ErrorValue) throw new Error(`expression '${text}' resulted in error: ${value.message}`);
  return value;
}

/** Whether an expression reads a claim of this name. */
export const readsClaim = ({ ast }: Expression, claim: string): boolean =>
  [...walk(ast.root)].some((node) => isSelection(node, claim) || isOptionalSelection(node, claim));

const isClaims = (node: Expr | undefined): boolean => node?.kind === "ident" && node.name === "claims";

const isSelection = (node: Expr, claim: string): boolean =>
  node.kind === "select" && node.field === claim && isClaims(node.operand);

const isOptionalSelection = (node: Expr, claim: string): boolean =>
  node.kind === "call" &&
  node.name === "_?._" &&
  node.target === undefined &&
  isClaims(node.args[0]) &&
  node.args[1]?.kind === "literal" &&
  node.args[1].value === claim;
