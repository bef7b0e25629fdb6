/** A key for a map, of texts that may be absent. */
export function keyOf(...parts: readonly (string | undefined)[]): string {
  return parts.map((part) => part ?? "").join("\0");
}
