/**
 * Copies the entries into an object without a prototype, so that it has no value for a name of Object.prototype, as "constructor".
 * For tables that are read by names which users choose.
 */
/* @__NO_SIDE_EFFECTS__ */
export function dictionary<Name extends string, Value>(entries: Readonly<Record<Name, Value>>): Record<Name, Value> {
  return Object.assign(Object.create(null), entries);
}
