import { errorMessage } from "../../base/text/error-message.js";
import { ownProgram } from "../../base/files/own-program.js";
import type { Command, Invocation } from "../../cli/command.js";
import { ExitError, usageError } from "../../cli/errors.js";
import type { Factory } from "../../cli/connect/factory.js";
import type { LiveLines } from "../../cli/terminal/live-lines.js";
import { openLiveLines } from "../../cli/terminal/open-live-lines.js";
import type { KubernetesClient } from "../../client/dynamic/kubernetes-client.js";
import { completeControllers, type ServerChoice, serverChoiceOf, serverFlags } from "./server-flags.js";
import { type RbacRecording, recordRbacFlags, recordRbacOf } from "./record-rbac-flags.js";
import { howRunEnds, failPlainly, type StorageFlags, storageFlags, storageOf } from "./storage-flag.js";
import { shownBy, timeoutFlag, waitOf } from "./wait-flags.js";

export interface ClusterRunOptions {
  readonly storage: StorageFlags;
  readonly server: ServerChoice;
  /** How long nodes and pods are waited for, in milliseconds; undefined: not at all. */
  readonly wait: number | undefined;
  /** Where the rights that the command's requests ask for go; undefined: nowhere. */
  readonly recordRbac: RbacRecording | undefined;
  /** Whether stderr is a terminal, at which a person reads the line. */
  readonly onTerminal: boolean;
  readonly clock: Factory["clock"];
  /** The line that shows progress on a terminal. */
  readonly openLines: () => Promise<LiveLines | undefined>;
  readonly say: (line: string) => void;
  /** Receives what of the flags has no effect. */
  readonly warn: (text: string) => void;
  /** Receives the faults of a file that the cluster follows. */
  readonly reportError: (error: unknown) => void;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly platform: NodeJS.Platform;
}

export function clusterRunCommand(run = runCluster): Command {
  return {
    use: "run [--nodes=COUNT] [--storage=memory|disk|etcd] [--wait [--timeout=DURATION]] -- COMMAND [args...]",
    description:
      "Start a fresh cluster on a free port of this machine, run a command against it, and remove the cluster again.\n\n" +
      "The command gets KUBECONFIG and a discovery cache of its own, and finds kubets on its PATH. Its exit code is this command's; signals are passed on to it.",
    examples:
      "  # Apply an application to a cluster that lives as long as the script\n" +
      "  {{program}} cluster run -- ./test.sh\n\n" +
      "  # Anything that speaks to a cluster can be run\n" +
      "  {{program}} cluster run -- helm install web ./chart\n\n" +
      "  # Fail where a pod of it does not become ready\n" +
      "  {{program}} cluster run --wait -- {{program}} apply -f app.yaml\n\n" +
      "  # Write the roles that an operator used, which runs as the administrator\n" +
      "  {{program}} cluster run --record-rbac=roles.yaml -- ./test-operator.sh",
    flags: [
      ...storageFlags,
      ...serverFlags,
      {
        name: "wait",
        type: "bool",
        default: "false",
        usage:
          "Wait for the nodes and for the pods that an etcd has kept before the command runs, and again for all pods after a command that ended with code 0: those that have not ended are ready, and Jobs have completed. Otherwise name what is not ready, with the reason, and exit with 1.",
      },
      timeoutFlag,
      ...recordRbacFlags,
    ],
    completeFlags: { controllers: completeControllers },
    handlesSignals: true,
    ownExitCode: true,
    validateArgs: (invocation) => {
      if (invocation.args.length === 0) {
        throw usageError(invocation, "no command to run: give it after --, as in: kubets cluster run -- npm test");
      }
    },
    execute: async (factory, invocation) => {
      const code = await failPlainly(() => run(complete(factory, invocation)));
      if (code !== 0) throw new ExitError(code);
    },
  };
}

function complete(factory: Factory, invocation: Invocation): ClusterRunOptions {
  const [command = "", ...args] = invocation.args;
  const warn = (text: string): void => void factory.streams.err.write(`Warning: ${text}\n`);
  return {
    storage: storageOf(factory, invocation) ?? { storage: "memory" },
    server: serverChoiceOf(factory, invocation),
    wait: waitOf(invocation, warn),
    recordRbac: recordRbacOf(factory, invocation, warn),
    onTerminal: factory.streams.err.isTTY === true,
    clock: factory.clock,
    openLines: () => openLiveLines(factory),
    say: (line) => void factory.streams.err.write(`${line}\n`),
    warn,
    reportError: (error) => void factory.streams.err.write(`error: ${errorMessage(error)}\n`),
    command,
    args,
    env: factory.env,
    cwd: factory.cwd,
    platform: factory.platform,
  };
}

async function runCluster(options: ClusterRunOptions): Promise<number> {
  const { followsFiles, recordRbac, runCommand, startCluster, waitUntilReady } = await import(
    "../../cluster/named/index.js"
  );
  const { wait: timeout, openLines, say } = options;
  const began = options.clock.now();
  if (options.onTerminal) say(howRunEnds(options.storage.storage));
  const wait = async (client: KubernetesClient, signal: AbortSignal, limit: number): Promise<void> => {
    const lines = await openLines();
    const progress = { began, failedJobs: true, signal, timeout: limit, ...shownBy(lines, "cluster", say) };
    await waitUntilReady("the cluster", client, progress).finally(() => lines?.end());
  };
  const recording = options.recordRbac && (await recordRbac(options.recordRbac));
  return runCommand({
    ...options,
    recording,
    wait: timeout === undefined ? undefined : (client, signal) => wait(client, signal, timeout),
    program: ownProgram(process),
    start: (folder, signal) =>
      startCluster({
        signal,
        ...options.storage,
        nodes: 1,
        ...options.server,
        onWarning: options.warn,
        ...(recording && { filters: recording.filters }),
        ...(followsFiles(options.server) && { onError: options.reportError }),
        ...(options.storage.storage !== "memory" && { dataDir: folder }),
      }),
  });
}
