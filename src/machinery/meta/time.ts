/** Formats milliseconds since the Unix epoch as metav1.Time: RFC 3339 in UTC with whole seconds ("2026-01-01T00:00:00Z"). */
export function formatTime(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;
}

/**
 * Formats milliseconds since the Unix epoch, and up to 999 microseconds more, as metav1.MicroTime: always six digits of a second
 * ("2026-01-01T00:00:00.000000Z").
 */
export function formatMicroTime(milliseconds: number, microseconds = 0): string {
  return `${new Date(milliseconds).toISOString().slice(0, 23)}${String(microseconds).padStart(3, "0")}Z`;
}
