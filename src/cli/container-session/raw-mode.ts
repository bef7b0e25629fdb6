import type { Factory, Streams } from "../connect/factory.js";

/** What raw mode needs of a factory. */
export type TerminalHost = Pick<Factory, "runProgram" | "platform">;

/** A terminal's stdin, as Node has it. */
interface TerminalInput {
  setRawMode(raw: boolean): unknown;
}

const isTerminalInput = (input: object): input is TerminalInput =>
  "setRawMode" in input && typeof input.setRawMode === "function";

/** Whether a person at a terminal presses the keys that `input` gives. Looking at stdin opens it. */
export const givesKeys = (input: Streams["in"]): boolean => input.isTTY === true && isTerminalInput(input);

/**
 * Puts the terminal of `input` into raw mode for a program of our own: each key is a byte or several, and output stays as it is. Answers the
 * function that gives the terminal back, which is synchronous and may be called again. Should the process crash, Node gives it back.
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
 * Puts the terminal of `input` into raw mode for a remote program: each key goes there as its bytes, and what that program writes reaches
 * the screen unchanged. Answers as {@link takeKeys} does.
 */
export async function enterRawMode(input: Streams["in"], { runProgram, platform }: TerminalHost): Promise<() => void> {
  if (!isTerminalInput(input)) return () => undefined;
  const giveBack = takeKeys(input);
  // Node leaves line feeds to the terminal driver, which would add a carriage return to those that the remote program means as such.
  if (platform !== "win32") await runProgram("stty", ["-opost"]).catch(() => undefined);
  return giveBack;
}
