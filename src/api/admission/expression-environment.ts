import type { CheckedAst } from "../../machinery/cel/ast.js";
import type { Environment } from "../../machinery/cel/environment.js";
import { AUTHORIZER_TYPE, RESOURCE_CHECK_TYPE } from "../../machinery/cel/kubernetes/authorizer.js";
import {
  KUBERNETES_PROGRAM,
  kubernetesEnvironment,
  LIBRARIES_OF_NEW,
} from "../../machinery/cel/kubernetes/environment.js";
import { JSON_PATCH, MUTATION_TYPES, OBJECT_TYPE, PATCH_TYPE } from "../../machinery/cel/kubernetes/mutation-types.js";
import type { Program } from "../../machinery/cel/program.js";
import {
  DYN,
  listType,
  type Type,
  BOOL,
  INT,
  mapType,
  objectType,
  STRING,
  TIMESTAMP,
  ANY,
} from "../../machinery/cel/types/type.js";
import { declaredTypes } from "../../machinery/cel/types/provider.js";
import { ConstantError } from "../../machinery/cel/functions/declaration.js";

const REQUEST_TYPE = objectType("kubernetes.AdmissionRequest");
const NAMESPACE_TYPE = objectType("kubernetes.Namespace");

const KIND = objectType("kubernetes.GroupVersionKind");
const RESOURCE = objectType("kubernetes.GroupVersionResource");
const USER = objectType("kubernetes.UserInfo");
const METADATA = objectType("kubernetes.NamespaceMetadata");
const SPEC = objectType("kubernetes.NamespaceSpec");
const STATUS = objectType("kubernetes.NamespaceStatus");
const CONDITION = objectType("kubernetes.NamespaceCondition");

const STRINGS = listType(STRING);

/** The fields of each type, as kube-apiserver declares them by hand. `UID` is its spelling. */
const TYPES: ReadonlyMap<Type, Readonly<Record<string, Type>>> = new Map([
  [KIND, { group: STRING, version: STRING, kind: STRING }],
  [RESOURCE, { group: STRING, version: STRING, resource: STRING }],
  [USER, { username: STRING, uid: STRING, groups: STRINGS, extra: mapType(STRING, STRINGS) }],
  [
    REQUEST_TYPE,
    {
      kind: KIND,
      resource: RESOURCE,
      subResource: STRING,
      requestKind: KIND,
      requestResource: RESOURCE,
      requestSubResource: STRING,
      name: STRING,
      namespace: STRING,
      operation: STRING,
      userInfo: USER,
      dryRun: BOOL,
      options: DYN,
    },
  ],
  [
    METADATA,
    {
      name: STRING,
      generateName: STRING,
      namespace: STRING,
      labels: mapType(STRING, STRING),
      annotations: mapType(STRING, STRING),
      UID: STRING,
      creationTimestamp: TIMESTAMP,
      deletionGracePeriodSeconds: INT,
      deletionTimestamp: TIMESTAMP,
      generation: INT,
      resourceVersion: STRING,
      finalizers: STRINGS,
    },
  ],
  [SPEC, { finalizers: STRINGS }],
  [CONDITION, { status: STRING, type: STRING, lastTransitionTime: TIMESTAMP, message: STRING, reason: STRING }],
  [STATUS, { conditions: listType(CONDITION), phase: STRING }],
  [NAMESPACE_TYPE, { metadata: METADATA, spec: SPEC, status: STATUS }],
]);

/** The types of `request` and `namespaceObject`. They count when an expression is compiled; its values are plain JSON. */
const REQUEST_TYPES = declaredTypes(TYPES);

/** The optional variables, types and libraries of an environment, in addition to `object`, `oldObject`, `request` and `namespaceObject`. */
export interface Declared {
  /** `params`. */
  readonly params: boolean;
  /** `authorizer` and `authorizer.requestResource`. */
  readonly authorizer: boolean;
  /** `Object{}`, `JSONPatch{}` and the functions for patches. */
  readonly patchTypes?: boolean;
  /** The version of Kubernetes whose function libraries there are. Default: those of new expressions. */
  readonly libraries?: string;
}

/** The types of variables; a variable without a type is of any type. */
export interface VariableTypes {
  readonly object?: Type | undefined;
  readonly params?: Type | undefined;
}

