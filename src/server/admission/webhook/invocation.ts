import type { EquivalentResource } from "../attributes.js";
import type { Webhook } from "./webhook.js";

/** A webhook that a request is for, with the resource and kind that its rules name. */
export interface Invocation extends EquivalentResource {
  readonly webhook: Webhook;
}
