import { once } from "../../base/async/once.js";
import { machineFiles } from "../../base/files/command-files.js";
import { uuid } from "../../base/numbers/uuid.js";
import type { ConfigLoader } from "../../client/config/config-loader.js";
import type { ConfigOverrides } from "../../client/config/config-overrides.js";
import { klogError, klogLine, klogText, type LoggedError, type VerboseLog } from "../../machinery/text/klog/klog.js";
import type { RestClient } from "../../client/rest/rest-client.js";
import type { CachedDiscovery } from "../../client/discovery/cached-discovery.js";
import type { Builder } from "../../resource/builder.js";
import { buildNotes } from "../build-notes.js";
import { userAgent } from "./client-version.js";
import type { Factory } from "./factory.js";
import type { Look } from "../../printers/look.js";
import type { ParsedFlags, ParsedFlagSet } from "../../component/flags/parse-flags.js";
import type { Host } from "./host.js";
import { warningHead } from "../warn.js";

/** A factory, with the functions that its owner calls when the command is over. */
export interface OwnedFactory extends Factory {
  /** How many different warnings the server has sent. */
  warningCount(): number;
  /** Closes connections that were opened. */
  close(): Promise<void>;
}

/** client-go's, which it says something of where they are set. */
const HTTP2_VARIABLES = ["DISABLE_HTTP2", "HTTP2_READ_IDLE_TIMEOUT_SECONDS", "HTTP2_PING_TIMEOUT_SECONDS"];

/** The reflector with which kubectl waits for objects. */
const REFLECTOR = 'reflector="k8s.io/client-go/tools/watch/informerwatcher.go:162" type="*unstructured.Unstructured"';

/** Makes a factory. Each part is made on first use, and its modules are loaded then. */
export function createFactory(host: Host, { flags }: ParsedFlags, commandPath: string, look: Look = {}): OwnedFactory {
  const warnings = new Set<string>();
  const log = once(() => openLog(host, flags));
  const loader = once(async () => makeLoader(host, flags, await log()));
  const clientConfig = once(async () => {
    const config = await (await loader()).clientConfig();
    if (host.files === machineFiles) return config;
    return (await import("./inlined-config.js")).inlinedConfig(config, host.files);
  });
  const restClient = once(() => openClient(host, flags, { commandPath, clientConfig, log, warnings }));
  const discovery = once(() => openDiscovery(host, { clientConfig, restClient, log }));
  const mapper = once(async () => {
    const { createRestMapper } = await import("./connect.js");
    return createRestMapper(await discovery(), await log());
  });
  const openapi = once(async () => {
    const { createOpenApi } = await import("../../client/openapi/create-openapi.js");
    return createOpenApi(await restClient());
  });
  return {
    program: host.program,
    streams: host.streams,
    env: host.env,
    cwd: host.cwd,
    files: host.files,
    hosts: host.hosts,
    platform: host.platform,
    arch: host.arch,
    clock: host.clock,
    random: host.random,
    pid: host.pid,
    pluginPolicy: host.pluginPolicy,
    runProgram: host.runProgram,
    colours: host.colours,
    look,
    log,
    rawConfig: async () => (await loader()).rawConfig(),
    clientConfig,
    namespace: async () => (await loader()).namespace(),
    restClient,
    discovery,
    mapper,
    openapi,
    builder: () => makeBuilder(host, { restClient, mapper }),
    keepMemoryFlat: async () => {
      if (host.ownsProcess) (await import("../keep-memory-flat.js")).keepMemoryFlat(process);
    },
    warningCount: () => warnings.size,
    close: async () => {
      if (restClient.made !== undefined) await closeQuietly(restClient.made.value);
    },
  };
}

interface ClientParts extends Pick<Factory, "clientConfig" | "log"> {
  readonly commandPath: string;
  /** Which the server has sent already. */
  readonly warnings: Set<string>;
}

async function openClient(host: Host, flags: ParsedFlagSet, parts: ClientParts): Promise<RestClient> {
  const { createRestClient, giveUpDefaultAuthorities } = await import("./connect.js");
  const config = await parts.clientConfig();
  if (host.ownsProcess) giveUpDefaultAuthorities(host.env, config.proxyUrl);
  const verbose = await parts.log();
  if (HTTP2_VARIABLES.some((name) => Boolean(host.env[name]))) {
    host.streams.err.write((await import("./http2-variables.js")).http2Notices(host));
  }
  // kubectl tells the server which command asks, and which requests belong together.
  const headers = { "kubectl-command": parts.commandPath, "kubectl-session": uuid(host.random) };
  const plain = createRestClient(config, {
    clock: host.clock,
    env: host.env,
    random: host.random,
    // Asked only where a plugin may prompt: looking at stdin opens it.
    get stdinIsTerminal() {
      return host.streams.in.isTTY === true;
    },
    pluginPolicy: host.pluginPolicy,
    hosts: host.hosts,
    ending: host.signal,
    onBrokenBody: (error) =>
      logError(host, { source: "request.go:1198", message: "Unexpected error when reading response body", error }),
    headers,
    ...(verbose && { log: (await import("./log-client.js")).logClient(verbose, host.clock, config, headers) }),
  });
  const client = flags.changed("retry")
    ? (await import("../with-retries.js")).withRetries(plain, flags, host.streams)
    : plain;
  client.onBrokenWatch = (message) => {
    const line = `"Warning: watch ended with error" ${REFLECTOR} err=${klogText(message)}`;
    host.streams.err.write(klogLine("I", "reflector.go:664", line, new Date(host.clock.now()), host.pid));
  };
  client.onWarning = (text) => printWarning(text, parts.warnings, host);
  if (flags.bool("match-server-version")) {
    const { requireMatchingServer } = await import("./match-version.js");
    await requireMatchingServer(client, host.platform, host.arch);
  }
  return client;
}

