import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe } from "vitest";
import { realTool } from "../helpers/real-tools.js";
import { installProgram } from "../helpers/program-under-test.js";
import { writeProgram } from "../helpers/write-program.js";
import { PATIENCE } from "../helpers/patience.js";

const kubectl = realTool("kubectl");
if (kubectl.missing !== undefined) process.stdout.write(`faults are not compared with kubectl's: ${kubectl.missing}\n`);

/** Tests that need the real kubectl; they are skipped, and say so, where there is none. */
export const describeBesideKubectl = describe.skipIf(kubectl.missing !== undefined);

/** All that can be seen of a line once it has ended. */
export interface Outcome {
  /** null when a signal ended it. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  /** "METHOD path?query", discovery left out. */
  readonly requests: readonly string[];
  /** What lies in the temporary folder in the end. */
  readonly temporary: readonly string[];
}

/** What commands talk to. */
export interface Peer {
  readonly kubeconfig: string;
  /** "127.0.0.1:45678", which is <SERVER> in outcomes. */
  readonly address: string;
  /** "METHOD path?query" of what it was asked so far. */
  readonly requests: readonly string[];
  close(): Promise<void>;
}

/** A line that is running. */
export interface Running {
  readonly child: ChildProcess;
  readonly folder: string;
  readonly peer: Peer;
  /** What it has written so far. */
  stdout(): string;
  stderr(): string;
}

export interface Scene {
  /** Made anew for each of the two runs. */
  readonly peer: () => Promise<Peer>;
  readonly files?: Readonly<Record<string, string>>;
  /** On top of what every run has. "<FOLDER>" is the folder the line runs in. */
  readonly env?: Readonly<Record<string, string>>;
  /** How long the line may run before it is ended, in milliseconds. */
  readonly patience?: number;
  /** What happens while the line runs. */
  readonly meanwhile?: (running: Running) => Promise<void>;
}

/** Runs a line of bash twice at once: in one `kubectl` is the real one, in the other it is ours. */
export async function sideBySide(
  line: string,
  scene: Scene,
): Promise<{ readonly real: Outcome; readonly ours: Outcome }> {
  const [real, ours] = await Promise.all([runLine(line, scene, installReal), runLine(line, scene, installOurs)]);
  return { real, ours };
}

type Install = (folder: string) => void;

export const installReal: Install = (folder) => symlinkSync(kubectl.path, join(folder, "kubectl"));

export const installOurs: Install = (folder) => installProgram(join(folder, "kubectl"));

export async function runLine(line: string, scene: Scene, install: Install): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), "kubets-faults-"));
  const peer = await scene.peer();
  try {
    for (const sub of ["bin", "home", "work", "tmp"]) mkdirSync(join(folder, sub));
    install(join(folder, "bin"));
    writeFileSync(join(folder, "kubeconfig"), peer.kubeconfig);
    for (const [name, text] of Object.entries(scene.files ?? {})) {
      const write = text.startsWith("#!") ? writeProgram : writeFileSync;
      write(join(folder, "work", name), text);
    }
    const ended = await runShell(line, folder, scene, peer);
    const mask = (text: string): string => maskText(text, folder, peer.address);
    return {
      ...ended,
      stdout: mask(ended.stdout),
      stderr: mask(ended.stderr),
      requests: peer.requests
        .filter((request) => !DISCOVERY.test(request))
        .map((request) => request.replace(RANDOM_TIMEOUT, "timeoutSeconds=<RANDOM>")),
      temporary: readdirSync(join(folder, "tmp")).map(mask),
    };
  } finally {
    await peer.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function runShell(
  line: string,
  folder: string,
  { env = {}, meanwhile, patience = PATIENCE }: Scene,
  peer: Peer,
): Promise<Pick<Outcome, "code" | "signal" | "stdout" | "stderr">> {
  const own = Object.entries(env).map(([name, value]) => [name, value.replaceAll("<FOLDER>", join(folder, "work"))]);
  const child = spawn("bash", ["--norc", "-c", line], {
    cwd: join(folder, "work"),
    env: {
      PATH: `${join(folder, "bin")}:/usr/bin:/bin`,
      HOME: join(folder, "home"),
      TMPDIR: join(folder, "tmp"),
      KUBECONFIG: join(folder, "kubeconfig"),
      LC_ALL: "C",
      TZ: "UTC",
      // Without one, vi would wait for somebody.
      EDITOR: "false",
      ...(Object.fromEntries(own) as Record<string, string>),
    },
    // A group of its own: what a terminal's keys reach.
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const ended = new Promise<Pick<Outcome, "code" | "signal">>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => resolve({ code, signal }));
  });
  // Who does not end is ended, and the outcomes show it.
  const guard = setTimeout(() => process.kill(-(child.pid ?? 0), "SIGKILL"), patience);
  child.once("close", () => clearTimeout(guard));
  try {
    await meanwhile?.({ child, folder: join(folder, "work"), peer, stdout: () => stdout, stderr: () => stderr });
  } catch (error) {
    child.kill("SIGKILL");
    throw new Error(`stdout ${JSON.stringify(stdout)}, stderr ${JSON.stringify(stderr)}`, { cause: error });
  }
  return { ...(await ended), stdout, stderr };
}

const DISCOVERY = /^GET \/(?:version|openapi\/.*|api|apis|api\/v1|apis\/[^/]+\/[^/]+)(?:\?.*)?$/;
const KLOG_HEADER = /^([IWEF])\d{4} \d\d:\d\d:\d\d\.\d{6} +\d+ /gm;
/** Go's client and its request count the same time: which of the two says so first is chance. */
const TIMED_OUT = /(?:net\/http: request canceled|context deadline exceeded)(?: \(Client\.Timeout [a-z ]+\))?/g;
/** A watch without a timeout of its own gets a random one from its client. */
const RANDOM_TIMEOUT = /timeoutSeconds=\d{3}(?=&watch=true)/;
const TEMPORARY = /\b(kubectl-edit-|kubectl_replace_|LIVE-|MERGED-)\d+/g;
/** The near end of a broken connection. */
const NEAR_END = /(?<=127\.0\.0\.1:)\d+(?=->)/g;

function maskText(text: string, folder: string, address: string): string {
  return text
    .replaceAll(folder, "<FOLDER>")
    .replaceAll(address, "<SERVER>")
    .replace(TIMED_OUT, "<TIMED OUT>")
    .replace(NEAR_END, "<PORT>")
    .replace(TEMPORARY, "$1<RANDOM>")
    .replace(KLOG_HEADER, "$1<KLOG> ");
}
