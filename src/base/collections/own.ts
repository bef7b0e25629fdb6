/**
 * Returns the value of an own property; undefined for any other name. Names that users choose, above all labels, may be names of
 * Object.prototype: "constructor", "toString", "valueOf".
 */
export function own<T>(record: Readonly<Record<string, T>> | undefined, name: string): T | undefined {
  const value = record?.[name];
  return value === undefined || (record !== undefined && Object.hasOwn(record, name)) ? value : undefined;
}
