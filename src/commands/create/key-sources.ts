import { own } from "../../base/collections/own.js";
import { basename, join, resolve } from "node:path";
import { goQuote } from "../../base/text/go-quote.js";
import { compareKeys } from "../../base/collections/key-order.js";
import { errnoText, PathError } from "../../base/files/path-error.js";
import type { Flags, FlagSpec } from "../../component/flags/flag-set.js";
import type { Factory } from "../../cli/connect/factory.js";
import { strictEnvVarNameErrors } from "../../machinery/validation/names.js";

// Where the keys and values of a ConfigMap or Secret come from on a command line.

/** Adds one key with its value. Throws for a key that is invalid or exists already. */
export type AddKey = (key: string, value: Uint8Array) => void;

export interface KeySources {
  readonly files: readonly string[];
  readonly literals: readonly string[];
  readonly envFiles: readonly string[];
}

/** The flags --from-file, --from-literal and --from-env-file. `kind` is "config map" or "secret". */
export const keySourceFlags = (kind: string): readonly FlagSpec[] => [
  {
    name: "from-file",
    type: "stringSlice",
    usage: `File whose content becomes a value of the ${kind}, under its own name or as key=file; of a directory each file with a name that can be a key`,
  },
  { name: "from-literal", type: "stringArray", usage: `A key of the ${kind} and its value: key=value` },
  {
    name: "from-env-file",
    type: "stringSlice",
    usage: `File with lines key=value, each of which goes into the ${kind}`,
  },
];

/** Reads {@link keySourceFlags}. */
export function readKeySources(flags: Flags): KeySources {
  const files = flags.strings("from-file");
  const literals = flags.strings("from-literal");
  const envFiles = flags.strings("from-env-file");
  if (envFiles.length > 0 && (files.length > 0 || literals.length > 0)) {
    throw new Error("from-env-file cannot be combined with from-file or from-literal");
  }
  return { files, literals, envFiles };
}

/** The folder at which relative paths begin, and the functions that read files. */
export type Place = Pick<Factory, "cwd" | "files">;

/** Adds a file, as key=file or under its own name, or each file of a directory. Throws in kubectl's words. */
export function addFromFile(source: string, place: Place, add: AddKey): void {
  const [key, path] = parseFileSource(source);
  if (!isDirectory(path, place)) {
    add(key, readBytes(path, place));
    return;
  }
  if (source.includes("=")) throw new Error("cannot give a key name for a directory path");
  for (const entry of listDirectory(path, place)) add(entry, readBytes(join(path, entry), place));
}

function parseFileSource(source: string): readonly [key: string, path: string] {
  const parts = source.split("=");
  const [first = "", second = ""] = parts;
  if (parts.length === 1) return [basename(source) || ".", source];
  if (parts.length > 2) throw new Error("key names or file paths cannot contain '='");
  if (first === "") throw new Error(`key name for file path ${second} missing`);
  if (second === "") throw new Error(`file path for key name ${first} missing`);
  return [first, second];
}

function isDirectory(path: string, { cwd, files }: Place): boolean {
  try {
    return files.statSync(path === "" ? "" : resolve(cwd, path)).isDirectory();
  } catch (error) {
    throw new Error(`error reading ${path}: ${errnoText(error)}`, { cause: error });
  }
}

/** The names of its regular files; links are none. */
function listDirectory(path: string, { cwd, files }: Place): readonly string[] {
  const folder = resolve(cwd, path);
  try {
    return files
      .readdirSync(folder)
      .filter((name) => files.lstatSync(join(folder, name)).isFile())
      .sort(compareKeys);
  } catch (error) {
    throw new Error(`error listing files in ${path}: ${new PathError("open", path, error).message}`, { cause: error });
  }
}

/** Throws a {@link PathError}. */
export function readBytes(path: string, { cwd, files }: Place): Uint8Array {
  try {
    return files.readFileSync(path === "" ? "" : resolve(cwd, path));
  } catch (error) {
    throw new PathError("open", path, error);
  }
}

/** Adds a literal key=value. */
export function addFromLiteral(source: string, add: AddKey): void {
  const equals = source.indexOf("=");
  if (equals <= 0) throw new Error(`invalid literal source ${source}, expected key=value`);
  add(source.slice(0, equals), new TextEncoder().encode(source.slice(equals + 1)));
}

/** Adds the key=value lines of a file; a key alone takes its value from the environment. `kind` is "config" or "secret". */
export function addFromEnvFile(
  path: string,
  kind: string,
  place: Pick<Factory, "cwd" | "env" | "files">,
  add: AddKey,
): void {
  if (isDirectory(path, place)) throw new Error(`env ${kind} file cannot be a directory`);
  for (const [index, line] of envLines(readBytes(path, place)).entries()) {
    const text = decodeLine(line, path, index);
    if (text === "" || text.startsWith("#")) continue;
    const equals = text.indexOf("=");
    const key = equals < 0 ? text : text.slice(0, equals);
    const faults = strictEnvVarNameErrors(key);
    if (faults.length > 0) throw new Error(`${goQuote(key)} is not a valid key name: ${faults.join(";")}`);
    add(key, new TextEncoder().encode(equals < 0 ? (own(place.env, key) ?? "") : text.slice(equals + 1)));
  }
}

const NEWLINE = 10;
const RETURN = 13;
/** Go's scanner gives up at a line that does not fit its buffer; kubectl takes that for the end of the file. */
const LONGEST_LINE = 64 * 1024;

function envLines(bytes: Uint8Array): readonly Uint8Array[] {
  const lines: Uint8Array[] = [];
  for (let start = 0; start < bytes.length; ) {
    const found = bytes.indexOf(NEWLINE, start);
    const end = found < 0 ? bytes.length : found;
    if (end - start >= LONGEST_LINE) break;
    lines.push(bytes.subarray(start, end > start && bytes[end - 1] === RETURN ? end - 1 : end));
    start = end + 1;
  }
  return lines;
}

/** The line without what Go takes for white space at its beginning, and the file's first without its byte order mark. */
function decodeLine(line: Uint8Array, path: string, index: number): string {
  const text = asText(line);
  if (text === undefined) {
    throw new Error(`env file ${path} contains invalid utf8 bytes at line ${index + 1}: [${line.join(" ")}]`);
  }
  const unmarked = index === 0 && text.startsWith("\ufeff") ? text.slice(1) : text;
  return unmarked.replace(/^[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/, "");
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Decodes UTF-8; undefined for any other bytes. */
export function asText(bytes: Uint8Array): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}
