import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { installProgram } from "../helpers/program-under-test.js";
import { describeTerminal, type Terminal, type TerminalLab, terminalLab } from "../terminal/terminal.js";

/** A shell in which a person installs completion, leaves it, and finds completion when it starts again. */
interface InstalledShell {
  readonly name: string;
  readonly shell: "bash" | "zsh" | "fish";
  /** What starts it. */
  readonly start: string;
  /** Its start-up file before completion is installed, and what is added to it afterwards. */
  readonly file?: string;
  readonly before?: string;
  readonly after?: string;
}

const PROMPT = "PS1='ready> '\n";
/** Without the files of the system, in which some distributions run compinit. */
const ZSH = "zsh --no-global-rcs";

const SHELLS: readonly InstalledShell[] = [
  { name: "bash", shell: "bash", start: "bash", file: ".bashrc", before: PROMPT },
  { name: "zsh that never runs compinit", shell: "zsh", start: ZSH, file: ".zshrc", before: PROMPT },
  {
    name: "zsh that has run compinit",
    shell: "zsh",
    start: ZSH,
    file: ".zshrc",
    before: `${PROMPT}autoload -Uz compinit && compinit\n`,
  },
  {
    name: "zsh that runs compinit later",
    shell: "zsh",
    start: ZSH,
    file: ".zshrc",
    before: PROMPT,
    after: "autoload -Uz compinit && compinit\n",
  },
  {
    name: "fish",
    shell: "fish",
    start: "fish",
    file: ".config/fish/config.fish",
    before: "function fish_prompt; echo 'ready> '; end\nset -g fish_greeting\n",
  },
];

describeTerminal("shell completion that kubets has installed", () => {
  let lab: TerminalLab;

  beforeAll(async () => {
    lab = await terminalLab();
    // Some shells know kubectl already.
    installProgram(join(lab.folder, "bin", "kubets"));
  });
  afterAll(async () => {
    await lab?.[Symbol.asyncDispose]();
  });

  for (const { name, shell, start, file = "", before = "", after = "" } of SHELLS) {
    const absent = spawnSync(shell, ["--version"]).error !== undefined;
    if (absent) process.stdout.write(`installed completion in ${name} is not tested: ${shell} is not installed\n`);

    test.skipIf(absent)(`${name}: a shell that starts completes, and after uninstall it does not`, async () => {
      const home = mkdtempSync(join(lab.folder, "home-"));
      mkdirSync(dirname(join(home, file)), { recursive: true });
      // Where it is missing, fish fills it in the background.
      mkdirSync(join(home, ".local/share/fish/generated_completions"), { recursive: true });
      writeFileSync(join(home, file), before);
      const terminal = await lab.open({ env: { HOME: home, SHELL: `/bin/${shell}` } });

      await answer(terminal, "kubets completion install");
      writeFileSync(join(home, file), after + aliasLines(shell), { flag: "a" });
      expect(await completed(terminal, start, "kubets config get-cl")).toBe("kubets config get-clusters");
      expect(await completed(terminal, start, "k config get-cl")).toBe("k config get-clusters");

      await answer(terminal, "kubets completion uninstall");
      expect(await completed(terminal, start, "kubets config get-cl")).toBe("kubets config get-cl");
    });
  }
});

/** What docs/shell.md says to write for the alias k. */
function aliasLines(shell: string): string {
  const page = readFileSync(join(import.meta.dirname, "../../docs/shell.md"), "utf8");
  const [, lines] = new RegExp(`\\n\`{3}${shell} fragment\\n((?:.*\\n)*?)\`{3}`).exec(page) ?? [];
  if (lines === undefined) throw new Error(`docs/shell.md has no alias for ${shell}`);
  return lines;
}

async function answer(terminal: Terminal, command: string): Promise<void> {
  await terminal.start(command);
  await terminal.shows("(y/N):");
  await terminal.press("y", "Enter");
  const { screen, code } = await terminal.end();
  expect(code, screen).toBe(0);
}

/** What stands on the line of a shell that was just started, once Tab was pressed and a word was typed behind it. */
async function completed(terminal: Terminal, start: string, typed: string): Promise<string> {
  await terminal.start(start);
  await terminal.shows(/\nready>$/);
  await terminal.press(typed, "Tab", "BEHIND");
  const screen = await terminal.shows(/BEHIND$/);
  await terminal.press("C-u", "exit", "Enter");
  await terminal.end();
  return /ready> (.*?) ?BEHIND$/.exec(screen)?.[1] ?? screen;
}
