import type { ContainerRuntime } from "../container-runtime.js";

export interface ProgramOutput {
  readonly code: number;
  readonly stderr: string;
  /** What it wrote to stdout, then what it wrote to stderr. */
  readonly output: string;
}

/** So much of a program's output is kept, in bytes. */
const LONGEST = 10 * 1024;

/** Runs a program in a container and returns its output. Rejects as the runtime does. */
export async function programOutput(
  runtime: ContainerRuntime,
  containerId: string,
  command: readonly string[],
  signal: AbortSignal,
): Promise<ProgramOutput> {
  const [out, err] = [new Kept(), new Kept()];
  const streams = {
    tty: false,
    signal,
    stdout: async (chunk: Uint8Array) => out.add(chunk),
    stderr: async (chunk: Uint8Array) => err.add(chunk),
  };
  const code = await runtime.exec(containerId, command, streams);
  return { code, stderr: err.text, output: `${out.text}${err.text}` };
}

class Kept {
  #bytes = Buffer.alloc(0);

  get text(): string {
    return this.#bytes.toString("utf8");
  }

  add(chunk: Uint8Array): void {
    if (this.#bytes.length < LONGEST) this.#bytes = Buffer.concat([this.#bytes, chunk]).subarray(0, LONGEST);
  }
}
