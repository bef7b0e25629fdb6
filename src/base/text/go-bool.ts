/** Go's strconv.ParseBool; undefined where that fails. */
export function parseGoBool(text: string): boolean | undefined {
  if (/^(1|[tT](rue)?|TRUE)$/.test(text)) return true;
  if (/^(0|[fF](alse)?|FALSE)$/.test(text)) return false;
  return undefined;
}
