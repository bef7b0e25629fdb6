import type { Readable, Writable } from "node:stream";

/**
 * Asks for a user name and a password, as kubectl does of an https server it has no credentials for: one word of stdin,
 * then a password that only a terminal may give. Throws "EOF" when there is nothing to read.
 */
export async function promptCredentials(streams: {
  readonly in: Readable & { readonly isTTY?: boolean; setRawMode?(on: boolean): unknown };
  readonly out: Writable;
}): Promise<{ readonly username: string; readonly password: string }> {
  const input = streams.in;
  streams.out.write("Please enter Username: ");
  const username = await readWord(input);
  streams.out.write("Please enter Password: ");
  if (input.isTTY !== true) throw new Error("error reading input for Password");
  input.setRawMode?.(true);
  try {
    return { username, password: await readUntil(input, (text) => /[\r\n]/.test(text)) };
  } finally {
    input.setRawMode?.(false);
    input.pause();
  }
}

async function readWord(input: Readable): Promise<string> {
  const text = await readUntil(input, (held) => /\S\s/.test(held));
  const word = text.trim().split(/\s/, 1)[0] ?? "";
  if (word === "") throw new Error(text === "" ? "EOF" : "unexpected newline");
  return word;
}

function readUntil(input: Readable, complete: (text: string) => boolean): Promise<string> {
  return new Promise((resolve, reject) => {
    let held = "";
    const stop = () => {
      input.off("data", onData);
      input.off("end", onEnd);
      input.off("error", onError);
      input.pause();
    };
    const onData = (chunk: Buffer | string) => {
      held += chunk.toString();
      if (!complete(held)) return;
      stop();
      resolve(held.replace(/[\r\n]+$/, ""));
    };
    const onEnd = () => {
      stop();
      resolve(held);
    };
    const onError = (error: Error) => {
      stop();
      reject(error);
    };
    input.on("data", onData);
    input.on("end", onEnd);
    input.on("error", onError);
    input.resume();
  });
}
