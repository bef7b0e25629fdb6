import { spawn } from "node:child_process";
import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { constants, tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { kubernetesClient, type KubernetesClient } from "../../client/dynamic/kubernetes-client.js";
import type { Cluster } from "../index.js";
import { namedClusterError } from "./cluster-home.js";

export interface RunCommandOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly platform: NodeJS.Platform;
  /** The words that start kubets again, for a command that calls it. */
  readonly program: readonly string[];
  /** Starts the cluster; `folder` is removed after the run. The first signal that ends programs aborts the start. */
  readonly start: (folder: string, signal: AbortSignal) => Promise<Cluster>;
  /** Called before the command, and again after one that ended with code 0. Aborted, it resolves early. What it throws ends the run. */
  readonly wait?: ((client: KubernetesClient, signal: AbortSignal) => Promise<void>) | undefined;
  /** Records what the command does, from its start to its end: not the waits before and after it. */
  readonly recording?: CommandRecording | undefined;
}

export interface CommandRecording {
  begin(): void;
  /** Called when the command has ended, however it did. What it throws ends the run. */
  end(): Promise<void>;
}

/** Signals that end programs; the command gets them too, and what it makes of them is the result. */
const FORWARDED = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"] as const;

/**
 * Runs a command with a fresh cluster of its own: KUBECONFIG, KUBECACHEDIR and a PATH that finds kubets. Resolves with
 * the command's exit code, 128 + n when signal n ended it; the cluster and its folder are gone by then.
 * Throws when the command cannot be started.
 */
export async function runCommand(options: RunCommandOptions): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), "kubets-run-"));
  // Held from the first moment, so that a signal during start-up still removes the folder.
  const signals = holdSignals();
  try {
    const cluster = await options.start(join(folder, "data"), signals.ending).catch((error: unknown) => {
      if (signals.first === undefined) throw error;
    });
    if (cluster === undefined) return signals.exitCode();
    try {
      return await runBetweenWaits(cluster, folder, options, signals);
    } finally {
      await cluster.close();
    }
  } finally {
    signals.release();
    await rm(folder, { recursive: true, force: true });
  }
}

async function runBetweenWaits(
  cluster: Cluster,
  folder: string,
  options: RunCommandOptions,
  signals: HeldSignals,
): Promise<number> {
  const wait = async (): Promise<boolean> => {
    if (options.wait !== undefined && !signals.ending.aborted) {
      const client = kubernetesClient(cluster);
      try {
        await options.wait(client, signals.ending);
      } finally {
        await client.close();
      }
    }
    return !signals.ending.aborted;
  };
  if (!(await wait())) return signals.exitCode();
  options.recording?.begin();
  const code = await runWith(cluster, folder, options, signals);
  await options.recording?.end();
  // What the command makes of a signal is the result.
  if (code !== 0 || signals.ending.aborted) return code;
  return (await wait()) ? code : signals.exitCode();
}

async function runWith(
  cluster: Cluster,
  folder: string,
  options: RunCommandOptions,
  signals: HeldSignals,
): Promise<number> {
  const kubeconfig = join(folder, "kubeconfig");
  const bin = join(folder, "bin");
  await mkdir(bin, { mode: 0o700 });
  await Promise.all([
    writeFile(kubeconfig, cluster.kubeconfig(), { mode: 0o600 }),
    writeShim(bin, options.program, options.platform),
  ]);
  const child = spawn(options.command, options.args, {
    cwd: options.cwd,
    env: {
      ...options.env,
      KUBECONFIG: kubeconfig,
      KUBECACHEDIR: join(folder, "cache"),
      PATH: [bin, options.env.PATH].filter((part) => part !== undefined && part !== "").join(delimiter),
    },
    stdio: "inherit",
  });
  signals.forwardTo((signal) => child.kill(signal));
  return new Promise((resolve, reject) => {
    child.on("error", (error) => reject(cannotStart(options.command, error)));
    child.on("exit", (code, signal) => resolve(signal === null ? (code ?? 1) : 128 + constants.signals[signal]));
  });
}

/** The exit codes are the shell's: 127 not found, 126 not executable. */
function cannotStart(command: string, error: NodeJS.ErrnoException): Error {
  const [exitCode, reason] =
    error.code === "ENOENT"
      ? [127, "no such command"]
      : [126, error.code === "EACCES" ? "permission denied" : error.message];
  return Object.assign(namedClusterError(`cannot run "${command}": ${reason}`), { exitCode });
}

async function writeShim(bin: string, program: readonly string[], platform: NodeJS.Platform): Promise<void> {
  if (platform === "win32") {
    const line = program.map((word) => `"${word}"`).join(" ");
    await writeFile(join(bin, "kubets.cmd"), `@${line} %*\r\n`);
    return;
  }
  const line = program.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
  const shim = join(bin, "kubets");
  await writeFile(shim, `#!/bin/sh\nexec ${line} "$@"\n`, { mode: 0o755 });
  await chmod(shim, 0o755);
}

interface HeldSignals {
  readonly first: NodeJS.Signals | undefined;
  /** Aborts with the first one. */
  readonly ending: AbortSignal;
  /** That of a program which the first signal ended. */
  exitCode(): number;
  forwardTo(send: (signal: NodeJS.Signals) => void): void;
  release(): void;
}

function holdSignals(): HeldSignals {
  let first: NodeJS.Signals | undefined;
  let send: ((signal: NodeJS.Signals) => void) | undefined;
  const ending = new AbortController();
  const handlers = FORWARDED.map((signal) => {
    const handler = (): void => {
      first ??= signal;
      ending.abort(new Error(signal));
      // At a terminal the whole foreground group already got Ctrl-C: a second one would tell programs to hurry.
      if (signal === "SIGINT" && process.stdin.isTTY) return;
      send?.(signal);
    };
    process.on(signal, handler);
    return [signal, handler] as const;
  });
  return {
    get first() {
      return first;
    },
    ending: ending.signal,
    exitCode: () => 128 + (first === undefined ? 0 : constants.signals[first]),
    forwardTo(next) {
      send = next;
      if (first !== undefined) next(first);
    },
    release() {
      for (const [signal, handler] of handlers) process.off(signal, handler);
    },
  };
}
