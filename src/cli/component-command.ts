import { systemTimers } from "../base/time/timers.js";
import { type Component, runComponent } from "../component/component.js";
import type { Command } from "./command.js";
import { ExitError } from "./errors.js";

/** A command that runs a component of Kubernetes: the component reads its own flags, which are not kubectl's. */
export function componentCommand(
  use: string,
  { description, examples }: Pick<Command, "description" | "examples">,
  load: () => Promise<Component>,
): Command {
  return {
    use,
    description,
    examples,
    flags: [],
    disableFlagParsing: true,
    handlesSignals: true,
    ownExitCode: true,
    secondSignalCode: 1,
    async execute({ streams, clock, cwd, env }, { args, signal }) {
      const code = await runComponent(await load(), args, {
        clock,
        cwd,
        env,
        signal,
        timers: systemTimers,
        out: (text) => void streams.out.write(text),
        err: (text) => void streams.err.write(text),
        columns: streams.out.isTTY === true ? streams.out.columns : undefined,
      });
      if (code !== 0) throw new ExitError(code);
    },
  };
}
