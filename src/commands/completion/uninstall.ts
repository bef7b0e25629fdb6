import type { Command } from "../../cli/command.js";
import { type InstallOptions, installOptions } from "./install.js";
import { areAgreed, makeChange, yesFlag } from "./planned-change.js";
import { removedScript, removeEmptyFolders } from "./saved-script.js";
import { completeShells } from "./shell-argument.js";
import { removedBlock } from "./start-up-block.js";

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

/** The lines go first, so that none are left that look for a script. */
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
