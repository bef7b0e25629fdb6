import { constants } from "node:os";
import { errorMessage } from "../../base/text/error-message.js";
import type { Command, Invocation } from "../../cli/command.js";
import { ExitError, usageError } from "../../cli/errors.js";
import type { Factory, Streams } from "../../cli/connect/factory.js";
import type { LiveLines } from "../../cli/terminal/live-lines.js";
import { openLiveLines } from "../../cli/terminal/open-live-lines.js";
import type { VerboseLog } from "../../machinery/text/klog/klog.js";
import { completeControllers, type ServerChoice, serverChoiceOf, serverFlags } from "./server-flags.js";
import { howStartEnds, failPlainly, type StorageFlags, storageFlags, storageOf } from "./storage-flag.js";
import { nameArgument, newClusterName } from "./name-argument.js";
import { shownBy, timeoutFlag, waitOf } from "./wait-flags.js";

export interface ClusterStartOptions {
  readonly name: string;
  readonly port: number;
  readonly storage: StorageFlags | undefined;
  readonly server: ServerChoice;
  readonly dataDir: string;
  readonly downgrade: boolean;
  readonly detach: boolean;
  /** How long nodes and pods are waited for, in milliseconds; undefined: not at all. */
  readonly wait: number | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly clock: Factory["clock"];
  readonly log: Factory["log"];
  /** The line that shows progress on a terminal. */
  readonly openLines: () => Promise<LiveLines | undefined>;
}

export function clusterStartCommand(run = startNamed): Command {
  return {
    use: "start [NAME] [--port=PORT] [--nodes=COUNT] [--storage=memory|disk|etcd] [--data-dir=DIR] [--detach] [--wait [--timeout=DURATION]]",
    description:
      "Start a named cluster and write its context, kubets-NAME, to the kubeconfig as the current one.\n\n" +
      'Without a NAME it is "default". It serves until it gets SIGINT or SIGTERM, or in the background with --detach. Objects are kept on disk unless --storage says memory or etcd. Servers that share an etcd share a --data-dir, which holds their certificates; each has a --server-name of its own, by which its nodes are named.',
    examples:
      "  # A cluster in the background, used and stopped\n" +
      "  {{program}} cluster start dev --detach\n" +
      "  {{program}} get namespaces\n" +
      "  {{program}} cluster stop dev\n\n" +
      "  # Two servers, one API: objects in etcd, certificates in a folder of both\n" +
      "  {{program}} cluster start one --detach --storage=etcd --etcd-servers=http://127.0.0.1:2379 --data-dir=./pki\n" +
      "  {{program}} cluster start two --detach --storage=etcd --etcd-servers=http://127.0.0.1:2379 --data-dir=./pki",
    flags: [
      {
        name: "port",
        type: "int",
        default: "0",
        usage: "The port to listen on; 0 takes the one it had, or any free one.",
      },
      ...storageFlags,
      ...serverFlags,
      {
        name: "data-dir",
        type: "string",
        default: "",
        usage: "The folder for certificates and objects; without it, one that belongs to the name.",
      },
      {
        name: "downgrade",
        type: "bool",
        default: "false",
        usage:
          "Start the cluster at an older --kubernetes-version than it had although that version does not know all kinds and fields of what is stored, and loses them.",
      },
      {
        name: "detach",
        type: "bool",
        default: "false",
        usage: "Return when the cluster is ready and leave it running.",
      },
      {
        name: "wait",
        type: "bool",
        default: "false",
        usage:
          "Say that the cluster is ready only when its nodes are, and the pods that it has kept: those that have not ended are ready, and Jobs have completed. Otherwise name what is not ready, with the reason, and exit with 1; with --detach the cluster goes on running.",
      },
      timeoutFlag,
    ],
    completeFlags: { controllers: completeControllers },
    handlesSignals: true,
    ownExitCode: true,
    validateArgs: nameArgument,
    execute: async (factory, invocation) =>
      failPlainly(() => run(complete(factory, invocation), factory.streams, invocation.signal)),
  };
}

