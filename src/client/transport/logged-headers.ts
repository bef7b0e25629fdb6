/** Headers with the names in Go's canonical form. */
export type LoggedHeaders = readonly (readonly [name: string, values: readonly string[]])[];

/** Capitalizes each part of a name: `X-From-Cache`. */
export const canonicalName = (name: string): string =>
  name.toLowerCase().replaceAll(/(^|-)([a-z])/g, (part) => part.toUpperCase());

/** Prints a line per value, sorted by name, with masked credentials. */
export function headerLines(headers: LoggedHeaders): string {
  return headers
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([name, values]) => values.map((value) => `${name}: ${maskedValue(name, value)}\n`))
    .join("");
}

const KNOWN_SCHEMES: ReadonlySet<string> = new Set(["bearer", "basic", "negotiate"]);

/** Masks an Authorization header after its scheme, or as a whole where the scheme is unknown. Keeps other headers. */
export function maskedValue(name: string, value: string): string {
  if (name.toLowerCase() !== "authorization" || value === "") return value;
  const space = value.indexOf(" ");
  const scheme = space > 0 ? value.slice(0, space) : value;
  if (!KNOWN_SCHEMES.has(scheme.toLowerCase())) return "<masked>";
  return value.length > scheme.length + 1 ? `${scheme} <masked>` : scheme;
}
