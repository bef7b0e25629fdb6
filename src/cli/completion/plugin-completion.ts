import { spawn } from "node:child_process";
import type { Completer, Completion } from "../command.js";
import type { Factory } from "../connect/factory.js";
import { findOnPath } from "../plugins.js";
import { DEFAULT } from "./directive.js";

const NONE: Completion = { candidates: [], directive: DEFAULT };

/**
 * Asks the program that completes for a plugin: `kubectl_complete-my_tool` for `kubectl my-tool`. It is given the words after
 * the plugin's name, and writes a candidate a line, the last of them may be a `:directive`.
 */
export const completePlugin: Completer = async (factory, { commandPath, args }, toComplete) => {
  const { err } = factory.streams;
  const [, ...words] = commandPath.replaceAll("-", "_").split(" ");
  const name = words.join("-");
  err.write(`[Debug] About to look for: kubectl_complete-${name}\n`);
  const file = findOnPath(`kubectl_complete-${name}`, factory);
  if (file === undefined) {
    err.write(`[Debug] Plugin kubectl-${name} does not provide a matching completion executable\n`);
    return NONE;
  }
  const asked = [...args, toComplete];
  err.write(`[Debug] About to call: ${[file, ...asked].join(" ")}\n`);
  const output = await outputOf(file, asked, factory);
  return output === undefined ? NONE : readAnswer(output);
};

function readAnswer(output: string): Completion {
  const lines = output.split("\n").filter((line) => line !== "");
  const directive = /^:([+-]?\d+)$/.exec(lines.at(-1) ?? "")?.[1];
  return directive === undefined
    ? { candidates: lines, directive: DEFAULT }
    : { candidates: lines.slice(0, -1), directive: Number(directive) };
}

/** What a program writes; undefined when it fails. */
function outputOf(file: string, args: readonly string[], { env, cwd, streams }: Factory): Promise<string | undefined> {
  return new Promise((resolve) => {
    const child = spawn(file, args, { env: { ...env }, cwd, stdio: ["inherit", "pipe", "pipe"] });
    let output = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
    child.stderr.on("data", (bytes: Buffer) => streams.err.write(bytes));
    child.on("error", () => resolve(undefined));
    child.on("close", (code) => resolve(code === 0 ? output : undefined));
  });
}
