export interface Pairs {
  readonly set: ReadonlyMap<string, string>;
  readonly remove: readonly string[];
}

/** Reads `key=value` and `key-` (remove). @throws kubectl's text, naming the flag */
export function parsePairs(values: readonly string[], flag: string): Pairs {
  const set = new Map<string, string>();
  const remove: string[] = [];
  const invalid: string[] = [];
  for (const value of values) {
    const equals = value.indexOf("=");
    if (equals > 0) set.set(value.slice(0, equals), value.slice(equals + 1));
    else if (value.endsWith("-") && value !== "-") remove.push(value.slice(0, -1));
    else invalid.push(value);
  }
  if (invalid.length > 0) throw new Error(`invalid ${flag} format: ${invalid.join(", ")}`);
  return { set, remove };
}
