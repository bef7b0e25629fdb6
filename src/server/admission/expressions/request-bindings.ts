import type { JsonObject } from "../../../machinery/meta/json.js";
import type { AdmissionAttributes, EquivalentResource } from "../attributes.js";
import { type EvaluatedObjects, requestVariable } from "./evaluated-request.js";
import type { RequestAuthorizer } from "./request-authorizer.js";

/** What expressions are evaluated over. */
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

/** The variables of a request, each made when an expression first reads it. */
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
