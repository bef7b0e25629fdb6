import type { CheckedAst } from "../../machinery/cel/ast.js";
import type { Environment } from "../../machinery/cel/environment.js";
import { AUTHORIZER_TYPE, RESOURCE_CHECK_TYPE } from "../../machinery/cel/kubernetes/authorizer.js";
import { KUBERNETES_PROGRAM, kubernetesEnvironment } from "../../machinery/cel/kubernetes/environment.js";
import { JSON_PATCH, MUTATION_TYPES, OBJECT_TYPE, PATCH_TYPE } from "../../machinery/cel/kubernetes/mutation-types.js";
import type { Program } from "../../machinery/cel/program.js";
import { DYN, listType, type Type } from "../../machinery/cel/types/type.js";
import { NAMESPACE_TYPE, REQUEST_TYPE, REQUEST_TYPES } from "./request-types.js";

/** What is declared beside `object`, `oldObject`, `request` and `namespaceObject`. */
export interface Declared {
  /** `params`. */
  readonly params: boolean;
  /** `authorizer` and `authorizer.requestResource`. */
  readonly authorizer: boolean;
  /** `Object{}`, `JSONPatch{}` and the functions for patches. */
  readonly patchTypes?: boolean;
}

/** The types of variables that are of any type unless a type check knows better. */
export interface VariableTypes {
  readonly object?: Type | undefined;
  readonly params?: Type | undefined;
}

const environments = new Map<string, Environment>();

/** The environment of the expressions of admission: webhooks' match conditions and policies. One for each set of declarations. */
export function expressionEnvironment(declared: Declared): Environment {
  const key = `${declared.params} ${declared.authorizer} ${declared.patchTypes ?? false}`;
  const known = environments.get(key) ?? declare(declared, {});
  environments.set(key, known);
  return known;
}

/**
 * An environment for a type check. The types need a provider, which the caller adds. kube-apiserver's type check knows no
 * `authorizer.requestResource`.
 */
export function typedEnvironment(params: boolean, types: VariableTypes): Environment {
  const environment = declare({ params, authorizer: false }, types);
  return environment.extend({ variables: [{ name: "authorizer", type: AUTHORIZER_TYPE }] });
}

function declare({ params, authorizer, patchTypes = false }: Declared, types: VariableTypes): Environment {
  const object = types.object ?? DYN;
  const environment = kubernetesEnvironment().extend({
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

/** What the expressions of mutations evaluate to. */
export const PATCH_RESULTS: Readonly<Record<PatchType, Type>> = {
  ApplyConfiguration: OBJECT_TYPE,
  JSONPatch: listType(PATCH_TYPE),
};

/** What evaluates an expression as kube-apiserver does, within what one evaluation may cost. */
export const admissionProgram = (environment: Environment, ast: CheckedAst): Program =>
  environment.program(ast, KUBERNETES_PROGRAM);
