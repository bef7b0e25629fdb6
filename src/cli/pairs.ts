/** Operands `TYPE NAME... KEY=VALUE... KEY-`: the resources first, then the changes. */
export interface ResourcesAndPairs {
  readonly resources: readonly string[];
  readonly pairs: readonly string[];
}

/** Splits the operands. Throws when a resource follows a change. `what` names a change in errors: "label". */
export function splitResourcesAndPairs(args: readonly string[], what: string): ResourcesAndPairs {
  const isPair = (arg: string): boolean => arg.indexOf("=") > 0 || (arg.endsWith("-") && arg !== "-");
  const first = args.findIndex(isPair);
  if (first < 0) return { resources: args, pairs: [] };
  const pairs = args.slice(first);
  const late = pairs.find((arg) => !isPair(arg));
  if (late !== undefined) throw new Error(`all resources must be specified before ${what} changes: ${late}`);
  return { resources: args.slice(0, first), pairs };
}

export interface PairChanges {
  readonly set: ReadonlyMap<string, string>;
  /** The keys of `KEY-`. */
  readonly remove: readonly string[];
}

/** Parses `KEY=VALUE` and, where `removable`, `KEY-`. The last value of a key wins. */
export function parsePairs(pairs: readonly string[], what: string, removable: boolean): PairChanges {
  const set = new Map<string, string>();
  const remove: string[] = [];
  const invalid: string[] = [];
  for (const pair of pairs) {
    const equals = pair.indexOf("=");
    if (equals > 0) set.set(pair.slice(0, equals), pair.slice(equals + 1));
    else if (removable && pair.endsWith("-") && pair !== "-") remove.push(pair.slice(0, -1));
    else invalid.push(pair);
  }
  if (invalid.length > 0) throw new Error(`invalid ${what} format: ${invalid.join(", ")}`);
  return { set, remove };
}
