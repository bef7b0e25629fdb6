import { dns1123LabelErrors, dns1123SubdomainErrors } from "../../validation/names.js";
import type { FunctionDeclaration, Implementation, Library } from "../functions/declaration.js";
import { BOOL, STRING, type Type } from "../types/type.js";
import { spendSteps } from "../values/meter.js";
import { ErrorValue, NO_SUCH_OVERLOAD, type Value } from "../values/value.js";
import type { AccessCheck, AccessDecision, AccessDecisions, AccessUser, ResourceAccess } from "./access.js";
import { KubernetesValue, kubernetesType } from "./kubernetes-value.js";

export const AUTHORIZER_TYPE = kubernetesType("authorization.Authorizer");
const PATH_CHECK_TYPE = kubernetesType("authorization.PathCheck");
const GROUP_CHECK_TYPE = kubernetesType("authorization.GroupCheck");
export const RESOURCE_CHECK_TYPE = kubernetesType("authorization.ResourceCheck");
const DECISION_TYPE = kubernetesType("authorization.Decision");

/** A step on the way to a decision. Only functions read it, and it can be compared with nothing but null. */
abstract class CheckValue extends KubernetesValue {
  override isEqualTo(other: Value): boolean | ErrorValue {
    return other === null ? false : NO_SUCH_OVERLOAD;
  }

  equals(): boolean {
    return false;
  }
}

/** The value of the variable `authorizer`: it checks what one user may do. */
export class AuthorizerValue extends CheckValue {
  readonly type: Type = AUTHORIZER_TYPE;

  constructor(
    readonly user: AccessUser,
    readonly decisions: AccessDecisions,
  ) {
    super();
  }

  /** A check of the resource of a request: the variable `authorizer.requestResource`. */
  ofResource(resource: Pick<ResourceAccess, "apiGroup" | "resource" | "subresource" | "namespace" | "name">): Value {
    return new ResourceCheck(this, { ...NO_RESOURCE, ...resource });
  }
}

class PathCheck extends CheckValue {
  readonly type: Type = PATH_CHECK_TYPE;

  constructor(
    readonly authorizer: AuthorizerValue,
    readonly path: string,
  ) {
    super();
  }
}

class GroupCheck extends CheckValue {
  readonly type: Type = GROUP_CHECK_TYPE;

  constructor(
    readonly authorizer: AuthorizerValue,
    readonly group: string,
  ) {
    super();
  }
}

type Resource = Omit<ResourceAccess, "user" | "verb">;

const NO_RESOURCE: Resource = {
  apiGroup: "",
  resource: "",
  subresource: "",
  namespace: "",
  name: "",
  fieldSelector: "",
  labelSelector: "",
};

class ResourceCheck extends CheckValue {
  readonly type: Type = RESOURCE_CHECK_TYPE;

  constructor(
    readonly authorizer: AuthorizerValue,
    readonly resource: Resource,
  ) {
    super();
  }
}

class DecisionValue extends CheckValue {
  readonly type: Type = DECISION_TYPE;

  constructor(readonly decision: AccessDecision) {
    super();
  }
}

function pathCheck(authorizer: AuthorizerValue, path: string): Value {
  return path.trim() === "" ? new ErrorValue("path must not be empty") : new PathCheck(authorizer, path);
}

function resourceCheck({ authorizer, group }: GroupCheck, resource: string): Value {
  if (resource.trim() === "") return new ErrorValue("resource must not be empty");
  return new ResourceCheck(authorizer, { ...NO_RESOURCE, apiGroup: group, resource });
}

function serviceAccount({ decisions }: AuthorizerValue, namespace: string, name: string): Value {
  spendSteps(namespace.length + name.length);
  if (dns1123SubdomainErrors(name).length > 0) return new ErrorValue("Invalid service account name");
  if (dns1123LabelErrors(namespace).length > 0) return new ErrorValue("Invalid service account namespace");
  const groups = ["system:serviceaccounts", `system:serviceaccounts:${namespace}`];
  return new AuthorizerValue({ name: `system:serviceaccount:${namespace}:${name}`, groups }, decisions);
}

function decide({ decisions }: AuthorizerValue, check: AccessCheck): Value {
  return new DecisionValue(decisions.decide(check));
}

function member(
  name: string,
  ...rows: readonly (readonly [id: string, args: readonly Type[], result: Type, call: Implementation])[]
): FunctionDeclaration {
  return { name, overloads: rows.map(([id, args, result, call]) => ({ id, args, result, call, member: true })) };
}

/** `check.name("x")`: the check with more of the resource said. */
function refinement(name: Exclude<keyof Resource, "apiGroup" | "resource">, id: string): FunctionDeclaration {
  const call = ({ authorizer, resource }: ResourceCheck, value: string): Value =>
    new ResourceCheck(authorizer, { ...resource, [name]: value });
  return member(name, [id, [RESOURCE_CHECK_TYPE, STRING], RESOURCE_CHECK_TYPE, call]);
}

function answer(name: string, result: Type, read: (decision: AccessDecision) => Value): FunctionDeclaration {
  return member(name, [`decision_${name}`, [DECISION_TYPE], result, ({ decision }: DecisionValue) => read(decision)]);
}

/** Kubernetes' functions that ask the authorizer, with selectors. Source: apiserver's cel/library. */
export const AUTHORIZER: Library = {
  functions: [
    member("path", ["authorizer_path", [AUTHORIZER_TYPE, STRING], PATH_CHECK_TYPE, pathCheck]),
    member("group", [
      "authorizer_group",
      [AUTHORIZER_TYPE, STRING],
      GROUP_CHECK_TYPE,
      (authorizer: AuthorizerValue, group: string) => new GroupCheck(authorizer, group),
    ]),
    member("serviceAccount", [
      "authorizer_serviceaccount",
      [AUTHORIZER_TYPE, STRING, STRING],
      AUTHORIZER_TYPE,
      serviceAccount,
    ]),
    member("resource", ["groupcheck_resource", [GROUP_CHECK_TYPE, STRING], RESOURCE_CHECK_TYPE, resourceCheck]),
    refinement("subresource", "resourcecheck_subresource"),
    refinement("namespace", "resourcecheck_namespace"),
    refinement("name", "resourcecheck_name"),
    refinement("fieldSelector", "authorizer_fieldselector"),
    refinement("labelSelector", "authorizer_labelselector"),
    member(
      "check",
      [
        "pathcheck_check",
        [PATH_CHECK_TYPE, STRING],
        DECISION_TYPE,
        ({ authorizer, path }: PathCheck, verb: string) => decide(authorizer, { user: authorizer.user, verb, path }),
      ],
      [
        "resourcecheck_check",
        [RESOURCE_CHECK_TYPE, STRING],
        DECISION_TYPE,
        ({ authorizer, resource }: ResourceCheck, verb: string) =>
          decide(authorizer, { user: authorizer.user, verb, ...resource }),
      ],
    ),
    answer("allowed", BOOL, ({ decision }) => decision === "allow"),
    answer("reason", STRING, ({ reason }) => reason ?? ""),
    answer("errored", BOOL, ({ error }) => error !== undefined),
    answer("error", STRING, ({ error }) => error ?? ""),
  ],
};
