import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { freePorts } from "./free-ports.js";
import { realTool } from "./real-tools.js";
import { type RealKubectl, realKubectl } from "./run-real-kubectl.js";

/** A program of `examples/`. */
export interface StartedProgram {
  readonly program: ChildProcess;
  /** The lines of its log so far. */
  readonly log: readonly string[];
  /** Asks it to end by SIGTERM and resolves with its exit code and signal. */
  end(): Promise<unknown[]>;
}

/** A program of `examples/` that serves plain HTTP on loopback. */
export interface ExampleProgram extends StartedProgram {
  readonly url: string;
  /** The real kubectl, which is told the server and nothing else. */
  kubectl(): Promise<RealKubectl>;
}

export const examplePath = (name: string): string => join(import.meta.dirname, "../../examples", name);

/** Starts an example, "wardle/server.mjs", with flags. Resolves when it serves; rejects with its log when it ends before. */
export async function startExample(name: string, flags: readonly string[] = []): Promise<ExampleProgram> {
  const [port = 0] = await freePorts(1);
  const url = `http://127.0.0.1:${port}`;
  const started = await startNode(name, [`--http-port=${port}`, ...flags], `Serving insecurely on 127.0.0.1:${port}`);
  return {
    ...started,
    url,
    kubectl: () => realKubectl({ kubeconfig: () => JSON.stringify(kubeconfigOf(url)) }),
  };
}

/** Starts an example that a main server stands before, with flags. Resolves when it serves and has registered itself. */
export async function startBehind(
  name: string,
  flags: readonly string[],
): Promise<StartedProgram & { readonly port: number }> {
  const [port = 0] = await freePorts(1);
  const started = await startNode(name, [`--secure-port=${port}`, ...flags], `Serving securely on 127.0.0.1:${port}`);
  return { ...started, port };
}

/** Starts a program of `examples/`. Resolves when a line of its log has the text; rejects with its log when it ends before. */
export async function startNode(name: string, args: readonly string[], text: string): Promise<StartedProgram> {
  const program = spawn(process.execPath, [examplePath(name), ...args], { stdio: ["ignore", "inherit", "pipe"] });
  if (program.stderr === null) throw new Error("no log");
  const log: string[] = [];
  const lines = createInterface(program.stderr);
  await new Promise<void>((resolve, reject) => {
    lines.on("line", (line) => {
      log.push(line);
      if (line.includes(text)) resolve();
    });
    program.once("exit", (code) => reject(new Error(`${name} ended with ${code}: ${log.join("\n")}`)));
  });
  return {
    program,
    log,
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

/**
 * Writes a kubeconfig of a service account, as the README files of the examples do it by kubectl. Returns the flags by which an example asks the main
 * server of that kubectl with it.
 */
export async function accountFlags(kubectl: RealKubectl, namespace: string, account: string): Promise<string[]> {
  const path = join(kubectl.folder, `${namespace}.conf`);
  await writeFile(path, await kubectl.ok("config view --raw --minify --flatten"), { mode: 0o600 });
  const token = await kubectl.ok(`create token ${account} --namespace=${namespace} --duration=24h`);
  await kubectl.ok([`--kubeconfig=${path}`, "config", "set-credentials", account, `--token=${token.trim()}`]);
  await kubectl.ok([`--kubeconfig=${path}`, "config", "set-context", "--current", `--user=${account}`]);
  return ["kubeconfig", "authentication-kubeconfig", "authorization-kubeconfig"].map((flag) => `--${flag}=${path}`);
}

/** One command of a README's transcript, what the page says it prints, and what it has printed; both without ages. */
export interface Played {
  readonly command: string;
  readonly written: string;
  readonly printed: string;
}

/** Plays the transcript of an example's README, "restaurant/README.md", in kubectl's folder. */
export async function playReadme(kubectl: RealKubectl, readme: string): Promise<readonly Played[]> {
  const text = await readFile(examplePath(readme), "utf8");
  const [, transcript = ""] = /```console\n\$ ([^`]*)```/.exec(text) ?? [];
  const played: Played[] = [];
  for (const part of transcript.split(/^\$ /m)) {
    const [command = "", ...lines] = part.split("\n");
    const printed = await runShell(kubectl, command);
    played.push({ command, written: withoutAges(lines.join("\n")), printed: withoutAges(printed) });
  }
  return played;
}

const withoutAges = (text: string): string => text.replace(/ \d+[dhms\d]*$/gm, " AGE").trimEnd();

/** Resolves to what a command prints to both streams. */
async function runShell({ folder }: RealKubectl, command: string): Promise<string> {
  const child = spawn("bash", ["-c", `${command} 2>&1`], {
    cwd: folder,
    env: {
      HOME: folder,
      KUBECONFIG: join(folder, "kubeconfig"),
      PATH: `${dirname(realTool("kubectl").path)}:/usr/bin:/bin`,
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let printed = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (printed += text));
  await once(child, "close");
  return printed;
}
