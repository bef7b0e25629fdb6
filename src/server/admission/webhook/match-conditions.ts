import { forbidden, internalError } from "../../../machinery/errors/status-error.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import type { AdmissionAttributes } from "../attributes.js";
import type { Invocation } from "./match-rules.js";
import type { Webhook } from "./webhook.js";

/**
 * Compiles the matchConditions of a webhook. It is called once for each revision of a configuration, when a request first
 * matches the webhook's rules and selectors.
 */
export type CompileMatchConditions = (webhook: Webhook) => MatchConditions;

/** The compiled matchConditions of a webhook. */
export interface MatchConditions {
  /** `matches` false: the webhook is not called. `error`: the request is refused with it, as the webhook's failurePolicy wants. */
  match(request: MatchedRequest): Promise<{ readonly matches: boolean } | { readonly error: string }>;
}

/** What match conditions look at. */
export interface MatchedRequest {
  readonly attributes: AdmissionAttributes;
  readonly invocation: Invocation;
  /** In the version of the invocation's kind; undefined where the request has none. */
  readonly object: KubeObject | undefined;
  readonly oldObject: KubeObject | undefined;
}

/** Decides by the matchConditions of webhooks. Without a compiler, a request that such a webhook is for is an error of the server. */
export class MatchConditionsOfWebhooks {
  readonly #compiled = new WeakMap<Webhook, MatchConditions>();

  constructor(private readonly compile: CompileMatchConditions | undefined) {}

  async match(attributes: AdmissionAttributes, invocation: Invocation): Promise<boolean> {
    const { webhook, kind } = invocation;
    if (webhook.matchConditions.length === 0) return true;
    if (this.compile === undefined) {
      throw internalError(`webhook "${webhook.name}" has matchConditions, which this server cannot evaluate`);
    }
    const compiled = this.#compiled.get(webhook) ?? this.compile(webhook);
    this.#compiled.set(webhook, compiled);
    const { object, oldObject, versions, resource, name } = attributes;
    const outcome = await compiled.match({
      attributes,
      invocation,
      object: object && (await versions.convert(object, kind)),
      oldObject: oldObject && (await versions.convert(oldObject, kind)),
    });
    if ("error" in outcome)
      throw forbidden({ group: resource.group, resource: resource.resource }, name, outcome.error);
    return outcome.matches;
  }
}
