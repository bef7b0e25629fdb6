import { ForeignHostError, NameError, ConnectError } from "../../../network/pod-network.js";
import { FileError } from "../../files/file-error.js";
import { absolute } from "../../files/file-system.js";
import type { Program, ProgramIo } from "../../program.js";
import { gnuProgram, type ParsedOptions, ProgramFailure, UsageError } from "../gnu-program.js";
import { exchange, headLines, type HttpAnswer, hostOf, portOf, TlsError } from "./http-exchange.js";
import { standsInFor, TimeLimitError, timeLimit } from "./reach.js";

const MOST_REDIRECTS = 20;
/** busybox waits so long for a server, in seconds. */
const PATIENCE = 900;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** Of a file whose bytes are sent. */
const MOST_POSTED = 16 * 1024 * 1024;

/** wget of busybox, with the usual long options of GNU's. */
export const wget: Program = gnuProgram(
  {
    letters: "qcSO:T:P:U:Y:t:n:",
    long: {
      quiet: "q",
      continue: "c",
      "server-response": "S",
      "output-document": "O",
      timeout: "T",
      "directory-prefix": "P",
      "user-agent": "U",
      proxy: "Y",
      tries: "t",
      spider: "s",
      header: "h:",
      "post-data": "d:",
      "post-file": "f:",
      "no-check-certificate": "k",
      "ca-certificate": "a:",
      "no-verbose": "v",
      "no-proxy": "x",
    },
    usage: "Usage: wget [-cqS] [--spider] [-O FILE] [--header STR] [--post-data STR] [-T SEC] URL...",
  },
  async (io, options) => {
    if (options.operands.length === 0) throw new UsageError();
    for (const operand of options.operands) await download(io, options, operand);
    return 0;
  },
);

async function download(io: ProgramIo, options: ParsedOptions, operand: string): Promise<void> {
  let url = urlOf(operand);
  const limit = timeLimit(io, Number(options.value("T") ?? PATIENCE));
  const tried = { address: hostOf(url) };
  try {
    for (let redirects = 0; ; redirects += 1) {
      if (redirects > MOST_REDIRECTS) throw new ProgramFailure("too many redirections");
      const answer = await ask(io, options, url, limit.signal, tried);
      const { response } = answer;
      const { statusCode = 0 } = response;
      if (options.has("S")) await io.stderr.write(headOf(answer));
      if (REDIRECTS.has(statusCode) && response.headers.location !== undefined) {
        answer.connection.destroy();
        url = new URL(response.headers.location, url);
        continue;
      }
      if (statusCode < 200 || statusCode >= 300) {
        answer.connection.destroy();
        const line = `HTTP/${response.httpVersion} ${statusCode} ${response.statusMessage ?? ""}`;
        throw new ProgramFailure(`server returned error: ${line}`);
      }
      return await save(io, options, url, answer);
    }
  } catch (error) {
    if (standsInFor(io, error, url.href)) return void openOutput(io, options, url);
    throw failureOf(error, limit.signal, tried.address);
  } finally {
    limit.cancel();
  }
}

function urlOf(operand: string): URL {
  const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(operand) ? operand : `http://${operand}`;
  try {
    const url = new URL(text);
    if (url.protocol === "http:" || url.protocol === "https:") return url;
  } catch {
    // What is no URL is said below.
  }
  throw new ProgramFailure(`not an http or ftp url: ${operand}`);
}

/** `tried` is told the address that is connected to. */
async function ask(
  io: ProgramIo,
  options: ParsedOptions,
  url: URL,
  signal: AbortSignal,
  tried: { address: string },
): Promise<HttpAnswer> {
  const { has, value, given } = options;
  const posted = value("d") ?? (value("f") === undefined ? undefined : await fileBytes(io, value("f") ?? ""));
  const body = typeof posted === "string" ? Buffer.from(posted) : posted;
  const own = given.filter(([letter]) => letter === "h").map(([, header]) => headerOf(header));
  const isOwn = (name: string): boolean => own.some(([one]) => one.toLowerCase() === name);
  const credentials = [url.username, url.password].map(decodeURIComponent).join(":");
  const usual: (readonly [string, string])[] = [
    ["Host", url.host],
    ["User-Agent", value("U") ?? "Wget"],
    ...(credentials === ":"
      ? []
      : [["Authorization", `Basic ${Buffer.from(credentials).toString("base64")}`] as const]),
    ...(body === undefined
      ? []
      : [
          ["Content-Type", "application/x-www-form-urlencoded"] as const,
          ["Content-Length", `${body.length}`] as const,
        ]),
    ["Connection", "close"],
  ];
  const authority = value("a");
  return exchange(io, {
    method: has("s") ? "HEAD" : body === undefined ? "GET" : "POST",
    url,
    headers: [...usual.filter(([name]) => !isOwn(name.toLowerCase())), ...own],
    body,
    // busybox verifies no certificate.
    tls: async () => ({
      isInsecure: authority === undefined,
      ...(authority !== undefined && { ca: await fileBytes(io, authority) }),
    }),
    signal,
    async onAddress(address) {
      tried.address = address;
      if (!has("qv")) await io.stderr.write(`Connecting to ${hostOf(url)} (${address}:${portOf(url)})\n`);
    },
  });
}

