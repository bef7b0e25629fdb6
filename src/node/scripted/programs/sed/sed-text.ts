import { dictionary } from "../../../../base/collections/dictionary.js";
import type { ReplacementPart } from "./sed-script.js";

export const ESCAPES: Readonly<Record<string, string>> = dictionary({
  a: "\x07",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
});

/** Replaces escapes such as \t, \x41, \o101 and \d065 by their characters; one that is special in a pattern gets a backslash. */
export function withCharacters(text: string): string {
  return text.replace(
    /\\(?:([afrtv])|x([0-9A-Fa-f]{1,2})|o([0-7]{1,3})|d(\d{1,3})|([\s\S]))/g,
    (
      whole,
      letter: string | undefined,
      hex: string | undefined,
      octal: string | undefined,
      decimal: string | undefined,
    ) => {
      if (letter !== undefined) return ESCAPES[letter] ?? "";
      const code =
        hex !== undefined
          ? Number.parseInt(hex, 16)
          : octal !== undefined
            ? Number.parseInt(octal, 8)
            : decimal !== undefined
              ? Number(decimal)
              : undefined;
      if (code === undefined) return whole;
      const char = String.fromCharCode(code & 0xff);
      return /[\\.*[\]^$/&]/.test(char) ? `\\${char}` : char;
    },
  );
}

/** Parses a replacement into texts, groups and changes of case. */
export function replacementParts(replacement: string): ReplacementPart[] {
  const parts: ReplacementPart[] = [];
  let text = "";
  const flush = (part?: Partial<ReplacementPart>): void => {
    if (text !== "") parts.push({ text });
    text = "";
    if (part !== undefined) parts.push({ text: "", ...part });
  };
  const source = withCharacters(replacement);
  for (let at = 0; at < source.length; at += 1) {
    const char = source[at] ?? "";
    if (char === "&") flush({ group: 0 });
    else if (char !== "\\") text += char;
    else {
      const next = source[(at += 1)] ?? "";
      if (/\d/.test(next)) flush({ group: Number(next) });
      else if (next === "L" || next === "U" || next === "E") flush({ letters: next });
      else if (next === "l" || next === "u") flush({ nextLetter: next });
      else text += next === "n" ? "\n" : next;
    }
  }
  flush();
  return parts;
}
