import type { Factory, Streams } from "../factory.js";

/** What raw mode needs of a factory. */
export type TerminalHost = Pick<Factory, "runProgram" | "platform">;

/** A terminal's stdin, as Node has it. */
interface TerminalInput {
  setRawMode(raw: boolean): unknown;
}

const isTerminalInput = (input: object): input is TerminalInput =>
  "setRawMode" in input && typeof input.setRawMode === "function";

/**
 * Puts the terminal of `input` into raw mode: each key goes to the remote program as its bytes, and what that program writes reaches
 * the screen unchanged. Answers the function that gives the terminal back, which is synchronous and may be called again. Should the
 * process crash, Node gives it back.
 */
export async function enterRawMode(input: Streams["in"], { runProgram, platform }: TerminalHost): Promise<() => void> {
  if (!isTerminalInput(input)) return () => undefined;
  input.setRawMode(true);
  // Node leaves line feeds to the terminal driver, which would add a carriage return to those that the remote program means as such.
  if (platform !== "win32") await runProgram("stty", ["-opost"]).catch(() => undefined);
  let raw = true;
  return () => {
    if (raw) input.setRawMode(false);
    raw = false;
  };
}
