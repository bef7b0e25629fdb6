/** Several errors as Go's aggregate prints them: repeated texts once, brackets when more than one is left. */
export function aggregateText(errors: readonly string[]): string {
  const texts = [...new Set(errors)];
  return texts.length === 1 ? (texts[0] ?? "") : `[${texts.join(", ")}]`;
}
