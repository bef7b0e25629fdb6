import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { PATIENCE } from "../helpers/patience.js";
import { runCli } from "../helpers/run-cli.js";
import { writeProgram } from "../helpers/write-program.js";
import { describeTerminal, type Terminal, type TerminalLab, terminalLab } from "../terminal/terminal.js";

/** A shell on a terminal that completes by its script, and starts without files of its user. */
interface InteractiveShell {
  readonly name: "bash" | "zsh" | "fish";
  readonly start: string;
  readonly setUp: string;
}

const SHELLS: readonly InteractiveShell[] = [
  { name: "bash", start: "bash --norc", setUp: "PS1='ready> '; HISTFILE=; source <(kubets completion bash)" },
  {
    name: "zsh",
    start: "zsh -f",
    setUp: "PS1='ready> '; autoload -Uz compinit && compinit -D -u; source <(kubets completion zsh)",
  },
  {
    name: "fish",
    start: "fish -N --private",
    setUp: "function fish_prompt; echo 'ready> '; end; kubets completion fish | source",
  },
];

/** What the contexts of a kubeconfig that somebody else wrote are called; each begins with another letter. */
const NAMES: Readonly<Record<string, string>> = {
  "a separator": "a;touch PWNED",
  "a substitution": "b$(touch PWNED)",
  "a substitution in backticks": "c`touch PWNED`",
  quotes: `d'x"y`,
  blanks: "e f  g",
  "a redirection": "f>PWNED",
  "a pipe": "g|touch PWNED&",
  patterns: "h*?[a]{b,c}~",
  history: "i!!x!y",
  backslashes: "j\\x\\",
  comments: "k #x",
  variables: "l$HOME${HOME}",
  "a colon and a separator": "m:x;touch PWNED",
  "an equals sign and a separator": "n=x;touch PWNED",
  "an at sign and a separator": "o@x;touch PWNED",
  parentheses: "p(touch PWNED)<(touch PWNED)",
  "a substitution in a word with a plain start": "query-$(touch PWNED)-q",
  "letters beyond ASCII": "r\u00e9 \u540d\u524d;touch PWNED",
  "only plain characters": "s3://x-y_z.example:6443/a,b@c+d",
};

describeTerminal("shell completion of names that an attacker chose", () => {
  let lab: TerminalLab;

  beforeAll(async () => {
    lab = await terminalLab();
    const contexts = Object.values(NAMES).map((name) => ({ name, context: { cluster: "", user: "" } }));
    writeFileSync(join(lab.folder, "kubeconfig"), JSON.stringify({ apiVersion: "v1", kind: "Config", contexts }));
    const env = { HOME: lab.folder, KUBECONFIG: join(lab.folder, "kubeconfig") };
    const answer = await runCli(["__complete", "config", "use-context", ""], { env, cwd: lab.folder });
    writeFileSync(join(lab.folder, "answer"), answer.stdout);
    for (const { name } of SHELLS) {
      const { stdout } = await runCli(["completion", name], { env, cwd: lab.folder, program: "kubets" });
      writeFileSync(join(lab.folder, name), stdout);
    }
    // What the program answers, without its start for each Tab; other lines write down what the shell has made of them.
    writeProgram(
      join(lab.folder, "bin", "kubets"),
      `#!/bin/sh
case $1 in
completion) exec cat "${lab.folder}/$2" ;;
__complete) exec cat "${lab.folder}/answer" ;;
esac
for word; do printf '%s\\n' "$word"; done >"${lab.folder}/ran.part"
mv "${lab.folder}/ran.part" "${lab.folder}/ran"
`,
    );
  });
  afterAll(async () => {
    await lab?.[Symbol.asyncDispose]();
  });

  for (const shell of SHELLS) {
    const absent = spawnSync(shell.name, ["--version"]).error !== undefined;
    if (absent)
      process.stdout.write(`names of others in ${shell.name} are not tested: ${shell.name} is not installed\n`);

    test.skipIf(absent)(`${shell.name}: a completed word is one argument, and nothing of it runs`, async () => {
      const home = join(lab.folder, `home-${shell.name}`);
      mkdirSync(join(home, ".local/share/fish/generated_completions"), { recursive: true });
      const terminal = await lab.open({ env: { HOME: home }, columns: 160 });
      await terminal.start(shell.start);
      await terminal.shows(/[$%>#]$/);
      await terminal.press(shell.setUp, "Enter");
      await terminal.shows(/\nready>$/);
      for (const name of Object.values(NAMES)) {
        for (const typed of beginnings(shell, name)) {
          expect(await entered(lab, terminal, typed), typed).toEqual(["config", "use-context", name, "BEHIND"]);
          expect(existsSync(join(lab.folder, "PWNED")), `${typed} and Tab ran a part of ${name}`).toBe(false);
        }
      }
      // A name of plain characters stays as it is, to the byte.
      await terminal.press("C-l", "kubets config use-context s", "Tab", "BEHIND");
      await terminal.shows(`ready> kubets config use-context ${NAMES["only plain characters"] ?? ""} BEHIND`);
      await terminal.press("C-c");
    });
  }
});

/** How a person may have begun to type a name. bash cannot offer what would end the quote that is open. */
function beginnings({ name: shell }: InteractiveShell, name: string): readonly string[] {
  const [first = ""] = name;
  if (shell !== "bash") return [first, `'${first}`, `"${first}`];
  return [first, ...(/'/.test(name) ? [] : [`'${first}`]), ...(/["!]/.test(name) ? [] : [`"${first}`])];
}

/** The arguments of the program when a word was begun, completed by Tab, and the line entered with a further word. */
async function entered({ folder }: TerminalLab, terminal: Terminal, typed: string): Promise<readonly string[]> {
  const ran = join(folder, "ran");
  rmSync(ran, { force: true });
  await terminal.press(`kubets config use-context ${typed}`, "Tab", "BEHIND", "Enter");
  await vi.waitUntil(() => existsSync(ran), { timeout: PATIENCE, interval: 10 });
  return readFileSync(ran, "utf8").split("\n").slice(0, -1);
}
