import { dictionary } from "../../../../base/collections/dictionary.js";
import { pause } from "../../../../base/time/pause.js";
import { FileError } from "../../files/file-error.js";
import { absolute } from "../../files/file-system.js";
import { MissingError } from "../../missing.js";
import type { Program, ProgramIo } from "../../program.js";
import {
  contentBytes,
  curlData,
  CurlOptionError,
  type CurlOptions,
  CurlUsageError,
  parseCurl,
} from "./curl-options.js";
import { CurlFailure, curlFailure } from "./curl-failure.js";
import { exchange, headLines, type HttpAnswer, hostOf, portOf, type TlsChoice } from "./http-exchange.js";
import { standsInFor, timeLimit } from "./reach.js";

const VERSION = "8.14.1";
const USAGE_CODE = 2;
const MOST_REDIRECTS = 50;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** Answers after which --retry tries again. */
const TRANSIENT = new Set([408, 429, 500, 502, 503, 504]);
const CODE = { badUrl: 3, http: 22, write: 23, redirects: 47, certificateFile: 58, authorityFile: 77 };
const REFUSED = 7;
const RETRIED = new Set([6, 28]);

/** curl, over HTTP/1.1 within the cluster. */
export const curl: Program = async (io) => {
  let options: CurlOptions;
  try {
    options = parseCurl(io.args);
  } catch (error) {
    return refuse(io, error);
  }
  if (options.has("version")) {
    await io.stdout.write(`curl ${VERSION} (kubets)\nProtocols: http https\n`);
    return 0;
  }
  if (options.has("help")) {
    await io.stdout.write("Usage: curl [options...] <url>\n");
    return 0;
  }
  if (options.urls.length === 0) {
    await io.stderr.write(
      "curl: (2) no URL specified\ncurl: try 'curl --help' or 'curl --manual' for more information\n",
    );
    return USAGE_CODE;
  }
  let code = 0;
  for (const [index, url] of options.urls.entries()) {
    code = await transferWithRetries(io, options, url, index);
    if (code !== 0 && options.has("fail-early")) break;
  }
  return code;
};

async function refuse(io: ProgramIo, error: unknown): Promise<number> {
  if (error instanceof CurlOptionError) {
    io.missing?.(new MissingError("construct", `option ${error.option} of curl`, { script: io.name, line: 0 }));
    await io.stderr.write(`curl: ${error.message}\n`);
    return USAGE_CODE;
  }
  if (!(error instanceof CurlUsageError)) throw error;
  await io.stderr.write(`curl: ${error.message}\ncurl: try 'curl --help' or 'curl --manual' for more information\n`);
  return USAGE_CODE;
}

async function transferWithRetries(io: ProgramIo, options: CurlOptions, url: string, index: number): Promise<number> {
  const most = Number(options.value("retry") ?? 0);
  const fixed = Number(options.value("retry-delay") ?? 0);
  for (let tried = 0; ; tried += 1) {
    const transfer = new Transfer(io, options, url, index);
    const failure = await transfer.run();
    const problem = tried < most ? retried(options, failure, transfer.status) : undefined;
    if (problem === undefined) return failure?.code ?? 0;
    const delay = fixed > 0 ? fixed : Math.min(2 ** tried, LONGEST_DELAY);
    const left = most - tried;
    const warning = `Problem: ${problem}. Will retry in ${delay} second${delay === 1 ? "" : "s"}. ${left} ${left === 1 ? "retry" : "retries"} left.`;
    if (!options.has("silent")) await io.stderr.write(`Warning: ${warning}\n`);
    await pause(io.timers, delay * 1000, io.signal);
  }
}

const LONGEST_DELAY = 600;

/** Why a transfer is tried again; undefined where it is not. */
function retried({ has }: CurlOptions, failure: CurlFailure | undefined, status: number): string | undefined {
  if (failure !== undefined && RETRIED.has(failure.code)) return "timeout";
  if (failure?.code === REFUSED && (has("retry-connrefused") || has("retry-all-errors"))) return "connection refused";
  if (TRANSIENT.has(status)) return "HTTP error";
  return failure !== undefined && has("retry-all-errors") ? "(retrying all errors)" : undefined;
}

/** One URL, with what it is redirected to. */
class Transfer {
  /** Of the last answer; 0 where there is none. */
  status = 0;
  #received = 0;
  #redirects = 0;
  #isConnected = false;
  #url: URL | undefined;
  #answer: HttpAnswer | undefined;
  readonly #began: number;

  constructor(
    private readonly io: ProgramIo,
    private readonly options: CurlOptions,
    private readonly given: string,
    private readonly index: number,
  ) {
    this.#began = io.clock.now();
  }

