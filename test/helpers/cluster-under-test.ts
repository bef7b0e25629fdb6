import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Cluster, startCluster } from "../../src/cluster/index.js";
import { programUnderTest, testsExecutable } from "./program-under-test.js";

/** What a test needs of a cluster that foreign clients use. */
export type ServedCluster = Pick<Cluster, "kubeconfig" | "close">;

export interface ServedClusterOptions {
  /** How many nodes; their names are node-1, node-2 and so on. */
  readonly nodes: number;
  /** Which images the nodes have; only a cluster of this process can lack one. */
  readonly hasImage?: (image: string) => boolean;
}

/** With KUBETS_PROGRAM=executable the executable runs the cluster, else this process does. */
export function clusterUnderTest({ nodes, hasImage }: ServedClusterOptions): Promise<ServedCluster> {
  if (testsExecutable) return startByProgram(programUnderTest, nodes);
  const names = Array.from({ length: nodes }, (_, index) => `node-${index + 1}`);
  return startCluster({ nodes: names.map((name) => ({ name, ...(hasImage && { hasImage }) })) });
}

/** Starts a cluster in memory in a process of its own, with an empty folder for its home and its PATH. Throws what the program wrote when it ends. */
export async function startByProgram([file = "", ...words]: readonly string[], nodes = 1): Promise<ServedCluster> {
  const home = mkdtempSync(join(tmpdir(), "kubets-served-"));
  const start = ["cluster", "start", "served", "--storage=memory", `--nodes=${nodes}`];
  const server = spawn(file, [...words, ...start], {
    cwd: home,
    env: { HOME: home, PATH: home, TZ: "UTC" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = once(server, "close");
  let written = "";
  server.stderr.setEncoding("utf8").on("data", (text: string) => (written += text));
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.once("close", (code) => reject(new Error(`cluster start ended with ${String(code)}: ${written}`)));
    server.stdout.setEncoding("utf8").on("data", (text: string) => {
      written += text;
      if (/is now current/.test(written)) resolve();
    });
  });
  const kubeconfig = readFileSync(join(home, ".kube", "config"), "utf8");
  return {
    kubeconfig: () => kubeconfig,
    async close() {
      server.kill("SIGTERM");
      await ended;
      rmSync(home, { recursive: true, force: true });
    },
  };
}
