import { admissionSection } from "../../component/apiserver-flags/admission.js";
import { auditingSection, withFormerBackoff } from "../../component/apiserver-flags/auditing.js";
import { egressSelectorSection } from "../../component/apiserver-flags/egress.js";
import { tracesSection } from "../../component/apiserver-flags/traces.js";
import { etcdOptions, storageOptions } from "../../component/apiserver-flags/etcd.js";
import { conductOptions, inFlightOptions } from "../../component/apiserver-flags/generic.js";
import { placeFaults, placeOptions } from "../../component/apiserver-flags/own.js";
import { http2Options, listeningOptions, tlsOptions } from "../../component/apiserver-flags/secure-serving.js";
import { serverOptionTable } from "../../component/apiserver-flags/server-options.js";
import { type Component, type ComponentContext, runComponent } from "../../component/component.js";
import type { ComponentFlag, FlagSection } from "../../component/component-flag.js";
import type { Flags } from "../../component/flags/flag-set.js";
import { type OptionGroup, readOptions, readWithDefaults, sectionOf } from "../../component/option-group.js";
import { runProcess } from "../../component/run-process.js";
import { notifySystemd, tellSystemdReady } from "../../component/systemd.js";
import type { HttpOptions, ServerOptions } from "../options/server-options.js";
import { serverOptions } from "../start-server.js";
import type { GenericServer } from "./generic-server.js";
import { logLifeCycle, logSlowRequests, requestLogOf } from "./log-life-cycle.js";
import { delegatedFlagFaults, delegatedOptions, type RecommendedOptions, sectionsOf } from "./recommended-options.js";

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
  /** The groups of options that the program has: {@link recommendedOptions}. Default: all that ask no main server. */
  readonly recommended?: RecommendedOptions;
  /** Makes the first stage of the server. Default: serverOptions; extensionServerOptions serves CustomResourceDefinitions. */
  readonly firstStage?: typeof serverOptions;
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
  const { name, description, version, flags: own = [], firstStage = serverOptions } = program;
  const ownSection: readonly FlagSection[] = own.length === 0 ? [] : [{ name, flags: own }];
  return {
    name,
    program: name,
    description,
    version: `${name} ${version}`,
    sections: [...sectionsOf(SECTIONS, program.recommended), ...ownSection],
    validate: (flags, { cwd }) => [
      ...firstStage(optionsOf(program, flags, cwd)).validate(),
      ...placeFaults(flags),
      ...delegatedFlagFaults(flags, cwd),
      ...(program.validate?.(flags) ?? []),
    ],
    run: (flags, context) => run(program, flags, context),
  };
}