function headerOf(text: string): readonly [string, string] {
  const colon = text.indexOf(":");
  return colon < 0 ? [text.trim(), ""] : [text.slice(0, colon).trim(), text.slice(colon + 1).trim()];
}

async function fileBytes(io: ProgramIo, path: string): Promise<Buffer> {
  try {
    const bytes = await io.files.whole(absolute(io.cwd, path), MOST_POSTED);
    if (bytes === undefined) throw new ProgramFailure(`can't open '${path}': File too large`);
    io.memory.take(bytes.length);
    return bytes;
  } catch (error) {
    if (error instanceof FileError) throw new ProgramFailure(`can't open '${path}': ${error.message}`);
    throw error;
  }
}

const headOf = (answer: HttpAnswer): string =>
  headLines(answer)
    .map((line) => `  ${line}\n`)
    .join("");

interface Output {
  readonly name: string;
  write(chunk: Uint8Array): Promise<void>;
}

function openOutput(io: ProgramIo, { value }: ParsedOptions, url: URL): Output {
  const given = value("O");
  if (given === "-") return { name: "-", write: (chunk) => io.stdout.write(chunk) };
  const name = given ?? (url.pathname.slice(url.pathname.lastIndexOf("/") + 1) || "index.html");
  const folder = value("P");
  const path = absolute(io.cwd, given === undefined && folder !== undefined ? `${folder}/${name}` : name);
  try {
    if (given === undefined && io.files.look(path) !== undefined) throw new FileError("EEXIST", path);
    const writer = io.files.open(path);
    return { name, write: (chunk) => writer.write(chunk) };
  } catch (error) {
    if (error instanceof FileError) throw new ProgramFailure(`can't open '${name}': ${error.message}`);
    throw error;
  }
}

async function save(io: ProgramIo, options: ParsedOptions, url: URL, answer: HttpAnswer): Promise<void> {
  const say = async (text: string): Promise<void> => {
    if (!options.has("qv")) await io.stderr.write(text);
  };
  if (options.has("s")) {
    answer.connection.destroy();
    return say("remote file exists\n");
  }
  const output = openOutput(io, options, url);
  await say(output.name === "-" ? "writing to stdout\n" : `saving to '${output.name}'\n`);
  let bytes = 0;
  for await (const chunk of answer.response as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    await output.write(chunk);
  }
  await say(progress(output.name, bytes));
  await say(output.name === "-" ? "written to stdout\n" : `'${output.name}' saved\n`);
}

/** The last state of the bar that busybox draws. */
function progress(name: string, bytes: number): string {
  const isLarge = bytes >= 100_000;
  const size = String(isLarge ? Math.floor(bytes / 1024) : bytes).padStart(isLarge ? SIZE_WIDTH - 1 : SIZE_WIDTH);
  const bar = `|${"*".repeat(BAR_WIDTH)}|`;
  return `${name.slice(0, NAME_WIDTH).padEnd(NAME_WIDTH)} 100% ${bar} ${size}${isLarge ? "k" : ""}  0:00:00 ETA\n`;
}

const NAME_WIDTH = 20;
const BAR_WIDTH = 32;
const SIZE_WIDTH = 5;

function failureOf(error: unknown, limit: AbortSignal, address: string): unknown {
  if (limit.aborted || error instanceof TimeLimitError) return new ProgramFailure("download timed out");
  if (error instanceof NameError || error instanceof ForeignHostError) return new ProgramFailure(error.message);
  if (error instanceof ConnectError)
    return new ProgramFailure(`can't connect to remote host (${address}): ${error.message}`);
  if (error instanceof TlsError) return new ProgramFailure(`TLS error from peer: ${error.message}`);
  if (error instanceof FileError) return new ProgramFailure(`short write: ${error.message}`);
  if (error instanceof ProgramFailure) return error;
  // The connection broke, or no HTTP was spoken.
  return new ProgramFailure("error getting response");
}
