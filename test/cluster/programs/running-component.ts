import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../../../src/base/time/clock.js";
import { type Cluster, type ClusterOptions, startCluster } from "../../../src/cluster/index.js";
import { type Component, runComponent } from "../../../src/component/component.js";

/** A component that runs in this process. */
export interface RunningComponent {
  /** What it has written to stderr. */
  log(): string;
  readonly out: () => string;
  /** Its exit code. */
  readonly ended: Promise<number>;
  /** As SIGTERM: resolves with the exit code. */
  stop(): Promise<number>;
}

export function beginComponent(component: Component, args: readonly string[], cwd = tmpdir()): RunningComponent {
  const ending = new AbortController();
  let [out, err] = ["", ""];
  const ended = runComponent(component, args, {
    clock: systemClock,
    cwd,
    env: {},
    signal: ending.signal,
    out: (text) => void (out += text),
    err: (text) => void (err += text),
  });
  return {
    log: () => err,
    out: () => out,
    ended,
    stop() {
      ending.abort(new Error("SIGTERM"));
      return ended;
    },
  };
}

/** An API server without controllers and scheduler, and a folder with its kubeconfig. */
export interface BareServer extends AsyncDisposable {
  readonly cluster: Cluster;
  readonly folder: string;
  readonly kubeconfig: string;
}

export async function startBareServer(options: ClusterOptions = {}): Promise<BareServer> {
  const cluster = await startCluster({ ...options, controllers: false, scheduler: false });
  const folder = mkdtempSync(join(tmpdir(), "kubets-programs-"));
  const kubeconfig = join(folder, "kubeconfig");
  writeFileSync(kubeconfig, cluster.kubeconfig(), { mode: 0o600 });
  return {
    cluster,
    folder,
    kubeconfig,
    async [Symbol.asyncDispose]() {
      await cluster.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
