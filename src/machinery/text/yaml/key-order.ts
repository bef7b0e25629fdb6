/** Compares keys in the order of goyaml v2: digits are compared as numbers ("a9" before "a10"), and letters come after other characters. */
export function compareKeys(a: string, b: string): number {
  const left = Array.from(a);
  const right = Array.from(b);
  const shared = Math.min(left.length, right.length);
  for (let at = 0; at < shared; at += 1) {
    const x = left[at] ?? "";
    const y = right[at] ?? "";
    if (x === y) continue;
    const xIsLetter = isLetter(x);
    const yIsLetter = isLetter(y);
    if (xIsLetter && yIsLetter) return codePoint(x) - codePoint(y);
    if (xIsLetter || yIsLetter) return yIsLetter ? -1 : 1;
    return compareNumbers(left, right, at) || codePoint(x) - codePoint(y);
  }
  return left.length - right.length;
}

/** Compares the runs of digits that begin where two keys first differ. */
function compareNumbers(left: readonly string[], right: readonly string[], at: number): number {
  // A zero inside a number that began earlier is a digit like any other: a leading 1 keeps its weight.
  const inside = (left[at] === "0" || right[at] === "0") && followsNonZeroDigit(left, at);
  const x = digitRun(left, at, inside);
  const y = digitRun(right, at, inside);
  if (x.value !== y.value) return x.value < y.value ? -1 : 1;
  return x.end - y.end;
}

function followsNonZeroDigit(key: readonly string[], at: number): boolean {
  for (let index = at - 1; index >= 0 && isDigit(key[index] ?? ""); index -= 1) {
    if (key[index] !== "0") return true;
  }
  return false;
}

function digitRun(key: readonly string[], at: number, inside: boolean): { value: bigint; end: number } {
  let value = inside ? 1n : 0n;
  let end = at;
  for (; end < key.length && isDigit(key[end] ?? ""); end += 1) {
    value = BigInt.asIntN(64, value * 10n + BigInt(codePoint(key[end] ?? "") - 0x30));
  }
  return { value, end };
}

function isLetter(character: string): boolean {
  return /^\p{L}$/u.test(character);
}

function isDigit(character: string): boolean {
  return /^\p{Nd}$/u.test(character);
}

function codePoint(character: string): number {
  return character.codePointAt(0) ?? 0;
}
