import { readFile } from "node:fs/promises";
import { goQuote } from "../../base/text/go-quote.js";
import { errorCode, PathError } from "../../base/files/path-error.js";
import type { Factory } from "../connect/factory.js";
import { makeTempFile } from "./temp-files.js";

/** What an editor needs of the outside. */
export type EditorHost = Pick<Factory, "env" | "platform" | "random" | "runProgram">;

/** What came back from the editor, and the file it is in. The caller removes the file. */
export interface EditedFile {
  readonly path: string;
  readonly text: string;
}

/**
 * Puts `text` into a new temporary file, opens the user's editor on it and answers with what the file holds then. Throws
 * when the editor cannot be started or fails; the file stays where it is.
 */
export async function editText(prefix: string, suffix: string, text: string, host: EditorHost): Promise<EditedFile> {
  const path = await makeTempFile(prefix, suffix, text, host);
  const editor = editorCommand(host);
  const [program = "", ...args] = argumentsFor(editor, path, host.platform);
  const named = goQuote(editor.words.join(" "));
  const { code } = await host.runProgram(program, args).catch((error: unknown) => {
    const isName = !/[/\\]/.test(program);
    if (errorCode(error) === "ENOENT" && isName)
      throw new Error(`unable to launch the editor ${named}`, { cause: error });
    throw new Error(`there was a problem with the editor ${named}`, { cause: error });
  });
  if (code !== 0) throw new Error(`there was a problem with the editor ${named}`);
  const edited = await readFile(path, "utf8").catch((error: unknown) => {
    throw new PathError("open", path, error);
  });
  return { path, text: edited };
}

interface EditorCommand {
  readonly words: readonly string[];
  /** The last word is a whole command line for the shell that the others name. */
  readonly shell: boolean;
}

/** KUBE_EDITOR, else EDITOR, else the platform's own. Words are split at spaces; quotes are left to the user's shell. */
export function editorCommand({ env, platform }: Pick<EditorHost, "env" | "platform">): EditorCommand {
  const windows = platform === "win32";
  const line = env["KUBE_EDITOR"] || env["EDITOR"] || (windows ? "notepad" : "vi");
  if (!/["'\\]/.test(line) || !line.includes(" ")) return { words: line.split(" "), shell: false };
  const shell = env["SHELL"] || (windows ? "cmd" : "/bin/bash");
  return { words: [shell, shell === "cmd" ? "/C" : "-c", line], shell: true };
}

function argumentsFor({ words, shell }: EditorCommand, path: string, platform: NodeJS.Platform): readonly string[] {
  if (!shell) return [...words, path];
  const line = words.at(-1) ?? "";
  const before = words.slice(0, -1);
  if (platform === "win32" && words[0] === "cmd") return [...before, `"${line} "${path.replaceAll('"', '""')}""`];
  return [...before, `${line} ${goQuote(path)}`];
}
