/** The key of a user's extra values in the name of a header. Percent signs that mean nothing are part of the key. */
export function unescapeKey(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}
