import { existsSync, rmdirSync } from "node:fs";
import { posix } from "node:path";
import type { Command, Invocation, Completer } from "../../cli/command.js";
import type { Factory } from "../../cli/connect/factory.js";
import { type Shell, SHELLS, completionScript, isCompletionScript } from "./shell-scripts.js";
import { areAgreed, makeChange, yesFlag, readEdited, type PlannedChange, withAdvice } from "./edited-file.js";
import { type ShellSetup, shellSetup } from "./shell-setup.js";
import { addedBlock, removedBlock } from "./start-up-block.js";
import { completeWords } from "../../cli/completion/resource-completers.js";
import { NO_FILE_COMP } from "../../cli/completion/directive.js";
import { usageError } from "../../cli/errors.js";

/** The options of `completion install` and `uninstall`. */
export interface InstallOptions extends Pick<Factory, "program" | "streams" | "random"> {
  readonly shell: Shell;
  readonly setup: ShellSetup;
  /** --yes. */
  readonly isAgreed: boolean;
}

export function completionInstallCommand(run = runInstall): Command {
  return {
    use: "install [SHELL]",
    description: `Install the completion of {{program}} for a shell: bash, zsh, fish or powershell. Without a SHELL it is the one that $SHELL names; on Windows it is PowerShell.

The completion script is saved in a file, and a few lines that load it are added to the file that the shell reads when it starts. For fish the script alone is enough. What will be changed is shown first, and done only after a "y"; where stdin is no terminal, --yes is needed. Run it again after an update of {{program}}, to bring the script up to date.

 bash: ~/.bashrc; on macOS the first of ~/.bash_profile, ~/.bash_login and ~/.profile that exists, because its terminals start login shells. zsh: .zshrc in $ZDOTDIR or the home folder; compinit is run where nothing before it has run it. PowerShell: the profile of the PowerShell in which the command is run.`,
    examples: `# For the shell of this user
{{program}} completion install

# For zsh, without a question
{{program}} completion install zsh --yes

# Undo it
{{program}} completion uninstall zsh`,
    flags: [yesFlag],
    execute: async (factory, invocation) => run(installOptions(factory, invocation)),
    completeArgs: completeShells,
  };
}

/** Reads the options. @throws for an unknown shell, and when the environment does not say where its files are */
export function installOptions(factory: Factory, invocation: Invocation): InstallOptions {
  const { program, streams, random, env, platform } = factory;
  const shell = shellToChange(invocation, { env, platform });
  const setup = shellSetup(shell, { program, env, platform, exists: existsSync });
  return { shell, setup, program, streams, random, isAgreed: invocation.flags.bool("yes") };
}

/** Installs completion. It writes the script before the start-up lines: a shell that starts in between has no broken lines. */
export async function runInstall({ shell, setup, program, streams, random, isAgreed }: InstallOptions): Promise<void> {
  const script = savedScriptChange(shell, program, setup);
  const block = setup.startUp === undefined ? undefined : addedBlock(setup.startUp, program);
  const changes = [script, block].filter((change) => change !== undefined);
  if (changes.length === 0) {
    streams.out.write(`completion of ${program} is already installed for ${shell}\n`);
    return;
  }
  if (!(await areAgreed(changes, { isGiven: isAgreed, streams }))) return;
  for (const change of changes) makeChange(change, random);
  streams.out.write(`completion of ${program} installed for ${shell}: shells that start from now on have it\n`);
}

export function completionUninstallCommand(run = runUninstall): Command {
  return {
    use: "uninstall [SHELL]",
    description: `Undo "{{program}} completion install" for a shell: bash, zsh, fish or powershell. Without a SHELL it is the one that $SHELL names; on Windows it is PowerShell.

Only the lines that install added are removed, so that the files are what they were before. A file that install made is removed when it holds nothing else. What will be changed is shown first, and done only after a "y"; where stdin is no terminal, --yes is needed.`,
    examples: `# For the shell of this user
{{program}} completion uninstall

# For fish, without a question
{{program}} completion uninstall fish --yes`,
    flags: [yesFlag],
    execute: async (factory, invocation) => run(installOptions(factory, invocation)),
    completeArgs: completeShells,
  };
}

