import { spawn } from "node:child_process";
import { once } from "node:events";
import { PassThrough, Readable } from "node:stream";
import { main } from "../../../src/main.js";
import { eventually } from "../../helpers/eventually.js";
import { realTool } from "../../helpers/real-tools.js";

export interface RunningProxy {
  readonly name: "kubectl" | "kubets";
  /** "127.0.0.1:34567", or the path of a socket. */
  readonly address: string;
  stderr(): string;
  /** Interrupts it and waits for its end; gives its exit code, as a shell would see it. */
  stop(): Promise<number>;
}

export interface ProxySurroundings {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Where it says that it serves. */
function startedOn(stdout: string, stderr: string): Promise<string> {
  const address = /^Starting to serve on (.*)\n/.exec(stdout)?.[1];
  return address === undefined ? Promise.reject(new Error(`not started: ${stderr}`)) : Promise.resolve(address);
}

/** `kubectl proxy ARGV`, the real one. */
export async function startReal(argv: readonly string[], { cwd, env }: ProxySurroundings): Promise<RunningProxy> {
  const child = spawn(realTool("kubectl").path, ["proxy", ...argv], { cwd, env: { ...env } });
  let [stdout, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const address = await eventually(() => startedOn(stdout, stderr));
  return {
    name: "kubectl",
    address,
    stderr: () => stderr,
    stop: async () => {
      const ended = once(child, "exit");
      child.kill("SIGINT");
      const [code, signal] = (await ended) as [number | null, string | null];
      return signal === "SIGINT" ? 130 : (code ?? -1);
    },
  };
}

/** The same by this project, in this process. */
export async function startOurs(argv: readonly string[], { cwd, env }: ProxySurroundings): Promise<RunningProxy> {
  const [out, err] = [new PassThrough(), new PassThrough()];
  let [stdout, stderr] = ["", ""];
  out.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  err.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const ending = new AbortController();
  const streams = { in: Readable.from([]), out, err };
  const ended = main({ argv: ["proxy", ...argv], streams, env, cwd, program: "kubectl", signal: ending.signal });
  const address = await eventually(() => startedOn(stdout, stderr));
  return {
    name: "kubets",
    address,
    stderr: () => stderr,
    stop: async () => {
      ending.abort(new Error("SIGINT"));
      // The program itself makes 130 of a command that ended well after the signal.
      return (await ended) === 0 ? 130 : await ended;
    },
  };
}
