const ACRONYMS = new Set(["API", "URL", "UID", "GUID"]);

/** A field's name as words: "podIP" -> "Pod IP", "apiVersion" -> "API Version", "my.key" as it is. */
export function fieldLabel(field: string): string {
  if (/[^\p{L}-]/u.test(field)) return field;
  const parts = mergeAcronyms(splitCamelCase(field));
  return parts
    .map((part) => {
      if (ACRONYMS.has(part.toUpperCase())) return part.toUpperCase();
      return part.toLowerCase() === part ? capitalised(part) : part;
    })
    .join(" ");
}

/** Where the class of characters changes; the last capital before small letters goes with them: "PDFLoader" -> "PDF", "Loader". */
function splitCamelCase(text: string): readonly string[] {
  const runs = text.match(/\p{Ll}+|\p{Lu}+|[^\p{Ll}\p{Lu}]+/gu) ?? [];
  const parts: string[] = [];
  for (const run of runs) {
    const before = parts.at(-1);
    if (before !== undefined && /^\p{Lu}+$/u.test(before) && /^\p{Ll}/u.test(run)) {
      const [, rest = "", last = ""] = /^(.*)(.)$/su.exec(before) ?? [];
      parts.pop();
      if (rest !== "") parts.push(rest);
      parts.push(last + run);
    } else parts.push(run);
  }
  return parts;
}

/** "IP" and "Address" were one word of capitals and another: kubectl writes them together. */
function mergeAcronyms(parts: readonly string[]): readonly string[] {
  const merged: string[] = [];
  for (let index = 0; index < parts.length; index += 1) {
    const [part = "", next = ""] = [parts[index], parts[index + 1]];
    if (/^[^\p{Ll}]{2,}$/u.test(part) && /^\p{Lu}/u.test(next)) {
      merged.push(part + next);
      index += 1;
    } else merged.push(part);
  }
  return merged;
}

const capitalised = (word: string): string =>
  word.replace(/\p{L}+/gu, (letters) => letters.charAt(0).toUpperCase() + letters.slice(1));
