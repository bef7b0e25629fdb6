import { append } from "../base/collections/append.js";
import type { CommandFiles } from "../base/files/command-files.js";
import type { PlatformPath } from "node:path";
import { compareKeys } from "../base/collections/key-order.js";

/** Thrown for a glob pattern that ends inside a class or an escape. */
export class BadPatternError extends Error {
  override readonly name = "BadPatternError";
  constructor() {
    super("syntax error in pattern");
  }
}

/**
 * The existing paths a pattern of Go's filepath.Match matches (`*`, `?`, `[a-z]`, `\`), each directory in byte order, dot files
 * included. Throws {@link BadPatternError}. A directory that cannot be read has no matches.
 */
export async function glob(
  pattern: string,
  path: PlatformPath,
  toFile: (name: string) => string,
  files: CommandFiles,
): Promise<string[]> {
  const escapes = path.sep === "/";
  compile(pattern, escapes);
  if (!hasMeta(pattern, escapes)) return (await exists(toFile(pattern), files)) ? [pattern] : [];
  const cut = lastSeparator(pattern, path);
  const name = pattern.slice(cut + 1);
  const directory = cut < 0 ? "." : pattern.slice(0, cut) || path.sep;
  const parents = cut < 0 || !hasMeta(directory, escapes) ? [directory] : await glob(directory, path, toFile, files);
  const expression = compile(name, escapes);
  const found: string[] = [];
  for (const parent of parents) {
    const names = await files.readdir(toFile(parent)).catch(() => []);
    const matches = names.filter((entry) => expression.test(entry)).sort(compareKeys);
    append(
      found,
      matches.map((entry) => (cut < 0 ? entry : path.join(parent, entry))),
    );
  }
  return found;
}

const exists = (file: string, files: CommandFiles): Promise<boolean> =>
  files.lstat(file).then(
    () => true,
    () => false,
  );

const hasMeta = (text: string, escapes: boolean): boolean => (escapes ? /[*?[\\]/ : /[*?[]/).test(text);

function lastSeparator(pattern: string, path: PlatformPath): number {
  return path.sep === "/" ? pattern.lastIndexOf("/") : Math.max(pattern.lastIndexOf("/"), pattern.lastIndexOf("\\"));
}

function compile(pattern: string, escapes: boolean): RegExp {
  let source = "";
  for (let i = 0; i < pattern.length; i++) {
    const character = pattern.charAt(i);
    if (character === "*") {
      source += "[^/]*";
    } else if (character === "?") {
      source += "[^/]";
    } else if (character === "[") {
      const end = classEnd(pattern, i + 1, escapes);
      source += toClass(pattern.slice(i + 1, end), escapes);
      i = end;
    } else if (character === "\\" && escapes) {
      i += 1;
      if (i >= pattern.length) throw new BadPatternError();
      source += literal(pattern.charAt(i));
    } else {
      source += literal(character);
    }
  }
  return new RegExp(`^${source}$`, "us");
}

function classEnd(pattern: string, start: number, escapes: boolean): number {
  let i = pattern.charAt(start) === "^" ? start + 1 : start;
  const first = i;
  for (; i < pattern.length; i++) {
    if (pattern.charAt(i) === "\\" && escapes) i += 1;
    else if (pattern.charAt(i) === "]" && i > first) return i;
    else if (pattern.charAt(i) === "]") break;
  }
  throw new BadPatternError();
}

function toClass(body: string, escapes: boolean): string {
  const negated = body.startsWith("^");
  const ranges = negated ? body.slice(1) : body;
  const safe = escapes ? ranges : ranges.replaceAll("\\", "\\\\");
  return `[${negated ? "^" : ""}${safe.replaceAll("[", "\\[").replaceAll("^", "\\^")}]`;
}

const literal = (character: string): string => character.replace(/[\\^$.*+?()[\]{}|/]/, "\\$&");
