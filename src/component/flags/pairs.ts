import { withoutTrailing } from "../../base/text/without-trailing.js";
import { readCsv } from "./csv.js";
import type { FlagSpec, PairsType } from "./flag-set.js";
import { parseGoBool } from "../../base/text/go-literals.js";

type ReadPair = (pair: string) => readonly [key: string, value: string];

const PARTS: Readonly<Record<PairsType, (text: string) => readonly string[]>> = {
  mapStringString: (text) => text.split(",").filter((part) => part !== ""),
  // A comma parts pairs only where there are several.
  stringToString: (text) => (text.split("=").length > 2 ? readCsv(text) : [withoutQuotes(text)]),
};

/** Without the quotation marks around it, in one pass. */
function withoutQuotes(text: string): string {
  let from = 0;
  while (text[from] === '"') from++;
  return withoutTrailing(text.slice(from), '"');
}

const READ: Readonly<Record<PairsType, ReadPair>> = {
  /** White space around keys and values does not count. */
  mapStringString(pair) {
    const [key, value] = cut(pair) ?? fail("malformed pair, expect string=string");
    return [key.trim(), value.trim()];
  },
  stringToString: (pair) => cut(pair) ?? fail(`${pair} must be formatted as key=value`),
};

/** The type and the parser of a flag that takes pairs. A later value of a key wins. */
export const pairsOfType = (type: PairsType): Pick<FlagSpec & { type: PairsType }, "type" | "parse"> => ({
  type,
  parse(text, before) {
    const pairs = pairsOf(before);
    for (const part of PARTS[type](text)) pairs.set(...READ[type](part));
    return [...pairs].map(([key, value]) => `${key}=${value}`);
  },
});

/** The pairs of a flag, as `Flags.strings` answers them. */
export const pairsOf = (values: readonly string[]): Map<string, string> =>
  new Map(values.map((pair) => cut(pair) ?? [pair, ""]));

function cut(pair: string): readonly [string, string] | undefined {
  const equals = pair.indexOf("=");
  return equals < 0 ? undefined : [pair.slice(0, equals), pair.slice(equals + 1)];
}

function fail(message: string): never {
  throw new Error(message);
}

/** Reads the entries of --runtime-config: "group/version" or a class of versions, with on or off. Throws an Error for any other entry. */
export function readRuntimeConfig(entries: readonly string[]): Readonly<Record<string, boolean>> {
  const config: Record<string, boolean> = {};
  for (const entry of entries) {
    const [key = "", value = "true"] = entry.split("=");
    const enabled = value === "" ? true : parseGoBool(value);
    if (enabled === undefined || !/^(api\/(all|ga|beta|alpha)|v1|[a-z0-9.-]+\/v[0-9][a-z0-9]*)$/.test(key)) {
      throw new Error(
        `invalid value "${entry}" for --runtime-config: use group/version=true|false, or api/all, api/ga, api/beta or api/alpha`,
      );
    }
    config[key] = enabled;
  }
  return config;
}
