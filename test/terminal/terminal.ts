import { execFile, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { describe } from "vitest";
import type { ServedCluster } from "../helpers/cluster-under-test.js";
import { runCli } from "../helpers/run-cli.js";
import { installProgram } from "../helpers/program-under-test.js";
import { type Cluster, type ClusterOptions, startCluster } from "../../src/cluster/index.js";
import { quietCluster } from "../helpers/quiet-cluster.js";
import { PATIENCE } from "../helpers/patience.js";

const version = spawnSync("tmux", ["-V"]);
if (version.status !== 0) process.stdout.write("terminal tests are skipped: there is no tmux (apt-get install tmux)\n");

/** Tests on a real pseudo-terminal; they are skipped, and say so, where there is no tmux. */
export const describeTerminal = describe.skipIf(version.status !== 0);

export interface TerminalOptions {
  readonly columns?: number;
  readonly rows?: number;
  readonly env?: Readonly<Record<string, string>>;
}

/** A shell in a terminal of its own, with `kubectl` (ours) in its path and a cluster behind it. */
export interface Terminal {
  /** Types a line and waits until the shell is back: all that is on the screen below the line, and the exit code. */
  run(command: string): Promise<{ readonly screen: string; readonly code: number }>;
  /** Types a line and does not wait. */
  start(command: string): Promise<void>;
  /** Waits until the shell is back from what was started: as {@link run}. */
  end(): Promise<{ readonly screen: string; readonly code: number }>;
  /** Presses keys by tmux's names: "y", "Enter", "C-c", "Escape". */
  press(...keys: readonly string[]): Promise<void>;
  resize(columns: number, rows?: number): Promise<void>;
  /** What is on the screen now, blanks at the ends of lines left out. Colour codes only where asked for. */
  screen(codes?: "with codes"): Promise<string>;
  /** Waits until the screen shows it. Throws with the screen after a while. */
  shows(wanted: string | RegExp, codes?: "with codes"): Promise<string>;
  cursorIsVisible(): Promise<boolean>;
}

export interface TerminalLab<C extends ServedCluster = Cluster> extends AsyncDisposable {
  readonly cluster: C;
  readonly folder: string;
  open(options?: TerminalOptions): Promise<Terminal>;
  /** Runs a command line beside the terminals; throws when it fails. Answers stdout. */
  kubectl(argv: readonly string[], stdin?: string): Promise<string>;
  write(files: Readonly<Record<string, string>>): void;
}

const run = promisify(execFile);

/** A quiet cluster of this process, a folder, and a tmux server on a socket of its own, which all end together. */
export const terminalLab = async (options: ClusterOptions = {}): Promise<TerminalLab> =>
  terminalsOf(await startCluster({ port: 0, ...quietCluster, ...options }));

/** The same with a cluster that was started. */
export async function terminalsOf<C extends ServedCluster>(cluster: C): Promise<TerminalLab<C>> {
  const folder = mkdtempSync(join(tmpdir(), "kubets-terminal-"));
  writeFileSync(join(folder, "kubeconfig"), cluster.kubeconfig());
  mkdirSync(join(folder, "bin"));
  installProgram(join(folder, "bin", "kubectl"));
  const socket = join(folder, "tmux");
  const tmux: Tmux = async (...args) =>
    (
      await run("tmux", ["-u", "-f", "/dev/null", "-S", socket, ...args], {
        env: { PATH: PATH_OF_SYSTEM, HOME: folder },
      })
    ).stdout;
  let opened = 0;
  return {
    cluster,
    folder,
    write(files) {
      for (const [name, text] of Object.entries(files)) {
        mkdirSync(dirname(join(folder, name)), { recursive: true });
        writeFileSync(join(folder, name), text);
      }
    },
    async kubectl(argv, stdin = "") {
      const env = { HOME: folder, KUBECONFIG: join(folder, "kubeconfig") };
      const { code, stdout, stderr } = await runCli(argv, { env, cwd: folder, stdin });
      if (code !== 0) throw new Error(`${argv.join(" ")}: ${stderr}`);
      return stdout;
    },
    async open({ columns = 80, rows = 24, env = {} } = {}) {
      const name = `t${(opened += 1)}`;
      const variables = { ...SHELL, ...surroundings(folder), ...env };
      const shell = ["env", "-i", ...Object.entries(variables).map(([key, value]) => `${key}=${value}`), "sh"];
      const size = ["-x", String(columns), "-y", String(rows)];
      await tmux("new-session", "-d", "-s", name, "-c", folder, ...size, ...shell);
      await tmux("set-option", "-t", name, "status", "off");
      return new Pane(tmux, name, { columns, rows });
    },
    async [Symbol.asyncDispose]() {
      if (opened > 0) await tmux("kill-server").catch(() => undefined);
      await cluster.close();
      // A program that was on a terminal may be writing its last.
      rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}

const PATH_OF_SYSTEM = "/usr/local/bin:/usr/bin:/bin";
const SHELL = { PS1: "$ ", LC_ALL: "C.UTF-8", TERM: "screen" };

const surroundings = (folder: string): Readonly<Record<string, string>> => ({
  PATH: `${join(folder, "bin")}:${PATH_OF_SYSTEM}`,
  HOME: folder,
  KUBECONFIG: join(folder, "kubeconfig"),
  TZ: "UTC",
  EDITOR: "false",
});

/** The terminal itself writes ^C where the cursor is. */
const BACK = /(\n|\^C)exit=(\d+)\n\$$/;

type Tmux = (...args: readonly string[]) => Promise<string>;
type Size = { readonly columns: number; readonly rows: number };

class Pane implements Terminal {
  readonly #tmux: Tmux;
  readonly #name: string;
  readonly #size: Size;

  constructor(tmux: Tmux, name: string, size: Size) {
    this.#tmux = tmux;
    this.#name = name;
    this.#size = size;
  }

  async run(command: string): Promise<{ readonly screen: string; readonly code: number }> {
    await this.start(command);
    return this.end();
  }

  async start(command: string): Promise<void> {
    await this.shows(/(^|\n)\$$/);
    await this.#tmux("send-keys", "-t", this.#name, "-l", `clear; ${command}; echo "exit=$?"`);
    // What is on the screen until then is the end of the command before.
    await this.shows(/(?<!\n\$)$/);
    await this.press("Enter");
  }

  async end(): Promise<{ readonly screen: string; readonly code: number }> {
    const screen = `\n${await this.shows(BACK)}`;
    const [line = "", before = "", code] = BACK.exec(screen) ?? [];
    return { screen: screen.slice(1, screen.length - line.length + before.length), code: Number(code) };
  }

  async press(...keys: readonly string[]): Promise<void> {
    await this.#tmux("send-keys", "-t", this.#name, ...keys);
  }

  async resize(columns: number, rows = this.#size.rows): Promise<void> {
    await this.#tmux("resize-window", "-t", this.#name, "-x", String(columns), "-y", String(rows));
  }

  async screen(codes?: "with codes"): Promise<string> {
    const text = await this.#tmux("capture-pane", "-p", "-t", this.#name, ...(codes === undefined ? [] : ["-e"]));
    return text.replace(/ +$/gm, "").trimEnd();
  }

  async shows(wanted: string | RegExp, codes?: "with codes"): Promise<string> {
    const end = Date.now() + PATIENCE;
    for (;;) {
      const screen = await this.screen(codes);
      if (typeof wanted === "string" ? screen.includes(wanted) : wanted.test(`\n${screen}`)) return screen;
      if (Date.now() > end) throw new Error(`the terminal never showed ${String(wanted)}, but:\n${screen}`);
      await pause(40);
    }
  }

  async cursorIsVisible(): Promise<boolean> {
    return (await this.#tmux("display-message", "-p", "-t", this.#name, "#{cursor_flag}")).trim() === "1";
  }
}