  /** Resolves with what was wrong, which it has said. */
  async run(): Promise<CurlFailure | undefined> {
    const { io, options } = this;
    const [limit, first] = [options.value("max-time"), options.value("connect-timeout")].map((seconds) =>
      timeLimit(io, seconds === undefined ? undefined : Number(seconds)),
    );
    const limits = [limit, first].flatMap((one) => one ?? []);
    let failure: CurlFailure | undefined;
    try {
      const answer = await this.#follow(AbortSignal.any(limits.map(({ signal }) => signal)), () => first?.cancel());
      failure = await this.#finish(answer);
    } catch (error) {
      if (standsInFor(io, error, this.given)) await this.#output(undefined);
      else failure = curlFailure(limits.find(({ signal }) => signal.aborted)?.signal.reason ?? error, this.#state());
    } finally {
      for (const { cancel } of limits) cancel();
      this.#answer?.connection.destroy();
    }
    await this.#say(failure);
    await this.#writeOut(failure);
    return failure;
  }

  #state() {
    const url = this.#url;
    return {
      host: url === undefined ? this.given : hostOf(url),
      port: url === undefined ? 0 : portOf(url),
      isConnected: this.#isConnected,
      took: Math.round(this.io.clock.now() - this.#began),
      received: this.#received,
    };
  }

  /** The answer to the request, or to the last one that it is redirected to. */
  async #follow(signal: AbortSignal, onConnected: () => void): Promise<HttpAnswer> {
    const { options } = this;
    const most = Number(options.value("max-redirs") ?? MOST_REDIRECTS);
    let url = urlOf(this.given);
    let method: string | undefined;
    const origin = url.origin;
    for (;;) {
      this.#url = url;
      const answer = await this.#ask(url, method, url.origin === origin, signal, onConnected);
      this.#answer = answer;
      this.status = answer.response.statusCode ?? 0;
      const { location } = answer.response.headers;
      const follows = options.has("location") || options.has("location-trusted");
      if (!follows || location === undefined || !REDIRECTS.has(this.status)) return answer;
      if (this.#redirects >= most && most >= 0)
        throw new CurlFailure(CODE.redirects, `Maximum (${most}) redirects followed`);
      if (this.#showsHeads()) await this.#output(answer, { isHeadOnly: true });
      answer.connection.destroy();
      this.#redirects += 1;
      if (this.status === 303 || (this.status < 303 && method === undefined)) method = "GET";
      url = new URL(location, url);
    }
  }

  async #ask(
    url: URL,
    redirected: string | undefined,
    isOrigin: boolean,
    signal: AbortSignal,
    onConnected: () => void,
  ): Promise<HttpAnswer> {
    const { io, options } = this;
    const data = await curlData(io, options);
    const upload = options.value("upload-file");
    const isQuery = options.has("get");
    if (isQuery && data !== undefined) url.search += `${url.search === "" ? "?" : "&"}${data.bytes.toString("utf8")}`;
    const sent = isQuery ? undefined : upload === undefined ? data?.bytes : await contentBytes(io, upload);
    const body = redirected === "GET" ? undefined : sent;
    const usual = options.has("head") ? "HEAD" : body === undefined ? "GET" : upload === undefined ? "POST" : "PUT";
    const method = redirected ?? options.value("request") ?? usual;
    const headers = this.#headers(url, body, upload === undefined ? data : undefined, isOrigin);
    const address = resolved(options, url);
    const say = (text: string): Promise<void> => (options.has("verbose") ? io.stderr.write(text) : Promise.resolve());
    const answer = await exchange(io, {
      method,
      url,
      headers,
      body,
      tls: () => this.#tls(),
      ...(address !== undefined && { address }),
      signal,
      onAddress: (tried) => say(`*   Trying ${tried}:${portOf(url)}...\n`),
      onConnect: async ({ address: connected }) => {
        this.#isConnected = true;
        onConnected();
        await say(`* Connected to ${hostOf(url)} (${connected}) port ${portOf(url)}\n`);
        const lines = [`${method} ${url.pathname}${url.search} HTTP/1.1`, ...headers.map((one) => one.join(": ")), ""];
        await say(lines.map((line) => `> ${line}\n`).join(""));
      },
    });
    await say([...headLines(answer), ""].map((line) => `< ${line}\n`).join(""));
    return answer;
  }

  #headers(
    url: URL,
    body: Uint8Array | undefined,
    data: Awaited<ReturnType<typeof curlData>>,
    isOrigin: boolean,
  ): readonly (readonly [string, string])[] {
    const { options } = this;
    const own = options.values("header").map(headerOf);
    const user = options.value("user") ?? [url.username, url.password].map(decodeURIComponent).join(":");
    const bearer = options.value("oauth2-bearer");
    const authorization =
      bearer === undefined
        ? user === ":"
          ? undefined
          : `Basic ${Buffer.from(user).toString("base64")}`
        : `Bearer ${bearer}`;
    const usual: (readonly [string, string | undefined])[] = [
      ["Host", url.host],
      ["Authorization", authorization],
      ["User-Agent", options.value("user-agent") ?? `curl/${VERSION}`],
      ["Accept", data?.accept ?? "*/*"],
      ["Referer", options.value("referer")],
      ["Cookie", options.value("cookie")],
      ["Content-Length", body === undefined ? undefined : String(body.length)],
      ["Content-Type", body === undefined ? undefined : data?.contentType],
    ];
    const named = new Set(own.map(([name]) => name.toLowerCase()));
    const isTrusted = isOrigin || options.has("location-trusted");
    return [
      ...usual.filter(([name]) => !named.has(name.toLowerCase())),
      // A header without a value takes the usual one away.
      ...own.filter(([, value]) => value !== undefined),
    ].flatMap(([name, value]) =>
      value === undefined || (!isTrusted && /^(?:authorization|cookie)$/i.test(name)) ? [] : [[name, value] as const],
    );
  }

