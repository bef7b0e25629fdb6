import { BytePipe } from "../../byte-pipe.js";
import type { Shell } from "./shell.js";
import type { ShellStreams } from "./shell-state.js";
import type { Command } from "./parse/syntax.js";

/**
 * Runs the stages of a pipeline beside each other, each in a subshell; a single one in the shell itself. Resolves with the last one's code, and with pipefail
 * with that of the last one that failed.
 */
export async function runPipeline(
  shell: Shell,
  { stages, negated }: Extract<Command, { kind: "pipeline" }>,
  streams: ShellStreams,
): Promise<number> {
  const [only] = stages;
  if (stages.length === 1 && only !== undefined) return inverted(await shell.run(only, streams, true), negated);
  const codes = await runStages(shell, stages, streams);
  shell.state.pipeStatus = codes;
  const failed = shell.state.options.has("pipefail") ? codes.findLast((code) => code !== 0) : undefined;
  return inverted(failed ?? codes.at(-1) ?? 0, negated);
}

const inverted = (code: number, negated: boolean): number => (negated ? Number(code === 0) : code);

async function runStages(shell: Shell, stages: readonly Command[], streams: ShellStreams): Promise<readonly number[]> {
  const ends = forkEach(shell, stages);
  const pipes = stages.slice(1).map(() => new BytePipe());
  return Promise.all(
    stages.map(async (stage, index) => {
      const [input, output] = [pipes[index - 1], pipes[index]];
      const inner: ShellStreams = {
        stdin: input ?? streams.stdin,
        stdout: output === undefined ? streams.stdout : (chunk, signal) => output.write(chunk, signal),
        stderr: streams.stderr,
        ...(streams.others && { others: streams.others }),
      };
      try {
        return await shell.subshell(inner, (one) => one.run(stage, inner), ends[index]);
      } finally {
        output?.end();
        input?.destroy();
      }
    }),
  );
}

/** A process for each stage, or none at all. */
function forkEach(shell: Shell, stages: readonly Command[]): readonly (() => void)[] {
  const ends: (() => void)[] = [];
  try {
    for (const _stage of stages) ends.push(shell.io.container.fork());
    return ends;
  } catch (error) {
    for (const end of ends) end();
    throw error;
  }
}