/** Removes completion: the start-up lines first, so that none of them refers to a missing script. */
export async function runUninstall(options: InstallOptions): Promise<void> {
  const { shell, setup, program, streams, random, isAgreed } = options;
  const files = setup.startUp === undefined ? [] : [setup.startUp.file, ...setup.startUp.otherFiles];
  const found = [...files.map((file) => removedBlock(file, program)), removedScript(program, setup)];
  // Several names may be links to one file.
  const changes = [...new Map(found.map((change) => [change?.file.target, change])).values()].filter(
    (change) => change !== undefined,
  );
  if (changes.length === 0) {
    streams.out.write(`completion of ${program} is not installed for ${shell}\n`);
    return;
  }
  if (!(await areAgreed(changes, { isGiven: isAgreed, streams }))) return;
  for (const change of changes) makeChange(change, random);
  removeEmptyFolders(setup);
  streams.out.write(`completion of ${program} uninstalled for ${shell}\n`);
}

const CHOICES = SHELLS.join(", ");

/** The shell that the operand names; without one the user's login shell ($SHELL), on Windows PowerShell. */
export function shellToChange(invocation: Invocation, { env, platform }: Pick<Factory, "env" | "platform">): Shell {
  const [given, ...more] = invocation.args;
  if (more.length > 0) throw usageError(invocation, "Too many arguments. Expected only the shell type.");
  if (given !== undefined) {
    return (
      shellNamed(given) ?? fail(invocation, `Unsupported shell type ${JSON.stringify(given)}: give one of ${CHOICES}.`)
    );
  }
  if (platform === "win32") return "powershell";
  const login = env["SHELL"] ?? "";
  const reason = login === "" ? "$SHELL is not set" : `$SHELL is ${JSON.stringify(login)}`;
  const name = posix.basename(login);
  return (
    shellNamed(name === "pwsh" ? "powershell" : name) ??
    fail(invocation, `Shell not specified, and ${reason}: give one of ${CHOICES}.`)
  );
}

function shellNamed(name: string): Shell | undefined {
  return SHELLS.find((shell) => shell === name);
}

function fail(invocation: Invocation, message: string): never {
  throw usageError(invocation, message);
}

export const completeShells: Completer = (factory, invocation, toComplete) =>
  invocation.args.length === 0
    ? completeWords(SHELLS)(factory, invocation, toComplete)
    : Promise.resolve({ candidates: [], directive: NO_FILE_COMP });

/**
 * The change after which the saved script equals the output of `completion SHELL`; undefined where it does already.
 * @throws where another program's file is at its path
 */
export function savedScriptChange(shell: Shell, program: string, { script }: ShellSetup): PlannedChange | undefined {
  const byHand = `What the file has to hold is printed by:\n  ${program} completion ${shell}`;
  const file = read(script, byHand);
  const content = Buffer.from(completionScript(shell, program));
  if (file.content?.equals(content) === true) return undefined;
  if (file.content !== undefined && !isCompletionScript(file.content.toString("utf8"), program)) {
    throw new Error(
      `${script} is there already, and another program wrote it: move it away, and run the command again`,
    );
  }
  const verb = file.content === undefined ? "written" : "brought up to date";
  const announcement = `${script} will be ${verb}: what \`${program} completion ${shell}\` prints.`;
  return { file, content, announcement, byHand };
}

/** The change that removes the saved script; undefined where it does not exist or another program wrote it. */
export function removedScript(program: string, { script }: ShellSetup): PlannedChange | undefined {
  const byHand = `Remove ${script} by hand.`;
  const file = read(script, byHand);
  if (file.content === undefined || !isCompletionScript(file.content.toString("utf8"), program)) return undefined;
  return { file, content: undefined, announcement: `${script} will be removed.`, byHand };
}

/** Removes the script's folders that are empty now. */
export function removeEmptyFolders({ scriptFolders }: ShellSetup): void {
  try {
    for (const folder of scriptFolders) rmdirSync(folder);
  } catch {
    // What is not empty stays, and all above it.
  }
}

function read(script: string, byHand: string): PlannedChange["file"] {
  try {
    return readEdited(script);
  } catch (error) {
    throw withAdvice(error, byHand);
  }
}
