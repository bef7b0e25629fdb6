import { resolve } from "node:path";
import { admissionSection } from "../../component/apiserver-flags/admission.js";
import { etcdSection } from "../../component/apiserver-flags/etcd.js";
import { egressSelectorSection } from "../../component/apiserver-flags/sections.js";
import { genericSection } from "../../component/apiserver-flags/generic.js";
import { secureServingSection } from "../../component/apiserver-flags/secure-serving.js";
import { type Component, type ComponentContext, runComponent } from "../../component/component.js";
import type { ComponentFlag, FlagSection } from "../../component/component-flag.js";
import type { Flags } from "../../component/flags/flag-set.js";
import { runProcess } from "../../component/run-process.js";
import { notifySystemd } from "../../component/systemd.js";
import { readTlsProtocol } from "../../server/generic/transport/tls-protocol.js";
import type { HttpOptions, ServerOptions } from "../options/server-options.js";
import { serverOptions } from "../start-server.js";
import { CONDUCT_FLAGS, readConduct } from "./conduct-flags.js";
import type { GenericServer } from "./generic-server.js";

/** A program that serves an API of its own. */
export interface ServerProgram {
  /** What it calls itself: "wardle-server". */
  readonly name: string;
  /** The first paragraph of its help. */
  readonly description: string;
  /** What --version prints: "v1.0.0". */
  readonly version: string;
  /** What it serves, and whatever else no flag says. Flags that are given win. */
  readonly options: ServerOptions;
  /** Flags of its own, in a section of the program's name. */
  readonly flags?: readonly ComponentFlag[];
  /** Says what is wrong with the flags of its own. */
  validate?(flags: Flags): readonly string[];
  /** Adds hooks and paths to the server before it is prepared to run. */
  extend?(server: GenericServer, flags: Flags): void | Promise<void>;
}

/** A program that can be run. */
export interface ServerCommand {
  /** Runs it as the whole of this process: arguments, streams, signals, exit code. Resolves when it has ended. */
  main(): Promise<void>;
  /** Runs it with these arguments until `signal` aborts. Resolves to its exit code. */
  run(args: readonly string[], host: Parameters<typeof runComponent>[2]): Promise<number>;
}

/**
 * Makes an API server a program, as the recommended options of Kubernetes' sample-apiserver do: flags in sections with --help and --version, the log,
 * SIGINT and SIGTERM, exit codes, and systemd's readiness.
 */
export function serverCommand(program: ServerProgram): ServerCommand {
  const component = componentOf(program);
  return {
    main: () => runProcess(component),
    run: (args, host) => runComponent(component, args, host),
  };
}

function componentOf(program: ServerProgram): Component {
  const { name, description, version, flags: own = [] } = program;
  const ownSection: readonly FlagSection[] = own.length === 0 ? [] : [{ name, flags: own }];
  return {
    name,
    program: name,
    description,
    version: `${name} ${version}`,
    sections: [...SECTIONS, ...ownSection],
    validate: (flags, { cwd }) => [
      ...serverOptions(optionsOf(program, flags, cwd)).validate(),
      ...(program.validate?.(flags) ?? []),
    ],
    run: (flags, context) => run(program, flags, context),
  };
}

async function run(program: ServerProgram, flags: Flags, context: ComponentContext): Promise<void> {
  const { log, signal, cwd, env } = context;
  log.info("server.go:180", `Version: ${program.version}`);
  const options = optionsOf(program, flags, cwd);
  const config = await serverOptions({
    onError: (error) => log.error("run.go:72", "Unhandled Error", error),
    onWarning: (text) => log.warn("options.go:100", text),
    ...options,
    signal,
  }).toConfig();
  const server = await config.complete().newServer(program.name);
  try {
    await program.extend?.(server, flags);
  } catch (error) {
    await server.close();
    throw error;
  }
  const running = await server.prepareRun().start({ signal });
  for (const url of new Set([running.url, running.httpUrl ?? ""])) {
    if (url === "") continue;
    const { protocol, host } = new URL(url);
    log.info("secure_serving.go:211", `Serving ${protocol === "https:" ? "securely" : "insecurely"} on ${host}`);
  }
  const tell = async (state: "READY=1" | "STOPPING=1"): Promise<void> => {
    const fault = await notifySystemd(state, env);
    if (fault !== undefined) log.warn("server.go:240", `systemd is not told ${state}: ${fault}`);
  };
  await tell("READY=1");
  if (!signal.aborted) {
    await new Promise<void>((done) => signal.addEventListener("abort", () => done(), { once: true }));
  }
  await Promise.all([tell("STOPPING=1"), running.close()]);
}

const pick = ({ flags }: FlagSection, ...names: readonly string[]): ComponentFlag[] =>
  flags.filter(({ name }) => names.includes(name));