  /** curl opens these files once the connection stands. */
  async #tls(): Promise<TlsChoice> {
    const { options } = this;
    const ca = await this.#tlsFile("cacert", CODE.authorityFile, (path) => `error setting certificate file: ${path}`);
    const cert = await this.#tlsFile(
      "cert",
      CODE.certificateFile,
      (path) =>
        `could not load PEM client certificate from ${path}, OpenSSL error error:80000002:system library::No such file or directory, (no key found, wrong pass phrase, or wrong file format?)`,
    );
    const key = await this.#tlsFile(
      "key",
      CODE.certificateFile,
      (path) => `unable to set private key file: '${path}' type PEM`,
    );
    const shown = cert && { cert, key: key ?? cert };
    return { isInsecure: options.has("insecure"), ...(ca && { ca }), ...shown };
  }

  /** Undefined where the option is not given. Throws a {@link CurlFailure} for a file that is not there. */
  async #tlsFile(option: string, code: number, fault: (path: string) => string): Promise<Uint8Array | undefined> {
    const path = this.options.value(option);
    if (path === undefined) return undefined;
    try {
      return await contentBytes(this.io, path);
    } catch (error) {
      throw error instanceof CurlFailure ? new CurlFailure(code, fault(path)) : error;
    }
  }

  #showsHeads(): boolean {
    return this.options.has("show-headers") || this.options.has("head");
  }

  async #finish(answer: HttpAnswer): Promise<CurlFailure | undefined> {
    const { options } = this;
    const failed = new CurlFailure(CODE.http, `The requested URL returned error: ${this.status}`);
    const isError = this.status >= 400;
    if (isError && options.has("fail")) {
      if (this.#showsHeads()) await this.#output(answer, { isHeadOnly: true });
      return failed;
    }
    await this.#output(answer);
    return isError && options.has("fail-with-body") ? failed : undefined;
  }

  /** Writes an answer where the command line says. Undefined: nothing, into a file that is there afterwards. */
  async #output(answer: HttpAnswer | undefined, { isHeadOnly = false } = {}): Promise<void> {
    const write = this.#writer();
    if (answer === undefined) return;
    if (this.#showsHeads()) await write(Buffer.from(`${[...headLines(answer), ""].join("\r\n")}\r\n`));
    if (isHeadOnly || this.options.has("head")) return;
    const meter = new Meter(this.io, this.options, Number(answer.response.headers["content-length"] ?? 0));
    await meter.begin();
    for await (const chunk of answer.response as AsyncIterable<Uint8Array>) {
      this.#received += chunk.length;
      await write(chunk);
    }
    await meter.end(this.#received);
    if (!answer.response.complete) throw new CurlFailure(18, "transfer closed with outstanding read data remaining");
  }

  #writer(): (chunk: Uint8Array) => Promise<void> {
    const { io, options } = this;
    const path = outputOf(options, this.given, this.index);
    if (path === undefined || path === "-") return (chunk) => io.stdout.write(chunk);
    const whole = absolute(
      io.cwd,
      options.value("output-dir") === undefined ? path : `${options.value("output-dir")}/${path}`,
    );
    try {
      if (options.has("create-dirs"))
        io.files.makeDirectory(whole.slice(0, whole.lastIndexOf("/")) || "/", { recursive: true });
      const writer = io.files.open(whole);
      return (chunk) => writer.write(chunk);
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      throw new CurlFailure(CODE.write, `client returned ERROR on write, 0 bytes: ${path}: ${error.message}`);
    }
  }

  async #say(failure: CurlFailure | undefined): Promise<void> {
    const { has } = this.options;
    if (failure === undefined || (has("silent") && !has("show-error"))) return;
    await this.io.stderr.write(`curl: (${failure.code}) ${failure.message}\n`);
  }

  async #writeOut(failure: CurlFailure | undefined): Promise<void> {
    const given = this.options.value("write-out");
    if (given === undefined) return;
    const format = given.startsWith("@") ? (await contentBytes(this.io, given.slice(1))).toString("utf8") : given;
    const { response, address = "", port = 0 } = this.#answer ?? {};
    const seconds = ((this.io.clock.now() - this.#began) / 1000).toFixed(6);
    const code = String(this.status).padStart(3, "0");
    const { location } = response?.headers ?? {};
    const variables: Readonly<Record<string, string | undefined>> = dictionary({
      http_code: code,
      response_code: code,
      content_type: response?.headers["content-type"],
      errormsg: failure?.message,
      exitcode: String(failure?.code ?? 0),
      http_version: response === undefined ? "0" : response.httpVersion,
      method: response === undefined ? "" : (this.options.value("request") ?? "GET"),
      num_redirects: String(this.#redirects),
      redirect_url: location === undefined || this.#url === undefined ? "" : new URL(location, this.#url).href,
      remote_ip: address,
      remote_port: String(port),
      scheme: this.#url?.protocol.replace(":", ""),
      size_download: String(this.#received),
      ssl_verify_result: "0",
      time_connect: seconds,
      time_starttransfer: seconds,
      time_total: seconds,
      url: this.given,
      url_effective: this.#url?.href ?? this.given,
    });
    const text = format.replace(/%\{(\w+)\}|%%|\\([nrt])/g, (whole, name?: string, escape?: string) => {
      if (escape !== undefined) return escape === "n" ? "\n" : escape === "r" ? "\r" : "\t";
      return name === undefined ? "%" : (variables[name] ?? (name in variables ? "" : whole));
    });
    await this.io.stdout.write(text);
  }
}

function urlOf(text: string): URL {
  const [, scheme = ""] = /^([a-z][a-z0-9+.-]*):\/\//i.exec(text) ?? [];
  if (scheme !== "" && !/^https?$/i.test(scheme)) throw new CurlFailure(1, `Protocol "${scheme}" not supported`);
  try {
    return new URL(scheme === "" ? `http://${text}` : text);
  } catch {
    throw new CurlFailure(CODE.badUrl, "URL rejected: Malformed input to a URL function");
  }
}

/** Where the URL at that place is written to; undefined for the output. */
function outputOf(options: CurlOptions, url: string, index: number): string | undefined {
  const outputs = options.given.filter(([name]) => name === "output" || name === "remote-name");
  const [name, value] = outputs[index] ?? [];
  if (name !== "remote-name") return value;
  const { pathname } = urlOf(url);
  const last = pathname.slice(pathname.lastIndexOf("/") + 1);
  if (last === "") throw new CurlFailure(CODE.write, "Remote file name has no length");
  return last;
}

/** What --resolve says of a host and port. */
function resolved(options: CurlOptions, url: URL): string | undefined {
  const wanted = `${hostOf(url)}:${portOf(url)}:`;
  return options
    .values("resolve")
    .find((one) => one.startsWith(wanted))
    ?.slice(wanted.length)
    .split(",")[0];
}

/** "Name: value"; "Name:" takes a header away, "Name;" sends it empty. */
function headerOf(text: string): readonly [string, string | undefined] {
  const colon = text.indexOf(":");
  if (colon < 0) return [text.replace(/;$/, ""), text.endsWith(";") ? "" : undefined];
  const value = text.slice(colon + 1).trim();
  return [text.slice(0, colon).trim(), value === "" ? undefined : value];
}

/** What curl shows of a transfer's progress, at its beginning and its end. */
class Meter {
  readonly #isShown: boolean;

  constructor(
    private readonly io: ProgramIo,
    options: CurlOptions,
    private readonly total: number,
  ) {
    const isFile = options.has("output") || options.has("remote-name");
    const isQuiet = options.has("silent") || options.has("no-progress-meter");
    this.#isShown = !isQuiet && (isFile || io.terminal === undefined);
  }

  async begin(): Promise<void> {
    if (!this.#isShown) return;
    await this.io.stderr.write(
      "  % Total    % Received % Xferd  Average Speed   Time    Time     Time  Current\n" +
        "                                 Dload  Upload   Total   Spent    Left  Speed\n" +
        meterLine(0, 0, 0),
    );
  }

  async end(received: number): Promise<void> {
    if (this.#isShown) await this.io.stderr.write(`${meterLine(100, Math.max(this.total, received), received)}\n`);
  }
}

function meterLine(percent: number, total: number, received: number): string {
  const [all, got] = [total, received].map((bytes) => String(bytes).padStart(5));
  const share = String(percent).padStart(3);
  return `\r${share} ${all}  ${share} ${got}    0     0      0      0 --:--:-- --:--:-- --:--:--     0`;
}
