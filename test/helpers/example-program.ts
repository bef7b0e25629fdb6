import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { freePorts } from "./free-ports.js";
import { type RealKubectl, realKubectl } from "./run-real-kubectl.js";

/** A program of `examples/` that serves plain HTTP on loopback. */
export interface ExampleProgram {
  readonly program: ChildProcess;
  readonly url: string;
  /** The lines of its log so far. */
  readonly log: readonly string[];
  /** The real kubectl, which is told the server and nothing else. */
  kubectl(): Promise<RealKubectl>;
  /** Asks it to end by SIGTERM and resolves with its exit code and signal. */
  end(): Promise<unknown[]>;
}

export const examplePath = (name: string): string => join(import.meta.dirname, "../../examples", name);

/** Starts an example, "wardle/server.mjs", with flags. Resolves when it serves; rejects with its log when it ends before. */
export async function startExample(name: string, flags: readonly string[] = []): Promise<ExampleProgram> {
  const [port = 0] = await freePorts(1);
  const url = `http://127.0.0.1:${port}`;
  const program = spawn(process.execPath, [examplePath(name), `--http-port=${port}`, ...flags], {
    stdio: ["ignore", "inherit", "pipe"],
  });
  if (program.stderr === null) throw new Error("no log");
  const log: string[] = [];
  const lines = createInterface(program.stderr);
  await new Promise<void>((resolve, reject) => {
    lines.on("line", (line) => {
      log.push(line);
      if (line.includes(`Serving insecurely on 127.0.0.1:${port}`)) resolve();
    });
    program.once("exit", (code) => reject(new Error(`${name} ended with ${code}: ${log.join("\n")}`)));
  });
  return {
    program,
    url,
    log,
    kubectl: () => realKubectl({ kubeconfig: () => JSON.stringify(kubeconfigOf(url)) }),
    async end() {
      const ended = once(program, "exit");
      program.kill("SIGTERM");
      return await ended;
    },
  };
}

const kubeconfigOf = (server: string): object => ({
  apiVersion: "v1",
  kind: "Config",
  clusters: [{ name: "one", cluster: { server } }],
  contexts: [{ name: "one", context: { cluster: "one", user: "" } }],
  "current-context": "one",
});