/** kube-apiserver's flags that mean the same for a server of any API, in its sections. */
const SECTIONS: readonly FlagSection[] = [
  {
    name: "generic",
    flags: pick(genericSection, ...CONDUCT_FLAGS, "max-mutating-requests-inflight", "max-requests-inflight"),
  },
  {
    name: "etcd",
    flags: [
      ...pick(etcdSection, "etcd-cafile", "etcd-certfile", "etcd-keyfile", "etcd-prefix", "watch-cache"),
      {
        name: "etcd-servers",
        type: "stringSlice",
        usage: "Where objects are kept, scheme://host:port; without it, in this process's memory or in --data-dir.",
      },
      {
        name: "data-dir",
        type: "string",
        usage: "A folder of this server's own that keeps its objects and certificates.",
      },
    ],
  },
  {
    name: "secure serving",
    flags: [
      ...pick(secureServingSection, "tls-cert-file", "tls-cipher-suites", "tls-min-version", "tls-private-key-file"),
      {
        name: "bind-address",
        type: "string",
        typeName: "ip",
        default: "127.0.0.1",
        usage: "The address to listen on.",
      },
      { name: "secure-port", type: "int", default: "6443", usage: "The port with TLS; 0 for none." },
    ],
  },
  {
    name: "insecure serving",
    flags: [
      {
        name: "http-port",
        type: "int",
        default: "0",
        usage: "A port of 127.0.0.1 without TLS and without credentials, in place of the port with TLS; 0 for none.",
      },
      { name: "http-socket", type: "string", usage: "A Unix socket without TLS, in place of the port with TLS." },
    ],
  },
  { name: "admission", flags: [...admissionSection.flags] },
  egressSelectorSection,
];

function optionsOf({ options }: ServerProgram, flags: Flags, cwd: string): ServerOptions {
  const file = (name: string): string => (flags.string(name) === "" ? "" : resolve(cwd, flags.string(name)));
  const http = httpOf(flags, file);
  const port = http !== undefined || flags.number("secure-port") === 0 ? false : flags.number("secure-port");
  return {
    ...options,
    ...storageOf(flags, file),
    ...(flags.changed("watch-cache") && { watchCache: flags.bool("watch-cache") }),
    host: flags.string("bind-address"),
    port,
    ...(http && { http }),
    ...(port !== false && tlsOf(flags, file)),
    ...(file("egress-selector-config-file") !== "" && { egress: file("egress-selector-config-file") }),
    conduct: { ...options.conduct, ...readConduct(flags) },
    inFlight: {
      readOnly: flags.number("max-requests-inflight"),
      mutating: flags.number("max-mutating-requests-inflight"),
    },
    admission: {
      ...options.admission,
      enable: [...(options.admission?.enable ?? []), ...flags.strings("enable-admission-plugins")],
      disable: [...(options.admission?.disable ?? []), ...flags.strings("disable-admission-plugins")],
      ...(file("admission-control-config-file") !== "" && { configurationFile: file("admission-control-config-file") }),
    },
  };
}

type Files = (flag: string) => string;

function httpOf(flags: Flags, file: Files): HttpOptions | undefined {
  const socketPath = file("http-socket");
  if (socketPath !== "") return { socketPath, anonymous: true };
  const port = flags.number("http-port");
  return port === 0 ? undefined : { port, anonymous: true };
}

function storageOf(flags: Flags, file: Files): Pick<ServerOptions, "storage" | "dataDir" | "etcd"> {
  const servers = flags.strings("etcd-servers");
  const dataDir = file("data-dir");
  if (servers.length === 0) return dataDir === "" ? {} : { storage: "disk", dataDir };
  const [caFile, certFile, keyFile] = [file("etcd-cafile"), file("etcd-certfile"), file("etcd-keyfile")];
  return {
    storage: "etcd",
    ...(dataDir !== "" && { dataDir }),
    etcd: {
      servers,
      prefix: flags.string("etcd-prefix"),
      ...(caFile !== "" && { caFile }),
      ...(certFile !== "" && { certFile }),
      ...(keyFile !== "" && { keyFile }),
    },
  };
}

function tlsOf(flags: Flags, file: Files): Pick<ServerOptions, "tls"> {
  const [certFile, keyFile] = [file("tls-cert-file"), file("tls-private-key-file")];
  const { minVersion, cipherSuites } = readTlsProtocol(
    flags.string("tls-min-version"),
    flags.strings("tls-cipher-suites"),
  );
  if (certFile === "" && keyFile === "" && minVersion === undefined && cipherSuites === undefined) return {};
  return {
    tls: {
      ...((certFile !== "" || keyFile !== "") && { certificate: { certFile, keyFile } }),
      ...(minVersion && { minVersion }),
      ...(cipherSuites && { cipherSuites }),
    },
  };
}
