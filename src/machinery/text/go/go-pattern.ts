import { dictionary } from "../../../base/collections/dictionary.js";
import { goQuote } from "../../../base/text/go-quote.js";

/** Converts a pattern of Go (RE2) to a RegExp. Throws in Go's words for an invalid one. */
export function goPattern(pattern: string): RegExp {
  const flags = new Set<string>();
  const source = pattern
    .replace(/^\(\?([ims]+)\)/, (_, letters: string) => {
      for (const letter of letters) flags.add(letter);
      return "";
    })
    .replaceAll("(?P<", "(?<")
    .replaceAll("\\A", "^")
    .replaceAll("\\z", "$")
    .replaceAll(/\[:(\^?)(\w+):\]/g, (whole, not: string, name: string) =>
      not === "" && CLASSES[name] !== undefined ? CLASSES[name] : whole,
    );
  try {
    return new RegExp(source, [...flags].join(""));
  } catch (error) {
    throw new Error(`error parsing regexp: ${problem(pattern)}`, { cause: error });
  }
}

const CLASSES: Readonly<Record<string, string>> = dictionary({
  alnum: "0-9A-Za-z",
  alpha: "A-Za-z",
  digit: "0-9",
  lower: "a-z",
  upper: "A-Z",
  space: "\\t\\n\\v\\f\\r ",
  word: "\\w",
  xdigit: "0-9A-Fa-f",
});

function problem(pattern: string): string {
  const unescaped = pattern.replaceAll(/\\./g, "");
  const end = unescaped.lastIndexOf("]") + 1;
  const plain = unescaped.slice(0, end).replaceAll(/\[\^?\]?[^\]]*\]/g, "") + unescaped.slice(end);
  if (plain.includes("[")) return `missing closing ]: \`${pattern.slice(pattern.lastIndexOf("["))}\``;
  const repeated = /^[*+?]|(?<=[(|])[*+?]/.exec(plain.replaceAll("(?:", "("))?.[0];
  if (repeated !== undefined) return `missing argument to repetition operator: \`${repeated}\``;
  const depth = plain.split("(").length - plain.split(")").length;
  if (depth > 0) return `missing closing ): \`${pattern}\``;
  if (depth < 0) return `unexpected ): \`${pattern}\``;
  return `invalid nested repetition operator: ${goQuote(/[*+?]{2,}/.exec(plain)?.[0] ?? "").replaceAll('"', "`")}`;
}

/** Makes a pattern that must match the whole of a text. */
export const wholePattern = (pattern: string): RegExp => goPattern(pattern === "" ? "" : `^(?:${pattern})$`);