async function openDiscovery(
  host: Host,
  { clientConfig, restClient, log }: Pick<Factory, "clientConfig" | "restClient" | "log">,
): Promise<CachedDiscovery> {
  const { createCachedDiscovery } = await import("./connect.js");
  const { cacheDir } = await clientConfig();
  const onError = (error: LoggedError): void => {
    // The command was ended, and says nothing more.
    if (!host.signal.aborted) logError(host, error);
  };
  const client = await restClient();
  const { clock, random } = host;
  const kept = cacheDir === "" ? {} : { cacheDir };
  return createCachedDiscovery({ client, ...kept, clock, random, onError, log: await log() });
}

async function makeBuilder(
  host: Host,
  { restClient, mapper }: Pick<Factory, "restClient" | "mapper">,
): Promise<Builder> {
  const { createBuilder } = await import("./connect.js");
  return createBuilder({
    client: restClient,
    mapper,
    // Looking at stdin opens it: only a command that reads it does.
    stdin: { [Symbol.asyncIterator]: () => host.streams.in[Symbol.asyncIterator]() },
    fetchUrl: async (url) => (await import("../fetch-url.js")).fetchUrl(url, host),
    wait: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
    files: { cwd: host.cwd, platform: host.platform, files: host.files },
    notes: buildNotes(host.streams, host.clock),
    program: host.program,
  });
}

function logError(host: Host, error: LoggedError): void {
  host.streams.err.write(klogError(error, new Date(host.clock.now()), host.pid));
}

/** Opens the log of -v and --vmodule. Its module is loaded only when a line may be written. */
async function openLog({ streams, clock, pid }: Host, flags: ParsedFlagSet): Promise<VerboseLog | undefined> {
  const level = flags.number("v");
  const modules = flags.string("vmodule");
  if (level < 1 && modules === "") return undefined;
  const { leveledLog } = await import("../../machinery/text/klog/leveled-log.js");
  return leveledLog({ level, modules, clock, pid, write: (line) => void streams.err.write(line) });
}

async function makeLoader(host: Host, flags: ParsedFlagSet, log: VerboseLog | undefined): Promise<ConfigLoader> {
  const { createConfigLoader } = await import("../../client/config/config-loader.js");
  return createConfigLoader({
    overrides: configOverrides(flags),
    env: host.env,
    cwd: host.cwd,
    files: host.files,
    userAgent: userAgent(host.program, host.platform, host.arch),
    log,
    prompt: async () => (await import("./prompt-credentials.js")).promptCredentials(host.streams),
  });
}

/** The connection flags as given. A command's own flag of the same name (config set-cluster --server) is not one. */
function configOverrides(flags: ParsedFlagSet): ConfigOverrides {
  const isGlobal = (name: string): boolean => flags.has(name) && !flags.table.isOwn(name);
  const text = (name: string): string => (isGlobal(name) && flags.changed(name) ? flags.string(name) : "");
  const list = (name: string): readonly string[] => (isGlobal(name) ? flags.strings(name) : []);
  const bool = (name: string): boolean => isGlobal(name) && flags.bool(name);
  return {
    kubeconfig: text("kubeconfig"),
    context: text("context"),
    cluster: text("cluster"),
    user: text("user"),
    namespace: text("namespace"),
    server: text("server"),
    tlsServerName: text("tls-server-name"),
    proxyUrl: text("proxy-url"),
    insecureSkipTlsVerify: bool("insecure-skip-tls-verify"),
    certificateAuthority: text("certificate-authority"),
    clientCertificate: text("client-certificate"),
    clientKey: text("client-key"),
    token: text("token"),
    username: text("username"),
    password: text("password"),
    as: text("as"),
    asUid: text("as-uid"),
    asGroups: list("as-group"),
    asUserExtra: list("as-user-extra"),
    requestTimeout: text("request-timeout"),
    disableCompression: bool("disable-compression"),
    cacheDir: text("cache-dir"),
  };
}

/** Each different warning once, as kubectl prints them; in yellow where a person reads. */
function printWarning(text: string, seen: Set<string>, { streams, colours }: Host): void {
  if (seen.has(text)) return;
  seen.add(text);
  streams.err.write(`${warningHead(streams.err, colours)} ${text}\n`);
}

async function closeQuietly(client: Promise<RestClient>): Promise<void> {
  try {
    await (await client).close();
  } catch {
    // The command has said what went wrong already.
  }
}
