import { errorMessage } from "../../../base/text/error-message.js";
import { type AccessCheck, type AccessDecision, AccessDecisions } from "../../../machinery/cel/kubernetes/access.js";
import { AuthorizerValue } from "../../../machinery/cel/kubernetes/authorizer.js";
import type { Value } from "../../../machinery/cel/values/value.js";
import type { Authorizer, AuthorizerAttributes } from "../../authz/authorizer.js";
import type { AdmissionAttributes } from "../attributes.js";
import { checkOf } from "../resource-check.js";

/** The server's authorizer as the expressions of one request ask it. The same question is asked once. */
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
