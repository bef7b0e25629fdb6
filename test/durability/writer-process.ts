import { type ChildProcess, spawn } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Bundles a script and the storage worker, as a build does; answers the script and how to remove it. */
export async function buildWriter(
  name = "writer",
  folder = "test/durability",
): Promise<{ script: string; remove(): Promise<void> }> {
  // Below node_modules, so that the driver is found as an installed program finds it.
  await mkdir(`${root}node_modules/.cache`, { recursive: true });
  const outdir = await mkdtemp(`${root}node_modules/.cache/kubets-durability-`);
  await writeFile(`${outdir}/package.json`, '{ "type": "module" }\n');
  await build({
    absWorkingDir: root,
    entryPoints: {
      [name]: `${folder}/${name}.ts`,
      "sqlite-worker": "src/server/storage/sqlite/sqlite-worker.ts",
    },
    outdir,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20",
    // undici and other CommonJS ask for Node's own modules with require.
    banner: {
      js: 'import{createRequire as __createRequire}from"node:module";const require=__createRequire(import.meta.url);',
    },
    external: ["libsql", "pg"],
  });
  return { script: `${outdir}/${name}.js`, remove: () => rm(outdir, { recursive: true, force: true }) };
}

export interface WriterProcess {
  readonly process: ChildProcess;
  /** The highest revision whose acknowledgement was read so far. */
  acknowledged(): number;
  /** Resolves with the first line of this kind. */
  until(line: "ready" | "done"): Promise<void>;
  /** kill -9, then waits for the end. */
  kill(): Promise<void>;
}

export function startWriter(
  script: string,
  options: { directory: string; seed: number; count: number; window: number; trace?: readonly string[] },
): WriterProcess {
  const { directory, seed, count, window, trace = [] } = options;
  const [command = "", ...args] = [...trace, process.execPath, script, directory, seed, count, window].map(String);
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"] });
  let acknowledged = 0;
  let output = "";
  let errors = "";
  const seen = new Set<string>();
  const waiting: (() => void)[] = [];
  const exited = new Promise<void>((resolve) => {
    child.on("close", () => {
      resolve();
      for (const wake of waiting) wake();
    });
  });
  child.stderr.on("data", (data: Buffer) => (errors += data.toString()));
  child.stdout.on("data", (data: Buffer) => {
    const lines = (output + data.toString()).split("\n");
    output = lines.pop() ?? "";
    for (const line of lines) {
      if (line.startsWith("ack ")) acknowledged = Math.max(acknowledged, Number(line.slice(4)));
      else seen.add(line);
    }
    for (const wake of waiting) wake();
  });
  return {
    process: child,
    acknowledged: () => acknowledged,
    async until(line) {
      while (!seen.has(line)) {
        if (child.exitCode !== null) throw new Error(`the writer ended: ${errors}`);
        await new Promise<void>((resolve) => waiting.push(resolve));
      }
    },
    async kill() {
      child.kill("SIGKILL");
      await exited;
      if (errors !== "") throw new Error(errors);
    },
  };
}
