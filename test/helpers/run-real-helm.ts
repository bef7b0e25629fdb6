import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Cluster } from "../../src/cluster/index.js";
import { realTool } from "./real-tools.js";

export interface HelmResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The real helm against one cluster, with a home and kubeconfig of its own. */
export interface RealHelm extends AsyncDisposable {
  readonly folder: string;
  run(...argv: readonly string[]): Promise<HelmResult>;
  /** Like run; a failure is thrown with what helm said. Answers stdout. */
  ok(...argv: readonly string[]): Promise<string>;
}

export async function realHelm(cluster: Pick<Cluster, "kubeconfig">): Promise<RealHelm> {
  const { path } = realTool("helm");
  const folder = await mkdtemp(join(tmpdir(), "kubets-helm-"));
  const kubeconfig = join(folder, "kubeconfig");
  await writeFile(kubeconfig, cluster.kubeconfig(), { mode: 0o600 });
  const env = { PATH: "/usr/bin:/bin", HOME: folder, TMPDIR: folder, KUBECONFIG: kubeconfig, LC_ALL: "C", TZ: "UTC" };
  const run = (...argv: readonly string[]): Promise<HelmResult> =>
    new Promise((resolve, reject) => {
      const child = spawn(path, argv, { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
      let stdout = "";
      let stderr = "";
      child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
      child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
      child.on("error", reject);
      child.on("close", (code) => resolve({ code, stdout, stderr }));
    });
  return {
    folder,
    run,
    async ok(...argv) {
      const { code, stdout, stderr } = await run(...argv);
      if (code !== 0) throw new Error(`helm ended with ${code}: ${stderr}`);
      return stdout;
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}
