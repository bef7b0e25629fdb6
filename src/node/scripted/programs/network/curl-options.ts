import { dictionary } from "../../../../base/collections/dictionary.js";
import { FileError } from "../../files/file-error.js";
import { absolute } from "../../files/file-system.js";
import type { ProgramIo } from "../../program.js";
import { CurlFailure } from "./curl-failure.js";

/** An option on curl's command line: its long name and its value. */
export type GivenOption = readonly [name: string, value: string];

/** A parsed command line of curl. */
export interface CurlOptions {
  readonly given: readonly GivenOption[];
  readonly urls: readonly string[];
  has(name: string): boolean;
  /** The last value. */
  value(name: string): string | undefined;
  values(name: string): readonly string[];
}

/** Thrown for a wrong command line. The message is curl's, without the program's name. */
export class CurlUsageError extends Error {
  override readonly name = "CurlUsageError";
}

/** Thrown for an option of curl that this program does not have. */
export class CurlOptionError extends Error {
  override readonly name = "CurlOptionError";

  constructor(readonly option: string) {
    super(`option ${option}: is not supported in a simulated container`);
  }
}

/** Options with a letter: the letter, the long name, and ":" where it takes a value. */
const LETTERS: Readonly<Record<string, string>> = dictionary({
  "#": "progress-bar",
  "0": "http1.0",
  "4": "ipv4",
  "6": "ipv6",
  A: "user-agent:",
  b: "cookie:",
  d: "data:",
  e: "referer:",
  E: "cert:",
  f: "fail",
  G: "get",
  g: "globoff",
  h: "help",
  H: "header:",
  I: "head",
  i: "show-headers",
  k: "insecure",
  L: "location",
  m: "max-time:",
  N: "no-buffer",
  o: "output:",
  O: "remote-name",
  q: "disable",
  S: "show-error",
  s: "silent",
  T: "upload-file:",
  u: "user:",
  V: "version",
  v: "verbose",
  w: "write-out:",
  X: "request:",
});

/** Options without a letter. */
const LONG: ReadonlySet<string> = new Set(
  `cacert: compressed connect-timeout: create-dirs data-ascii: data-binary: data-raw: data-urlencode: fail-early fail-with-body http1.1 http2
   http2-prior-knowledge include json: keepalive-time: key: location-trusted max-redirs: no-progress-meter noproxy: oauth2-bearer: output-dir:
   path-as-is post301 post302 post303 proto: proto-default: resolve: retry: retry-all-errors retry-connrefused retry-delay: retry-max-time:
   tcp-nodelay tlsv1 tlsv1.0 tlsv1.1 tlsv1.2 tlsv1.3 url:`.split(/\s+/),
);

/** Letters of curl's that are not supported. */
const UNSUPPORTED = "cCDFjJKlMnPQrRtUxyYzZBpa3";

const NAMES: ReadonlyMap<string, boolean> = new Map(
  [...Object.values(LETTERS), ...LONG].map((name) => [name.replace(":", ""), name.endsWith(":")]),
);

/** Throws a {@link CurlUsageError} or a {@link CurlOptionError}. */
export function parseCurl(args: readonly string[]): CurlOptions {
  const given: GivenOption[] = [];
  const urls: string[] = [];
  let at = 0;
  const valueOf = (option: string): string => {
    const value = args[(at += 1)];
    if (value === undefined) throw new CurlUsageError(`option ${option}: requires parameter`);
    return value;
  };
  const add = (name: string, value: string): void => {
    if (name === "url") urls.push(value);
    else given.push([ALIASES[name] ?? name, value]);
  };
  for (; at < args.length; at += 1) {
    const arg = args[at] ?? "";
    if (arg.startsWith("--") && arg !== "--") {
      const name = longName(arg);
      add(name, NAMES.get(name) === true ? valueOf(arg) : "");
    } else if (arg.startsWith("-") && arg !== "-" && arg !== "--") {
      for (let index = 1; index < arg.length; index += 1) {
        const letter = arg[index] ?? "";
        const long = LETTERS[letter];
        if (long === undefined) throw unknown(`-${letter}`, UNSUPPORTED.includes(letter));
        const name = long.replace(":", "");
        if (!long.endsWith(":")) {
          add(name, "");
          continue;
        }
        add(name, index + 1 < arg.length ? arg.slice(index + 1) : valueOf(`-${letter}`));
        break;
      }
    } else if (arg !== "--") urls.push(arg);
  }
  return {
    given,
    urls,
    has: (name) => given.some(([one]) => one === name),
    value: (name) => given.findLast(([one]) => one === name)?.[1],
    values: (name) => given.filter(([one]) => one === name).map(([, value]) => value),
  };
}