function complete(factory: Factory, invocation: Invocation): ClusterStartOptions {
  const port = invocation.flags.number("port");
  if (port < 0 || port > 65_535) throw usageError(invocation, `invalid port ${port}: use 1 to 65535, or 0 for any`);
  return {
    name: newClusterName(invocation),
    port,
    storage: storageOf(factory, invocation),
    server: serverChoiceOf(factory, invocation),
    dataDir: invocation.flags.string("data-dir"),
    downgrade: invocation.flags.bool("downgrade"),
    detach: invocation.flags.bool("detach"),
    wait: waitOf(invocation, (text) => void factory.streams.err.write(`Warning: ${text}\n`)),
    env: factory.env,
    cwd: factory.cwd,
    clock: factory.clock,
    log: () => factory.log(),
    openLines: () => openLiveLines(factory),
  };
}

async function startNamed(options: ClusterStartOptions, streams: Streams, signal: AbortSignal): Promise<void> {
  const { serveNamedCluster, startDetached } = await import("../../cluster/named/index.js");
  const reportError = (error: unknown): void => {
    streams.err.write(`error: ${errorMessage(error)}\n`);
  };
  const lines = await options.openLines();
  const warn = (text: string): void => {
    lines?.clear();
    streams.err.write(`Warning: ${text}\n`);
  };
  const say = (line: string): void => {
    streams.err.write(`${line}\n`);
  };
  const named = { ...options, signal, log: await options.log(), reportError, warn, say };
  lines?.set(`cluster "${options.name}"`, "starting");
  const ready = async (served: Served): Promise<void> => {
    if (options.wait !== undefined) await waitFor(named, served, options.wait, lines);
    lines?.end();
    streams.out.write(`cluster "${options.name}" is ready at ${served.url}\n`);
    streams.out.write(`context "${served.context}" is now current in ${served.kubeconfig}\n`);
    for (const line of served.waits) streams.out.write(`${line}\n`);
  };
  try {
    const ended = (error: unknown): never => {
      throw signal.aborted ? endedBy(signal, `cluster "${options.name}" was not started`) : error;
    };
    if (options.detach) return await ready(await startDetached(named).catch(ended));
    const { close, ...served } = await serveNamedCluster(named).catch(ended);
    try {
      await ready(served);
      if (streams.err.isTTY === true) say(howStartEnds(served.storage));
      // Started by --detach: the parent process waits for this message.
      process.send?.(served);
      await new Promise<void>((resolve) => {
        if (signal.aborted) resolve();
        signal.addEventListener("abort", () => resolve(), { once: true });
      });
    } finally {
      await close();
    }
  } finally {
    lines?.end();
  }
  streams.out.write(`cluster "${options.name}" stopped\n`);
}

/** Says what a signal ended, with the exit code of a program that died of it. */
function endedBy({ reason }: AbortSignal, what: string): ExitError {
  const signal = errorMessage(reason);
  const number: number | undefined = constants.signals[signal as NodeJS.Signals];
  return new ExitError(number === undefined ? 1 : 128 + number, `error: ${what}: ${signal}`);
}

interface Served {
  readonly began: number;
  readonly storage: StorageFlags["storage"];
  readonly url: string;
  readonly context: string;
  readonly kubeconfig: string;
  readonly waits: readonly string[];
}

/** Throws a signal that ends the wait: in the foreground it ends the cluster too. */
async function waitFor(
  around: Omit<ClusterStartOptions, "log"> & {
    readonly log: VerboseLog | undefined;
    readonly signal: AbortSignal;
    readonly say: (line: string) => void;
  },
  { began }: Served,
  timeout: number,
  lines: LiveLines | undefined,
): Promise<void> {
  const { name, signal, detach, say } = around;
  const { clusterClient, clusterStatus, waitUntilReady } = await import("../../cluster/named/index.js");
  const client = await clusterClient(await clusterStatus(name, around), around);
  const progress = { began, failedJobs: false, signal, timeout, ...shownBy(lines, `cluster "${name}"`, say) };
  try {
    await waitUntilReady(`cluster "${name}"`, client, progress);
  } finally {
    await client.close();
  }
  if (signal.aborted)
    throw endedBy(signal, `cluster "${name}" ${detach ? "runs, and was" : "was stopped and"} not waited for`);
}
