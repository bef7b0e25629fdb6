import { statSync } from "node:fs";
import { resolve } from "node:path";
import type { Command, Invocation } from "../../cli/command.js";
import type { Factory } from "../../cli/connect/factory.js";
import { klogLine, klogWarning } from "../../machinery/text/klog/klog.js";
import type { ClientConfig } from "../../client/config/client-config.js";
import { errnoText } from "../../base/files/path-error.js";
import { createAuthenticator } from "../../client/auth/authenticator.js";
import { type Filter, filterOf } from "./filter.js";
import { proxyHandler } from "./forward.js";
import { type Handler, routes } from "./routes.js";
import { serve } from "./serve.js";
import { staticFiles } from "./static-files.js";

const DEFAULT_PORT = 8001;

export interface ProxyOptions {
  readonly config: ClientConfig;
  readonly env: Factory["env"];
  readonly clock: Factory["clock"];
  readonly stdinIsTerminal: () => boolean;
  readonly pluginPolicy: Factory["pluginPolicy"];
  /** Undefined lets everything through. */
  readonly filter: Filter | undefined;
  readonly apiPrefix: string;
  /** The folder to serve files from. */
  readonly files: { readonly folder: string; readonly prefix: string } | undefined;
  readonly listen: { readonly socket: string } | { readonly address: string; readonly port: number };
  readonly cwd: string;
  readonly appendServerPath: boolean;
  /** Milliseconds; 0 leaves it to the system's ways. */
  readonly keepAlive: number;
  readonly signal: AbortSignal;
  readonly write: (text: string) => void;
  /** A line of klog's for an error of one request. */
  readonly logError: (source: string, text: string) => void;
}

export function proxyCommand(run = runProxy): Command {
  return {
    use: "proxy [--port=PORT] [--www=static-dir] [--www-prefix=prefix] [--api-prefix=prefix]",
    description: `Serve the API of the cluster on a local port or socket, to whoever is on this machine and without credentials of their own: every request is passed on as yours.

 Files of a folder can be served beside it. It serves until it is interrupted.`,
    examples: `# The whole API and nothing else, on port 8001
{{program}} proxy --api-prefix=/

# A part of the API, and files beside it; 'curl localhost:8001/api/v1/pods' lists pods
{{program}} proxy --www=./files --www-prefix=/static/ --api-prefix=/api/

# The whole API under another root; 'curl localhost:8001/custom/api/v1/pods' lists pods
{{program}} proxy --api-prefix=/custom/

# On a free port, which is printed
{{program}} proxy --port=0`,
    flags: [
      { name: "www", short: "w", type: "string", usage: "Serve the files of this folder, too" },
      {
        name: "www-prefix",
        short: "P",
        type: "string",
        default: "/static/",
        usage: "Where the files are served, when there is a folder of them",
      },
      { name: "api-prefix", type: "string", default: "/", usage: "Where the API is served" },
      {
        name: "accept-paths",
        type: "string",
        default: "^.*",
        usage: "Patterns for the paths that are passed on, separated by commas",
      },
      {
        name: "reject-paths",
        type: "string",
        default: "^/api/.*/pods/.*/exec,^/api/.*/pods/.*/attach",
        usage: "Patterns for paths that are refused, even those that --accept-paths lets pass",
      },
      {
        name: "accept-hosts",
        type: "string",
        default: String.raw`^localhost$,^127\.0\.0\.1$,^\[::1\]$`,
        usage: "Patterns for the hosts that requests may name",
      },
      {
        name: "reject-methods",
        type: "string",
        default: "^$",
        usage: "Patterns for the HTTP methods that are refused, for instance 'POST,PUT,PATCH'",
      },
      {
        name: "port",
        short: "p",
        type: "int",
        default: String(DEFAULT_PORT),
        usage: "The port to serve on. 0 takes a free one",
      },
      { name: "address", type: "string", default: "127.0.0.1", usage: "The IP address to serve on" },
      {
        name: "disable-filter",
        type: "bool",
        usage: "Refuse no request. Any web page may then use the API in your name, if it can reach the port",
      },
      { name: "unix-socket", short: "u", type: "string", usage: "Serve on this Unix socket instead of a port" },
      {
        name: "keepalive",
        type: "duration",
        usage: "How often an idle connection is probed. 0 leaves it to the system",
      },
      {
        name: "append-server-path",
        type: "bool",
        usage: "Put the path of the server's address in front of every path",
      },
    ],
    handlesSignals: true,
    execute: async (factory, invocation) => run(await complete(factory, invocation)),
  };
}

