import type { ReadonlyFields } from "../../../machinery/meta/access.js";

/** Returns the fields except those with the given names. */
export const withoutFields = (fields: object, ...names: readonly string[]): ReadonlyFields =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
