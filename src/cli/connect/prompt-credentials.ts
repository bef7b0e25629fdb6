import type { Readable } from "node:stream";
import type { Streams } from "./factory.js";

/** client-go's questions for a server that wants to know who asks. A password is read from a terminal only, unseen. */
export async function promptCredentials({ in: input, out }: Streams): Promise<{ username: string; password: string }> {
  out.write("Please enter Username: ");
  const username = await readWord(input);
  out.write("Please enter Password: ");
  if (input.isTTY !== true) throw new Error("error reading input for Password");
  const password = await unseen(input, () => readLine(input));
  return { username, password };
}

/** The first word, as Go's Fscan reads one: white space and empty lines before it are skipped. */
async function readWord(input: Readable): Promise<string> {
  for (;;) {
    const line = await readLine(input);
    const word = /\S+/.exec(line)?.[0];
    if (word !== undefined) return word;
  }
}

/** Up to the end of a line; at the end of the input what was left, or an error when there was nothing. */
function readLine(input: Readable): Promise<string> {
  let text = "";
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      input.off("data", onData).off("end", onEnd).off("error", reject);
      input.pause();
    };
    const onData = (chunk: Buffer | string): void => {
      text += chunk.toString();
      const end = text.search(/[\r\n]/);
      if (end < 0) return;
      stop();
      resolve(text.slice(0, end));
    };
    const onEnd = (): void => {
      stop();
      if (text === "") reject(new Error("EOF"));
      else resolve(text);
    };
    input.on("data", onData).once("end", onEnd).once("error", reject);
    input.resume();
  });
}

async function unseen<T>(input: Readable, read: () => Promise<T>): Promise<T> {
  const raw =
    "setRawMode" in input && typeof input.setRawMode === "function" ? input.setRawMode.bind(input) : undefined;
  raw?.(true);
  try {
    return await read();
  } finally {
    raw?.(false);
  }
}
