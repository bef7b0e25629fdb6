/** Names as Go writes them, with their values. */
export type LoggedHeaders = readonly (readonly [name: string, values: readonly string[]])[];

/** `X-From-Cache`: each part begins with a capital. */
export const canonicalName = (name: string): string =>
  name.toLowerCase().replaceAll(/(^|-)([a-z])/g, (part) => part.toUpperCase());

/** A line for each value, by name; credentials are masked. */
export function headerLines(headers: LoggedHeaders): string {
  return headers
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([name, values]) => values.map((value) => `${name}: ${maskedValue(name, value)}\n`))
    .join("");
}

const KNOWN_SCHEMES: ReadonlySet<string> = new Set(["bearer", "basic", "negotiate"]);

/** What the log shows of a header: of Authorization its scheme alone, and not even that where it is not a known one. */
export function maskedValue(name: string, value: string): string {
  if (name.toLowerCase() !== "authorization" || value === "") return value;
  const space = value.indexOf(" ");
  const scheme = space > 0 ? value.slice(0, space) : value;
  if (!KNOWN_SCHEMES.has(scheme.toLowerCase())) return "<masked>";
  return value.length > scheme.length + 1 ? `${scheme} <masked>` : scheme;
}
