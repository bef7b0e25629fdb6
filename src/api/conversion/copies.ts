import { absent, type Fields, type ReadonlyFields } from "../../machinery/meta/access.js";

/** A copy that lacks some fields; the source itself where it has none of them. */
export function without<T extends ReadonlyFields>(source: T, names: readonly string[]): T {
  if (!names.some((name) => Object.hasOwn(source, name))) return source;
  return Object.fromEntries(Object.entries(source).filter(([name]) => !names.includes(name))) as T;
}

/** A copy that lacks what is absent, so that a field Kubernetes has no value for is not there at all. */
export function compact(fields: ReadonlyFields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => !absent(value)));
}
