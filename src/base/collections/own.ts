/**
 * What a record holds under a name of its own; undefined for one that it does not have. Names that users choose, labels above all, may be
 * those of Object.prototype: "constructor", "toString", "valueOf".
 */
export function own<T>(record: Readonly<Record<string, T>> | undefined, name: string): T | undefined {
  const value = record?.[name];
  return value === undefined || (record !== undefined && Object.hasOwn(record, name)) ? value : undefined;
}
