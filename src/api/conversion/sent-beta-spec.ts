import { isFields, type ReadonlyFields } from "../../machinery/meta/access.js";

const sent = new WeakMap<object, ReadonlyFields>();

/**
 * Remembers the v1beta1 spec of a CustomResourceDefinition that a spec of v1 was converted from. Validation judges what the client sent:
 * v1 cannot say a thing both at the top and in versions.
 */
export function rememberBetaSpec(spec: ReadonlyFields, beta: ReadonlyFields): void {
  sent.set(spec, beta);
}

/** The spec that was sent; undefined for one that was not converted, or that was changed since, as by a webhook. */
export const betaSpecOf = (spec: unknown): ReadonlyFields | undefined => (isFields(spec) ? sent.get(spec) : undefined);
