import { goQuote } from "../../base/text/go-quote.js";
import type { JsonValue } from "../meta/json.js";
import type { DuplicateKeys } from "./json/exact-json.js";
import { ownValue } from "./json/own-keys.js";

const MOST = 100;

/** `duplicate field "data.a"`, each once, at most 100: what a strict decoder says of a value of no particular type. */
export function repeatedFields(value: JsonValue, duplicates: DuplicateKeys | undefined): readonly string[] {
  if (duplicates === undefined) return [];
  const found = new Set<string>();
  const visit = (held: JsonValue, path: string): void => {
    if (held === null || typeof held !== "object" || found.size >= MOST) return;
    if (Array.isArray(held)) {
      held.forEach((item, index) => visit(item, `${path}[${index}]`));
      return;
    }
    const seen = new Set<string>();
    for (const key of duplicates.get(held) ?? Object.keys(held)) {
      const at = path === "" ? key : `${path}.${key}`;
      if (!seen.has(key)) visit(ownValue(held, key) as JsonValue, at);
      else if (found.size < MOST) found.add(`duplicate field ${goQuote(at)}`);
      seen.add(key);
    }
  };
  visit(value, "");
  return [...found];
}
