import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type ClusterOptions, type RequestRecord, startCluster } from "../../src/cluster/index.js";
import { type CliResult, runCli } from "./run-cli.js";
import { quietCluster } from "./quiet-cluster.js";

/** A cluster of a test's own, a folder for its files, and the command line between them. */
export interface ClusterSession extends AsyncDisposable {
  readonly folder: string;
  /** Runs `kubectl ARGV` in the folder; one argument with spaces is split. */
  kubectl(argv: string | readonly string[], stdin?: string): Promise<CliResult>;
  /** Writes files, by relative path. */
  write(files: Readonly<Record<string, string>>): Promise<void>;
  /** Requests since the last call, discovery and OpenAPI left out: "GET /api/v1/...", a body behind it. */
  requests(): readonly string[];
}

const SURROUNDINGS = /^\/(openapi\/.*|apis?(\?.*)?)$/;

export async function clusterSession(options: ClusterOptions = {}): Promise<ClusterSession> {
  const seen: RequestRecord[] = [];
  const cluster = await startCluster({
    port: 0,
    ...quietCluster,
    ...options,
    onRequest: (request) => void seen.push(request),
  });
  const folder = await mkdtemp(join(tmpdir(), "kubets-session-"));
  await writeFile(join(folder, "kubeconfig"), cluster.kubeconfig());
  const env = { HOME: folder, KUBECONFIG: join(folder, "kubeconfig") };
  const decoder = new TextDecoder();
  return {
    folder,
    kubectl: (argv, stdin) =>
      runCli(typeof argv === "string" ? argv.split(" ") : argv, {
        env,
        cwd: folder,
        ...(stdin !== undefined && { stdin }),
      }),
    async write(files) {
      for (const [name, text] of Object.entries(files)) {
        await mkdir(dirname(join(folder, name)), { recursive: true });
        await writeFile(join(folder, name), text);
      }
    },
    requests: () =>
      seen
        .splice(0)
        .filter(({ path }) => !SURROUNDINGS.test(path))
        .map(({ method, path, body }) => `${method} ${path} ${decoder.decode(body)}`.trim()),
    async [Symbol.asyncDispose]() {
      await cluster.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
