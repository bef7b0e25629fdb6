/** The names of a module's constants, each given once. */
export class UnusedNames {
  readonly #taken = new Set(RESERVED);

  constructor(names: Iterable<string>) {
    for (const name of names) this.#taken.add(name);
  }

  /** Takes the first of the candidates whose constant is left, else the last one with a number behind it. */
  take(candidates: readonly string[]): string {
    const isLeft = (one: string): boolean => !this.#taken.has(uncapitalized(one));
    const last = candidates.at(-1) ?? "";
    let name = candidates.find(isLeft);
    for (let count = 2; name === undefined; count++) {
      if (isLeft(`${last}${count}`)) name = `${last}${count}`;
    }
    this.#taken.add(uncapitalized(name));
    return name;
  }
}

/** The words that no constant of a module may be called. */
const RESERVED: readonly string[] = (
  "arguments await break case catch class const continue debugger default delete do else enum eval export extends false finally for " +
  "function if implements import in instanceof interface let new null package private protected public return static super switch " +
  "this throw true try typeof undefined var void while with yield"
).split(" ");

/** "spec" -> "Spec", "pod-selector" -> "PodSelector": as a part of a type's name. */
export const capitalized = (name: string): string =>
  name
    .split(/[^A-Za-z0-9]+/)
    .map((part) => part.slice(0, 1).toUpperCase() + part.slice(1))
    .join("");

/** "HTTPRoute" -> "httpRoute", "APIService" -> "apiService", "Widget" -> "widget": as a constant's name. */
export function uncapitalized(name: string): string {
  const [capitals = ""] = /^[A-Z]*/.exec(name) ?? [];
  // The last capital of several begins the next word.
  const isWord = capitals.length > 1 && /^[a-z]/.test(name.slice(capitals.length));
  const length = isWord ? capitals.length - 1 : capitals.length;
  const result = name.slice(0, length).toLowerCase() + name.slice(length);
  return /^\d/.test(result) || result === "" ? `_${result}` : result;
}

/** "rules" -> "rule", "policies" -> "policy", "addresses" -> "address", "status" -> "status". */
export function singularOf(word: string): string {
  if (/(?:us|is|ss)$/i.test(word)) return word;
  if (word.endsWith("ies")) return `${word.slice(0, -3)}y`;
  if (/(?:ss|x|ch|sh)es$/.test(word)) return word.slice(0, -2);
  return word.endsWith("s") ? word.slice(0, -1) : word;
}