const environments = new Map<string, Environment>();

/** The environment of the expressions of admission: webhooks' match conditions and policies. One for each set of declarations. */
export function expressionEnvironment(declared: Declared): Environment {
  const { params, authorizer, patchTypes = false, libraries = LIBRARIES_OF_NEW } = declared;
  const key = `${params} ${authorizer} ${patchTypes} ${libraries}`;
  const known = environments.get(key) ?? declare(declared, {});
  environments.set(key, known);
  return known;
}

/**
 * Makes an environment for a type check. The caller adds the provider of the types. In kube-apiserver's type check
 * `authorizer.requestResource` does not exist.
 */
export function typedEnvironment(params: boolean, types: VariableTypes): Environment {
  const environment = declare({ params, authorizer: false }, types);
  return environment.extend({ variables: [{ name: "authorizer", type: AUTHORIZER_TYPE }] });
}

function declare({ params, authorizer, patchTypes = false, libraries }: Declared, types: VariableTypes): Environment {
  const object = types.object ?? DYN;
  const environment = kubernetesEnvironment(libraries).extend({
    types: REQUEST_TYPES,
    variables: [
      { name: "object", type: object },
      { name: "oldObject", type: object },
      { name: "namespaceObject", type: NAMESPACE_TYPE },
      { name: "request", type: REQUEST_TYPE },
      ...(params ? [{ name: "params", type: types.params ?? DYN }] : []),
      ...(authorizer
        ? [
            { name: "authorizer", type: AUTHORIZER_TYPE },
            { name: "authorizer.requestResource", type: RESOURCE_CHECK_TYPE },
          ]
        : []),
    ],
  });
  return patchTypes ? environment.extend({ types: MUTATION_TYPES, libraries: [JSON_PATCH] }) : environment;
}

export type PatchType = "ApplyConfiguration" | "JSONPatch";

/** The result type of a mutation's expression, by the type of its patch. */
export const PATCH_RESULTS: Readonly<Record<PatchType, Type>> = {
  ApplyConfiguration: OBJECT_TYPE,
  JSONPatch: listType(PATCH_TYPE),
};

/** What evaluates an expression as kube-apiserver does, within what one evaluation may cost. */
const admissionProgram = (environment: Environment, ast: CheckedAst): Program =>
  environment.program(ast, KUBERNETES_PROGRAM);

/** A compiled expression of a policy or of a webhook's match condition. One that does not compile holds its error, which evaluation reports. */
export interface CompiledExpression {
  readonly text: string;
  /** What is wrong, as kube-apiserver words it. Then there is no program. */
  readonly error: string | undefined;
  readonly program: Program | undefined;
  /** What the expression evaluates to; undefined where that is not known. */
  readonly type: Type | undefined;
}

/** Compiles an expression whose result must have one of the types. ANY allows every result. */
export function compileExpression(
  environment: Environment,
  text: string,
  results: readonly Type[],
): CompiledExpression {
  const failed = (error: string): CompiledExpression => ({ text, error, program: undefined, type: undefined });
  const { ast, issues } = environment.compile(text);
  if (issues !== undefined) return failed(`compilation failed: ${issues}`);
  if (!results.some((result) => result === ANY || result.is(ast.type))) return failed(wrongResult(results, ast.type));
  try {
    return { text, error: undefined, program: admissionProgram(environment, ast), type: ast.type };
  } catch (error) {
    if (error instanceof ConstantError) return failed(`program instantiation failed: ${error.message}`);
    throw error;
  }
}

function wrongResult(wanted: readonly Type[], given: Type): string {
  const [only] = wanted;
  if (wanted.length === 1 && only !== undefined) return `must evaluate to ${nameOf(only)} but got ${nameOf(given)}`;
  return `must evaluate to one of [${wanted.map(nameOf).join(" ")}] but got ${nameOf(given)}`;
}

/** A type as cel-go's own `String` writes it, which is not how the messages of its checker do. */
function nameOf(type: Type): string {
  const name = type.nullable ? `wrapper(${type.name})` : type.name;
  return type.parameters.length === 0 ? name : `${name}(${type.parameters.map(nameOf).join(", ")})`;
}
