/** Formats several errors as Go's aggregate does: duplicates once, brackets if more than one is left. */
export function aggregateText(errors: readonly string[]): string {
  const texts = [...new Set(errors)];
  return texts.length === 1 ? (texts[0] ?? "") : `[${texts.join(", ")}]`;
}
