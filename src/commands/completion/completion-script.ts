import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const SHELLS = ["bash", "zsh", "fish", "powershell"] as const;
export type Shell = (typeof SHELLS)[number];

const FILES: Readonly<Record<Shell, string>> = {
  bash: "kubets.bash",
  zsh: "kubets.zsh",
  fish: "kubets.fish",
  powershell: "kubets.ps1",
};

/** The script of a shell, made out to the name the program was called by. */
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