const ALIASES: Readonly<Record<string, string>> = dictionary({
  include: "show-headers",
  "data-ascii": "data",
});

/** A long option may be shortened as long as it is one only. */
function longName(arg: string): string {
  const typed = arg.slice(2);
  if (NAMES.has(typed)) return typed;
  if (typed.startsWith("no-") && NAMES.get(typed.slice(3)) === false) return typed;
  const matching = [...NAMES.keys()].filter((name) => name.startsWith(typed));
  if (matching.length > 1) throw new CurlUsageError(`option ${arg}: is ambiguous`);
  const [name] = matching;
  if (name === undefined) throw unknown(arg, false);
  return name;
}

const unknown = (option: string, exists: boolean): Error =>
  exists ? new CurlOptionError(option) : new CurlUsageError(`option ${option}: is unknown`);

/** Of a file or the input whose bytes are sent. */
const MOST_BYTES = 16 * 1024 * 1024;
const READ_ERROR = 26;

/** The request body of a command line: all its data, joined as curl joins them. */
export interface CurlData {
  readonly bytes: Buffer;
  readonly contentType: string;
  /** The answer that is asked for; only with --json. */
  readonly accept?: string;
}

/** Collects the request body; undefined where the command line sends none. */
export async function curlData(io: ProgramIo, { given }: CurlOptions): Promise<CurlData | undefined> {
  const parts: Buffer[] = [];
  let isJson = false;
  for (const [name, value] of given) {
    if (name !== "json" && !name.startsWith("data")) continue;
    isJson = name === "json";
    // The texts of --json follow each other as they are.
    if (parts.length > 0 && !isJson) parts.push(Buffer.from("&"));
    parts.push(await piece(io, name, value));
  }
  if (parts.length === 0) return undefined;
  const bytes = Buffer.concat(parts);
  const contentType = isJson ? "application/json" : "application/x-www-form-urlencoded";
  return { bytes, contentType, ...(isJson && { accept: "application/json" }) };
}

async function piece(io: ProgramIo, name: string, value: string): Promise<Buffer> {
  if (name === "data-raw") return Buffer.from(value);
  if (name === "data-urlencode") return urlencoded(io, value);
  if (!value.startsWith("@")) return Buffer.from(value);
  const bytes = await contentBytes(io, value.slice(1));
  return name === "data" ? (bytes.filter((byte) => byte !== 10 && byte !== 13 && byte !== 0) as Buffer) : bytes;
}

/** "content", "=content", "name=content", "@file" and "name@file". */
async function urlencoded(io: ProgramIo, value: string): Promise<Buffer> {
  const [, name = "", sign = "", rest = ""] = /^([^=@]*)([=@])([\s\S]*)$/.exec(value) ?? [];
  const content = sign === "" ? value : sign === "=" ? rest : (await contentBytes(io, rest)).toString("utf8");
  const encoded = encodeURIComponent(content).replace(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return Buffer.from(name === "" ? encoded : `${name}=${encoded}`);
}

/** Reads a file of the container, or the input ("-"). Throws a {@link CurlFailure}. */
export async function contentBytes(io: ProgramIo, path: string): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of path === "-" ? io.stdin : io.files.read(absolute(io.cwd, path))) {
      length += chunk.length;
      if (length > MOST_BYTES) throw new CurlFailure(READ_ERROR, `Failed to open ${path}: File too large`);
      io.memory.take(chunk.length);
      chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof FileError) throw new CurlFailure(READ_ERROR, `Failed to open ${path}`);
    throw error;
  }
  return Buffer.concat(chunks);
}
