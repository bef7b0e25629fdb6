/**
 * What Go says of a pattern it cannot read; undefined for one that is good. Go's patterns (RE2) are near enough to JavaScript's:
 * what both know is tried in JavaScript, and what only JavaScript knows is named first.
 */
export function patternProblem(pattern: string): string | undefined {
  const unknown = JAVASCRIPT_ONLY.map((only) => only(pattern)).find((problem) => problem !== undefined);
  if (unknown !== undefined) return `error parsing regexp: ${unknown}`;
  if (reads(pattern, "u") || reads(inJavaScript(pattern), "")) return undefined;
  return `error parsing regexp: ${syntaxProblem(pattern)}`;
}

const JAVASCRIPT_ONLY: readonly ((pattern: string) => string | undefined)[] = [
  (pattern) => {
    const found = /\(\?(?:[=!]|<(?=[=!]))/.exec(pattern)?.[0];
    return found && `invalid or unsupported Perl syntax: \`${found}\``;
  },
  (pattern) => {
    const found = /(?<!\\)(?:\\\\)*(\\[1-9])/.exec(pattern)?.[1];
    return found && `invalid escape sequence: \`${found}\``;
  },
];

function reads(pattern: string, flags: string): boolean {
  try {
    new RegExp(pattern, flags);
    return true;
  } catch {
    return false;
  }
}

/** Go's own ways of writing replaced by JavaScript's, as far as reading goes. */
function inJavaScript(pattern: string): string {
  return pattern
    .replaceAll("(?P<", "(?<")
    .replaceAll(/\[:\^?\w+:\]/g, "a")
    .replaceAll(/\(\?[imsU]+(?:-[imsU]+)?([:)])/g, (_, end: string) => (end === ":" ? "(?:" : "(?:)"));
}

function syntaxProblem(pattern: string): string {
  const plain = pattern
    .replaceAll(/\\./g, "")
    .replaceAll(/\[\^?\]?[^\]]*(\]?)/g, (all, end: string) => (end === "" ? all : ""));
  const [open, close] = [plain.split("(").length, plain.split(")").length];
  const bracket = plain.indexOf("[");
  if (bracket >= 0) return `missing closing ]: \`${pattern.slice(pattern.lastIndexOf("["))}\``;
  if (open > close) return `missing closing ): \`${pattern}\``;
  if (close > open) return `unexpected ): \`${pattern}\``;
  const repeated = /^[*+?]|(?<=[(|])[*+?]/.exec(plain)?.[0];
  if (repeated !== undefined) return `missing argument to repetition operator: \`${repeated}\``;
  const twice = /[*+?]{2,}/.exec(plain)?.[0];
  if (twice !== undefined) return `invalid nested repetition operator: \`${twice}\``;
  return plain.endsWith("\\") || pattern.endsWith("\\")
    ? "trailing backslash at end of expression: ``"
    : `invalid escape sequence: \`${pattern}\``;
}
