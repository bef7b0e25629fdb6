import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Cluster } from "../../src/cluster/index.js";
import { realTool, SHORT_LIVED } from "./real-tools.js";

export interface KubectlResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The real kubectl against one cluster, with a home, cache and kubeconfig of its own. */
export interface RealKubectl extends AsyncDisposable {
  readonly folder: string;
  /** One argument with spaces is split. */
  run(argv: string | readonly string[], stdin?: string): Promise<KubectlResult>;
  /** Like run; a failure is thrown with what kubectl said. Answers stdout. */
  ok(argv: string | readonly string[], stdin?: string): Promise<string>;
  /** A command that stays; whoever starts it kills it. */
  start(argv: string | readonly string[]): ChildProcess;
}

/** `more`: environment variables on top of what every run has. Commands run in the folder, which also takes temporary files. */
export async function realKubectl(
  cluster: Pick<Cluster, "kubeconfig">,
  more: Readonly<Record<string, string>> = {},
  path = realTool("kubectl").path,
): Promise<RealKubectl> {
  const folder = await mkdtemp(join(tmpdir(), "kubets-kubectl-"));
  const kubeconfig = join(folder, "kubeconfig");
  await writeFile(kubeconfig, cluster.kubeconfig(), { mode: 0o600 });
  const home = { HOME: folder, TMPDIR: folder, KUBECONFIG: kubeconfig };
  const env = { ...SHORT_LIVED, PATH: "/usr/bin:/bin", ...home, LC_ALL: "C", TZ: "UTC", ...more };
  const start = (argv: string | readonly string[]): ChildProcess =>
    spawn(path, typeof argv === "string" ? argv.split(" ") : argv, { cwd: folder, env });
  const run = (argv: string | readonly string[], stdin = ""): Promise<KubectlResult> =>
    new Promise((resolve, reject) => {
      const child = start(argv);
      let stdout = "";
      let stderr = "";
      child.stdout?.setEncoding("utf8").on("data", (text: string) => (stdout += text));
      child.stderr?.setEncoding("utf8").on("data", (text: string) => (stderr += text));
      child.on("error", reject);
      child.on("close", (code) => resolve({ code, stdout, stderr }));
      // A command that never reads may be gone already.
      child.stdin?.on("error", () => {}).end(stdin);
    });
  return {
    folder,
    start,
    run,
    async ok(argv, stdin) {
      const { code, stdout, stderr } = await run(argv, stdin);
      if (code !== 0) throw new Error(`kubectl ended with ${code}: ${stderr}`);
      return stdout;
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}
