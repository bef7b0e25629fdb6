import { rmdirSync } from "node:fs";
import { completionScript, isCompletionScript, type Shell } from "./completion-script.js";
import { readEdited, type PlannedChange, withAdvice } from "./edited-file.js";
import type { ShellSetup } from "./shell-setup.js";

/**
 * The change that makes the saved script what `completion SHELL` prints; undefined where it is that.
 * @throws where the place is taken by a file of another program
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

/** The change that removes the saved script; undefined where there is none, or another program wrote it. */
export function removedScript(program: string, { script }: ShellSetup): PlannedChange | undefined {
  const byHand = `Remove ${script} by hand.`;
  const file = read(script, byHand);
  if (file.content === undefined || !isCompletionScript(file.content.toString("utf8"), program)) return undefined;
  return { file, content: undefined, announcement: `${script} will be removed.`, byHand };
}

/** Removes the folders that held nothing but the script. */
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
