/** Compares texts by the numbers in them, as `sort -V` and `ls -v` do: "1.9" is before "1.10", and "1.0~rc1" before "1.0". */
export function compareVersions(a: string, b: string): number {
  if (a === b) return 0;
  for (const special of ["", ".", ".."]) {
    if (a === special) return -1;
    if (b === special) return 1;
  }
  if (a.startsWith(".") !== b.startsWith(".")) return a.startsWith(".") ? -1 : 1;
  const [bareA, bareB] = [withoutSuffix(a), withoutSuffix(b)];
  const byBare = bareA === bareB ? 0 : compareParts(bareA, bareB);
  return byBare === 0 ? compareParts(a, b) : byBare;
}

/** Without what looks like the suffixes of a file's name. */
const withoutSuffix = (text: string): string => text.replace(/(?:\.[A-Za-z~][A-Za-z0-9~]{0,64}){1,16}$/, "");

function compareParts(a: string, b: string): number {
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    while ((i < a.length && !isDigit(a, i)) || (j < b.length && !isDigit(b, j))) {
      const order = rank(a, i) - rank(b, j);
      if (order !== 0) return order;
      i += 1;
      j += 1;
    }
    while (a[i] === "0") i += 1;
    while (b[j] === "0") j += 1;
    let difference = 0;
    while (isDigit(a, i) && isDigit(b, j)) {
      if (difference === 0) difference = a.charCodeAt(i) - b.charCodeAt(j);
      i += 1;
      j += 1;
    }
    if (isDigit(a, i)) return 1;
    if (isDigit(b, j)) return -1;
    if (difference !== 0) return difference;
  }
  return 0;
}

function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 48 && code <= 57;
}

/** "~" is before the end, letters are before other characters. */
function rank(text: string, at: number): number {
  const char = text[at];
  if (char === undefined) return -1;
  if (isDigit(text, at)) return 0;
  if (char === "~") return -2;
  const code = char.charCodeAt(0);
  return /[A-Za-z]/.test(char) ? code : code + 256;
}
