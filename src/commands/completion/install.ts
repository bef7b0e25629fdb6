import { existsSync } from "node:fs";
import type { Command, Invocation } from "../../cli/command.js";
import type { Factory } from "../../cli/connect/factory.js";
import type { Shell } from "./completion-script.js";
import { areAgreed, makeChange, yesFlag } from "./planned-change.js";
import { savedScriptChange } from "./saved-script.js";
import { completeShells, shellToChange } from "./shell-argument.js";
import { type ShellSetup, shellSetup } from "./shell-setup.js";
import { addedBlock } from "./start-up-block.js";

/** What `install` and `uninstall` work with. */
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

/** @throws when there is no such shell, or its files cannot be told */
export function installOptions(factory: Factory, invocation: Invocation): InstallOptions {
  const { program, streams, random, env, platform } = factory;
  const shell = shellToChange(invocation, { env, platform });
  const setup = shellSetup(shell, { program, env, platform, exists: existsSync });
  return { shell, setup, program, streams, random, isAgreed: invocation.flags.bool("yes") };
}

/** The script comes first: a shell that starts meanwhile finds it, or lines that do nothing without it. */
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
