import { isFields, type ReadonlyFields } from "../../machinery/meta/access.js";

const sent = new WeakMap<object, ReadonlyFields>();

/**
 * Remembers the v1beta1 spec from which a v1 spec was converted. Validation checks what the client sent, because v1 cannot state
 * something both at the top and in versions.
 */
export function rememberBetaSpec(spec: ReadonlyFields, beta: ReadonlyFields): void {
  sent.set(spec, beta);
}

/** Returns the v1beta1 spec that was sent; undefined for a spec that was not converted, or that was changed afterwards, as by a webhook. */
export const betaSpecOf = (spec: unknown): ReadonlyFields | undefined => (isFields(spec) ? sent.get(spec) : undefined);
