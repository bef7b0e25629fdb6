import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { DEFAULT } from "../../cli/completion/directive.js";
import { completeWords } from "../../cli/completion/resource-completers.js";
import type { Command, Invocation } from "../../cli/command.js";
import { usageError } from "../../cli/errors.js";

export function completionCommand(): Command {
  return {
    use: "completion SHELL",
    description: `Print the code that teaches a shell (bash, zsh, fish or powershell) to complete the commands, flags, types and names of {{program}}. The shell has to evaluate it, for example from its start-up file. "{{program}} completion install" sees to that.

 zsh needs compinit to be run first. bash and fish need nothing else.`,
    examples: `# In every shell that starts from now on
{{program}} completion install

# In this bash
source <({{program}} completion bash)

# In this zsh
source <({{program}} completion zsh)

# In this fish
{{program}} completion fish | source

# In this PowerShell
{{program}} completion powershell | Out-String | Invoke-Expression`,
    flags: [],
    outputMustArrive: true,
    execute: async (factory, invocation) => {
      factory.streams.out.write(completionScript(shellOf(invocation), factory.program));
    },
    completeArgs: (factory, invocation, toComplete) =>
      invocation.args.length === 0
        ? completeWords(SHELLS)(factory, invocation, toComplete)
        : Promise.resolve({ candidates: [], directive: DEFAULT }),
  };
}

function shellOf(invocation: Invocation): Shell {
  const [shell, ...rest] = invocation.args;
  if (shell === undefined) throw usageError(invocation, "Shell not specified.");
  if (rest.length > 0) throw usageError(invocation, "Too many arguments. Expected only the shell type.");
  const known = SHELLS.find((name) => name === shell);
  if (known === undefined) throw usageError(invocation, `Unsupported shell type "${shell}".`);
  return known;
}

export const SHELLS = ["bash", "zsh", "fish", "powershell"] as const;
export type Shell = (typeof SHELLS)[number];

const FILES: Readonly<Record<Shell, string>> = {
  bash: "kubets.bash",
  zsh: "kubets.zsh",
  fish: "kubets.fish",
  powershell: "kubets.ps1",
};

/** The completion script of a shell, for the name by which the program was called. */
export function completionScript(shell: Shell, program: string): string {
  const file = join(completionsFolder(), FILES[shell]);
  return readFileSync(file, "utf8").replaceAll("__PROGRAM__", program);
}

/** Whether a file holds such a script, of this version or another. */
export function isCompletionScript(text: string, program: string): boolean {
  return text
    .split("\n", 2)
    .some(
      (line) => line.startsWith("# ") && line.includes(` completion for ${program}: asks the program (\`__complete\`)`),
    );
}

/** `completions` lies beside both src and dist, at a depth that bundling changes. */
function completionsFolder(): string {
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    const candidate = join(folder, "completions");
    if (existsSync(join(candidate, FILES.bash))) return candidate;
    if (folder === dirname(folder))
      throw new Error("the folder with the completion scripts is missing from this installation");
  }
}
