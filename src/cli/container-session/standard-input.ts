import type { Readable } from "node:stream";
import type { Factory, Streams } from "../connect/factory.js";

/**
 * Yields the bytes of stdin, and reads only as fast as they are consumed. `stop` ends the reading without closing stdin, also while a read
 * waits for a key. Input that can no longer be read, such as that of a closed terminal, counts as ended.
 */
export class StandardInput implements AsyncIterable<Uint8Array> {
  readonly #input: Readable;
  #over = false;
  #wake: () => void = () => undefined;

  constructor(input: Readable) {
    this.#input = input;
  }

  stop(): void {
    this.#over = true;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void> {
    const input = this.#input;
    const ready = (): void => this.#wake();
    const ended = (): void => this.stop();
    if (input.readableEnded || input.destroyed) return;
    input.on("readable", ready).on("end", ended).on("error", ended).on("close", ended);
    try {
      while (!this.#over) {
        const chunk = input.read() as Buffer | string | null;
        if (chunk !== null) yield typeof chunk === "string" ? Buffer.from(chunk) : chunk;
        else if (!this.#over) await new Promise<void>((wake) => (this.#wake = wake));
      }
    } finally {
      input.off("readable", ready).off("end", ended).off("error", ended).off("close", ended);
      input.pause();
    }
  }
}

/** The parts of the factory that raw mode needs. */
export type TerminalHost = Pick<Factory, "runProgram" | "platform">;

/** A terminal's stdin, as Node has it. */
interface TerminalInput {
  setRawMode(raw: boolean): unknown;
}

const isTerminalInput = (input: object): input is TerminalInput =>
  "setRawMode" in input && typeof input.setRawMode === "function";

/** Returns whether `input` is a terminal, on which a person presses keys. Looking at stdin opens it. */
export const givesKeys = (input: Streams["in"]): boolean => input.isTTY === true && isTerminalInput(input);

/**
 * Puts the terminal of `input` into raw mode for a program of our own: each key arrives as one or more bytes, and output is unchanged.
 * Returns the function that restores the terminal, which is synchronous and may be called again. If the process crashes, Node restores it.
 */
export function takeKeys(input: Streams["in"]): () => void {
  if (!isTerminalInput(input)) return () => undefined;
  input.setRawMode(true);
  let raw = true;
  return () => {
    if (raw) input.setRawMode(false);
    raw = false;
  };
}

/**
 * Puts the terminal of `input` into raw mode for a remote program: it gets the bytes of each key, and its output reaches the screen
 * unchanged. Returns the same as {@link takeKeys}.
 */
export async function enterRawMode(input: Streams["in"], { runProgram, platform }: TerminalHost): Promise<() => void> {
  if (!isTerminalInput(input)) return () => undefined;
  const giveBack = takeKeys(input);
  // Node leaves line feeds to the terminal driver, which would add a carriage return to those that the remote program means as such.
  if (platform !== "win32") await runProgram("stty", ["-opost"]).catch(() => undefined);
  return giveBack;
}
