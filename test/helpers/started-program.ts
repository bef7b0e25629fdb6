import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { programUnderTest } from "./program-under-test.js";

/** `kubets` in a process of its own. */
export interface StartedProgram extends AsyncDisposable {
  /** What it has written to stderr. */
  log(): string;
  /** SIGTERM; resolves with the exit code, or the signal that the process died of. */
  stop(): Promise<number | string>;
}

/** Starts the program with these arguments in the folder. It does not outlive this process. */
export function startProgram(
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): StartedProgram {
  const [file = "", ...words] = programUnderTest;
  const child: ChildProcess = spawn(file, [...words, ...args], {
    cwd,
    env: { ...process.env, ...env },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const killAtExit = (): void => void child.kill("SIGKILL");
  process.on("exit", killAtExit);
  let log = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (log += text));
  const ended = once(child, "exit").then(([code, signal]) => {
    process.off("exit", killAtExit);
    return (code ?? signal) as number | string;
  });
  return {
    log: () => log,
    stop() {
      child.kill("SIGTERM");
      return ended;
    },
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}