async function run(program: ServerProgram, flags: Flags, context: ComponentContext): Promise<void> {
  const { log, signal, cwd, env, flagValues } = context;
  log.info("app/server.go:180", `Version: ${program.version}`);
  const options = optionsOf(program, flags, cwd);
  const config = await (program.firstStage ?? serverOptions)({
    onError: (error) => log.error("cli/run.go:72", "Unhandled Error", error),
    onWarning: (text) => log.warn("options/options.go:100", text),
    onLifeCycle: logLifeCycle(log),
    ...options,
    monitoring: {
      countsFromStart: true,
      flags: flagValues,
      setVerbosity: log.setVerbosity,
      requestLog: requestLogOf(log),
      ...options.monitoring,
    },
    tracing: { ...logSlowRequests(log), ...options.tracing },
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
  const addresses = [...new Set([running.url, running.httpUrl ?? ""])].filter((url) => url !== "");
  for (const url of addresses) {
    const { protocol, host } = new URL(url);
    log.info("server/secure_serving.go:211", `Serving ${protocol === "https:" ? "securely" : "insecurely"} on ${host}`);
  }
  await tellSystemdReady(env, log);
  if (!signal.aborted) {
    await new Promise<void>((done) => signal.addEventListener("abort", () => done(), { once: true }));
  }
  await Promise.all([notifySystemd("STOPPING=1", env), running.close()]);
  for (const url of addresses) log.info("server/secure_serving.go:262", `Stopped listening on ${new URL(url).host}`);
}

/** Where the program keeps its objects and listens. */
const programOptions = {
  dataDir: {
    name: "data-dir",
    type: "string",
    usage: "A folder of this server's own that keeps its objects and certificates.",
    isFile: true,
  },
  host: { ...listeningOptions.host, default: "127.0.0.1", usage: "The address to listen on." },
  securePort: { name: "secure-port", type: "int", default: "6443", usage: "The port with TLS; 0 for none." },
} as const satisfies OptionGroup;

const insecureOptions = {
  httpPort: {
    name: "http-port",
    type: "int",
    default: "0",
    usage: "A port of 127.0.0.1 without TLS and without credentials, in place of the port with TLS; 0 for none.",
  },
  httpSocket: {
    name: "http-socket",
    type: "string",
    usage: "A Unix socket without TLS, in place of the port with TLS.",
    isFile: true,
  },
} as const satisfies OptionGroup;

const { servers, prefix, caFile, certFile, keyFile } = etcdOptions;
const etcdServers = {
  ...servers,
  usage: "Where objects are kept, scheme://host:port; without it, in this process's memory or in --data-dir.",
};

/** kube-apiserver's flags that mean the same for a server of any API, in its sections. */
const SECTIONS: readonly FlagSection[] = [
  sectionOf("generic", { conductOptions, inFlightOptions }, []),
  sectionOf("etcd", { etcdServers, prefix, caFile, certFile, keyFile, watchCache: storageOptions.watchCache }, [
    placeOptions.storage,
    programOptions.dataDir,
  ]),
  sectionOf(
    "secure serving",
    { http2Options, certificate: tlsOptions.certificate, minVersion: tlsOptions.minVersion },
    [tlsOptions.cipherSuites, programOptions.host, programOptions.securePort],
  ),
  sectionOf("insecure serving", insecureOptions, []),
  auditingSection,
  admissionSection,
  egressSelectorSection,
  tracesSection,
];

/** Who callers are, and what they may do, the program says by its recommended options. */
const { authentication: _, authorization: __, ...programTable } = serverOptionTable;

function optionsOf({ options, recommended }: ServerProgram, flags: Flags, cwd: string): ServerOptions {
  const { etcd: givenEtcd, admission = {}, tls, ...given } = readOptions(programTable, flags, cwd);
  const { dataDir, host } = readWithDefaults(programOptions, flags, cwd);
  const { storage } = readOptions(placeOptions, flags, cwd);
  const audit = withFormerBackoff(given.audit, flags);
  const http = httpOf(flags, cwd);
  const port = portOf(flags, http, options);
  const hasEtcd = givenEtcd !== undefined && givenEtcd.servers.length > 0;
  return {
    ...options,
    ...given,
    ...(dataDir !== undefined && { storage: "disk", dataDir }),
    ...(storage !== undefined && { storage }),
    // The flags' defaults are those of the program, and what its author and its user say wins, in this order.
    http2: { ...readWithDefaults(http2Options, flags, cwd), ...options.http2, ...given.http2 },
    ...(hasEtcd && { storage: "etcd", etcd: readWithDefaults(etcdOptions, flags, cwd) }),
    ...(host !== undefined && { host }),
    port,
    ...(http && { http }),
    ...(audit && { audit: { ...options.audit, ...audit } }),
    ...(port !== false && tls && { tls }),
    conduct: { ...options.conduct, ...given.conduct },
    ...((options.tracing ?? given.tracing) && { tracing: { ...options.tracing, ...given.tracing } }),
    monitoring: { ...options.monitoring, ...given.monitoring },
    admission: {
      ...options.admission,
      ...admission,
      enable: [...(options.admission?.enable ?? []), ...(admission.enable ?? [])],
      disable: [...(options.admission?.disable ?? []), ...(admission.disable ?? [])],
    },
    ...delegatedOptions(recommended, options, flags, cwd),
  };
}

function portOf(flags: Flags, http: HttpOptions | undefined, options: ServerOptions): number | false {
  if (!flags.has("secure-port")) return options.port ?? false;
  return http !== undefined || flags.number("secure-port") === 0 ? false : flags.number("secure-port");
}

function httpOf(flags: Flags, cwd: string): HttpOptions | undefined {
  const { httpPort = 0, httpSocket } = readOptions(insecureOptions, flags, cwd);
  if (httpSocket !== undefined) return { socketPath: httpSocket, anonymous: true };
  return httpPort === 0 ? undefined : { port: httpPort, anonymous: true };
}
