const known = new Map<string, boolean>();

/** Whether the tz database has a zone of this name, in its own spelling. */
export function isTimeZone(name: string): boolean {
  let answer = known.get(name);
  if (answer === undefined) {
    answer = lookUp(name);
    if (known.size < 1000) known.set(name, answer);
  }
  return answer;
}

function lookUp(name: string): boolean {
  if (name === "UTC") return true;
  // What ECMAScript takes beside names is an offset.
  if (/^[+-]/.test(name)) return false;
  try {
    const { timeZone } = new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions();
    return timeZone === name || timeZone.toLowerCase() !== name.toLowerCase();
  } catch {
    return false;
  }
}
