import { spawn } from "node:child_process";
import { resolve as absolute } from "node:path";
import { calledAs } from "../base/files/own-program.js";
import type { ProgramEnd } from "./connect/factory.js";
import { findOnPath } from "./plugins.js";

type Environment = Readonly<Record<string, string | undefined>>;

/** How long a signal that a terminal sends to both may reach this process after it ended the child. */
const OWN_SIGNAL_MILLISECONDS = 50;

/**
 * Runs a plugin on this process' streams, with the path of this program as KUBECTL_PATH; resolves with its exit code, 1 when a
 * signal ended it. `file` is a path: a bare name means a file in the working directory, which an empty entry of PATH stands for.
 */
export function spawnPlugin(file: string, args: readonly string[], env: Environment): Promise<number> {
  return new Promise((resolve, reject) => {
    const path = /[\\/]/.test(file) ? file : `./${file}`;
    const child = spawn(path, [...args], { stdio: "inherit", env: { ...env, KUBECTL_PATH: ownPath(env) } });
    child.once("error", reject);
    child.once("exit", (code) => resolve(code ?? 1));
  });
}

/** Returns the path by which a plugin can call this program again: a link keeps its name, which the program goes by. */
function ownPath(env: Environment): string {
  const name = calledAs(process);
  if (/[\\/]/.test(name)) return absolute(name);
  const found = findOnPath(name, { env, platform: process.platform });
  return found === undefined ? process.execPath : absolute(found);
}

/**
 * Runs an editor or a diff program on this process' streams. If a signal ended it, the promise waits for a moment: this process
 * may have got the same signal, and should handle that first.
 */
export function spawnProgram(
  file: string,
  args: readonly string[],
  surroundings: { readonly env: Environment; readonly cwd: string },
): Promise<ProgramEnd> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, [...args], { stdio: "inherit", ...surroundings, env: { ...surroundings.env } });
    child.once("error", reject);
    child.once("exit", (code, signal) => {
      const answer = (): void => resolve({ code: code ?? -1, signal: signal ?? undefined });
      if (signal === null) answer();
      else setTimeout(answer, OWN_SIGNAL_MILLISECONDS);
    });
  });
}
