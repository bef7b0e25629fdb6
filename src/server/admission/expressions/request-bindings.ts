import type { JsonObject } from "../../../machinery/meta/json.js";
import type { AdmissionAttributes, EquivalentResource } from "../attributes.js";
import { type EvaluatedObjects, requestVariable } from "./evaluated-request.js";
import { errorMessage } from "../../../base/text/error-message.js";
import { type AccessCheck, type AccessDecision, AccessDecisions } from "../../../machinery/cel/kubernetes/access.js";
import { AuthorizerValue } from "../../../machinery/cel/kubernetes/authorizer.js";
import type { Value } from "../../../machinery/cel/values/value.js";
import type { Authorizer, AuthorizerAttributes } from "../../authz/authorizer.js";
import { checkOf } from "../resource-check.js";

/** The input of expressions: the request, its objects and the parameter. */
export interface RequestInput {
  /** By which the request matched; `request.resource` and `request.kind` show it. */
  readonly matched: EquivalentResource;
  readonly objects: EvaluatedObjects;
  /** The variable `params`; undefined: null. */
  readonly parameter: JsonObject | undefined;
  readonly namespaceObject: JsonObject | null;
  /** Undefined: `authorizer` has no value. */
  readonly authorizer: RequestAuthorizer | undefined;
}

/** Binds the variables of a request, each of which is computed when an expression first reads it. */
export function requestBindings(attributes: AdmissionAttributes, input: RequestInput): (name: string) => unknown {
  const { matched, objects, parameter, namespaceObject, authorizer } = input;
  let request: JsonObject | undefined;
  return (name) => {
    switch (name) {
      case "object":
        return objects.object;
      case "oldObject":
        return objects.oldObject;
      case "params":
        return parameter ?? null;
      case "request":
        return (request ??= requestVariable(attributes, matched));
      case "namespaceObject":
        return namespaceObject;
      case "authorizer":
        return authorizer?.value;
      case "authorizer.requestResource":
        return authorizer?.requestResource;
      default:
        return undefined;
    }
  };
}

/** The server's authorizer for the expressions of one request. Each question is asked once. */
export class RequestAuthorizer {
  readonly decisions: AccessDecisions;
  /** The variable `authorizer`. */
  readonly value: AuthorizerValue;

  constructor(
    private readonly attributes: AdmissionAttributes,
    authorize: Authorizer,
  ) {
    this.decisions = new AccessDecisions((check) => ask(authorize, check));
    this.value = new AuthorizerValue(attributes.user, this.decisions);
  }

  /** The variable `authorizer.requestResource`. */
  get requestResource(): Value {
    const { resource, subresource, namespace, name } = this.attributes;
    return this.value.ofResource({
      apiGroup: resource.group,
      resource: resource.resource,
      subresource,
      namespace,
      name,
    });
  }
}

async function ask(authorize: Authorizer, check: AccessCheck): Promise<AccessDecision> {
  try {
    return await authorize(attributesOf(check));
  } catch (error) {
    return { decision: "no-opinion", error: errorMessage(error) };
  }
}

function attributesOf(check: AccessCheck): AuthorizerAttributes {
  const { user, verb } = check;
  if ("path" in check) {
    const none = { apiGroup: "", apiVersion: "", resource: "", subresource: "", namespace: "", name: "" };
    return { user, verb, isResourceRequest: false, ...none, path: check.path };
  }
  const { apiGroup, ...resource } = check;
  return checkOf(user, { ...resource, verb, group: apiGroup, version: "*" });
}
