/**
 * JSON text over several lines, as Go's json.Indent lays it out: tokens stay as they were written, white space between them
 * does not, and what follows the value is kept. The text must be valid JSON.
 */
export function indentJson(text: string, spaces: number): string {
  let out = "";
  let depth = 0;
  let opened = false;
  const newLine = (): string => `\n${" ".repeat(depth * spaces)}`;
  for (const [token] of text.trimStart().matchAll(TOKENS)) {
    const closes = token === "}" || token === "]";
    if (/^\s/.test(token)) {
      if (depth === 0 && !opened) out += token;
      continue;
    }
    if (opened && !closes) {
      depth++;
      out += newLine();
    }
    if (closes && !opened) {
      depth--;
      out += newLine();
    }
    out += token === ":" ? ": " : token;
    if (token === ",") out += newLine();
    opened = token === "{" || token === "[";
  }
  return out;
}

const TOKENS = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+|\s+/g;