async function complete(factory: Factory, { flags, signal }: Invocation): Promise<ProxyOptions> {
  const { streams, clock } = factory;
  const now = (): Date => new Date(clock.now());
  const warn = (line: number, text: string): void =>
    void streams.err.write(klogWarning(`proxy.go:${line}`, text, now(), factory.pid));
  const config = await factory.clientConfig();
  const socket = flags.string("unix-socket");
  const appendServerPath = flags.bool("append-server-path");
  const path = /^[^:]+:\/\/[^/]*(\/.*)?$/.exec(config.server)?.[1] ?? "";
  if (!appendServerPath && path !== "" && path !== "/") {
    warn(
      172,
      `Your kube context contains a server path ${path}, use --append-server-path to automatically append the path to each request`,
    );
  }
  if (flags.bool("disable-filter") && socket === "") {
    warn(177, "Request filter disabled, your proxy is vulnerable to XSRF attacks, please be cautious");
  }
  const isFiltered = !flags.bool("disable-filter");
  if (isFiltered && (flags.string("reject-paths") === "" || flags.string("reject-methods") === "")) {
    warn(182, "Request filter has been relaxed, your proxy may be vulnerable to attacks, please be cautious");
  }
  const filter = !isFiltered ? undefined : filterOf(flags, now(), factory.pid);
  if (flags.number("port") !== DEFAULT_PORT && socket !== "") {
    throw new Error("cannot set --unix-socket and --port at the same time");
  }
  const folder = flags.string("www");
  if (folder !== "") checkFolder(folder, factory.cwd, warn);
  return {
    config,
    env: factory.env,
    clock: factory.clock,
    stdinIsTerminal: () => streams.in.isTTY === true,
    pluginPolicy: factory.pluginPolicy,
    filter,
    apiPrefix: endingInSlash(flags.string("api-prefix")),
    files:
      folder === ""
        ? undefined
        : { folder: resolve(factory.cwd, folder), prefix: endingInSlash(flags.string("www-prefix")) },
    listen: socket === "" ? { address: flags.string("address"), port: flags.number("port") } : { socket },
    cwd: factory.cwd,
    appendServerPath,
    keepAlive: flags.duration("keepalive"),
    signal,
    write: (text) => void streams.out.write(text),
    logError: (source, text) => void streams.err.write(klogLine("E", source, text, now(), factory.pid)),
  };
}

const endingInSlash = (prefix: string): string => (prefix.endsWith("/") ? prefix : `${prefix}/`);

/** What is wrong with the folder now may be mended while the proxy runs. */
function checkFolder(folder: string, cwd: string, warn: (line: number, text: string) => void): void {
  try {
    if (statSync(resolve(cwd, folder)).isDirectory()) return;
    warn(205, `Static file directory ${folder} is not a directory`);
  } catch (error) {
    warn(203, `Failed to stat static file directory ${folder}: stat ${folder}: ${errnoText(error)}`);
  }
}

export async function runProxy(options: ProxyOptions): Promise<void> {
  const { config, apiPrefix, files, pluginPolicy, signal } = options;
  const authenticate = createAuthenticator(config, options, {
    get stdinIsTerminal() {
      return options.stdinIsTerminal();
    },
    pluginPolicy,
  });
  const api = proxyHandler({ ...options, authenticate });
  const handlers: (readonly [prefix: string, handler: Handler])[] = [[apiPrefix, api.handler]];
  if (files !== undefined) handlers.push([files.prefix, staticFiles(files)]);
  try {
    await serve(routes(handlers), { ...options, signal });
  } finally {
    api.close();
  }
}
