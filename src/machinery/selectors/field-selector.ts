import { SelectorError } from "./label-selector.js";

export interface FieldRequirement {
  readonly field: string;
  readonly operator: "=" | "!=";
  readonly value: string;
}

/** An immutable conjunction of (in)equalities over named fields; a field an object lacks is "". */
export interface FieldSelector {
  readonly requirements: readonly FieldRequirement[];
  /** Matches everything. */
  readonly empty: boolean;
  matches(fields: Readonly<Record<string, string>>): boolean;
  /** The value `field` must have, when the selector asks for one. */
  requiredValue(field: string): string | undefined;
  /** The selector as text, values escaped; parses to itself. */
  toString(): string;
}

export function fieldSelector(requirements: readonly FieldRequirement[]): FieldSelector {
  return {
    requirements,
    empty: requirements.length === 0,
    matches: (fields) =>
      requirements.every(({ field, operator, value }) => {
        const actual = Object.hasOwn(fields, field) ? fields[field] : "";
        return (actual === value) === (operator === "=");
      }),
    requiredValue: (field) =>
      requirements.find((requirement) => requirement.field === field && requirement.operator === "=")?.value,
    toString: () =>
      requirements.map(({ field, operator, value }) => `${field}${operator}${escapeFieldValue(value)}`).join(","),
  };
}

/** Parses `a.b=c,d!=e` (`==` too; `\`, `,` and `=` in values are escaped). Throws a {@link SelectorError}. */
export function parseFieldSelector(text: string): FieldSelector {
  const requirements: FieldRequirement[] = [];
  for (const term of splitTerms(text).sort()) {
    if (term === "") continue;
    const match = /^(.*?)(!=|==|=)(.*)$/s.exec(term);
    if (match === null) throw new SelectorError(`invalid selector: '${text}'; can't understand '${term}'`);
    const [, field = "", operator, value = ""] = match;
    requirements.push({ field, operator: operator === "!=" ? "!=" : "=", value: unescapeFieldValue(value) });
  }
  return fieldSelector(requirements);
}

function escapeFieldValue(value: string): string {
  return value.replace(/[\\,=]/g, "\\$&");
}

function unescapeFieldValue(value: string): string {
  let result = "";
  let escaped = false;
  for (const char of value) {
    if (escaped) {
      if (char !== "\\" && char !== "," && char !== "=") throw badEscape(`\\${char}`);
      result += char;
      escaped = false;
    } else if (char === "\\") escaped = true;
    else if (char === "," || char === "=") {
      throw new SelectorError(`invalid field selector: unescaped character in value: ${char.codePointAt(0)}`);
    } else result += char;
  }
  if (escaped) throw badEscape("\\");
  return result;
}

function badEscape(sequence: string): SelectorError {
  return new SelectorError(`invalid field selector: invalid escape sequence: ${sequence}`);
}

/** Splits at commas that no backslash precedes. */
function splitTerms(text: string): string[] {
  const terms: string[] = [];
  let term = "";
  for (let index = 0; index < text.length; index++) {
    const char = text[index] ?? "";
    if (char === ",") {
      terms.push(term);
      term = "";
      continue;
    }
    term += char;
    if (char === "\\" && index + 1 < text.length) term += text[++index];
  }
  return [...terms, term];
}
