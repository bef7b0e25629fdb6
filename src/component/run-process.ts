import { systemClock } from "../base/time/clock.js";
import { systemTimers } from "../base/time/timers.js";
import { type Component, runComponent } from "./component.js";

/** The signals that end a component, as in Kubernetes. */
const ENDING = ["SIGINT", "SIGTERM"] as const;

/**
 * Runs the component as the whole of this process: with its arguments, streams and signals. The first SIGINT or SIGTERM ends it
 * gracefully, a second one ends the process at once with exit code 1. Resolves when the component has ended; the process's exit
 * code is set then.
 */
export async function runProcess(component: Component, proc: NodeJS.Process = process): Promise<void> {
  const ending = new AbortController();
  const end = (): void => {
    if (ending.signal.aborted) proc.exit(1);
    ending.abort();
  };
  for (const signal of ENDING) proc.on(signal, end);
  try {
    proc.exitCode = await runComponent(component, proc.argv.slice(2), {
      clock: systemClock,
      timers: systemTimers,
      cwd: proc.cwd(),
      env: proc.env,
      signal: ending.signal,
      out: (text) => void proc.stdout.write(text),
      err: (text) => void proc.stderr.write(text),
      columns: proc.stdout.isTTY ? proc.stdout.columns : undefined,
    });
  } finally {
    for (const signal of ENDING) proc.removeListener(signal, end);
  }
}
