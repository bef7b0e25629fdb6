/** A field, or a text from outside: it compares as a number where it looks like one. */
export class InputText {
  #isNumber: boolean | undefined;

  constructor(readonly text: string) {}

  get isNumber(): boolean {
    return (this.#isNumber ??= LOOKS_NUMERIC.test(this.text));
  }
}

/** What a variable holds; undefined before it is assigned. */
export type Value = number | string | InputText | undefined;

const LOOKS_NUMERIC = /^[ \t\n\r\f\v]*[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?[ \t\n\r\f\v]*$/;
const NUMBER = /^[ \t\n\r\f\v]*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)/;
/** Texts of numbers are not longer. */
const LONGEST_NUMBER = 512;

export function toNumber(value: Value): number {
  if (typeof value === "number") return value;
  if (value === undefined) return 0;
  const text = typeof value === "string" ? value : value.text;
  const code = text.charCodeAt(0);
  if (text.length < 10 && code >= 49 && code <= 57 && /^\d+$/.test(text)) return Number(text);
  return Number(NUMBER.exec(text.length > LONGEST_NUMBER ? text.slice(0, LONGEST_NUMBER) : text)?.[1] ?? 0);
}

export function isTrue(value: Value): boolean {
  if (typeof value === "number") return value !== 0;
  if (typeof value === "object") return value.isNumber ? toNumber(value) !== 0 : value.text !== "";
  return value !== undefined && value !== "";
}

export const isNumeric = (value: Value): boolean =>
  typeof value === "number" || value === undefined || (typeof value === "object" && value.isNumber);

/** How many bytes a value holds. */
export const bytesIn = (value: Value): number =>
  typeof value === "string" ? value.length : typeof value === "object" ? value.text.length : 0;
