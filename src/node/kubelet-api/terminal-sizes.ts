import { isJsonObject } from "../../machinery/meta/json.js";
import type { TerminalSize } from "../../machinery/wire/streams/remote-command.js";

/** No size is longer. */
const LONGEST = 1024;

/** Reads a resize stream: JSON objects one after another, with or without line breaks. Ends at what is no size. */
export async function* terminalSizes(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<TerminalSize, void, undefined> {
  let pending = "";
  for await (const chunk of chunks) {
    pending += Buffer.from(chunk).toString("latin1");
    for (let end = pending.indexOf("}"); end >= 0; end = pending.indexOf("}")) {
      const size = sizeOf(pending.slice(0, end + 1));
      if (size === undefined) return;
      yield size;
      pending = pending.slice(end + 1);
    }
    if (pending.length > LONGEST) return;
  }
}

function sizeOf(text: string): TerminalSize | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isJsonObject(value)) return undefined;
  // Go's decoder does not mind the case of names.
  const fields = Object.fromEntries(Object.entries(value).map(([name, field]) => [name.toLowerCase(), field]));
  const { width, height } = fields;
  const valid = (one: unknown): one is number =>
    Number.isInteger(one) && (one as number) >= 0 && (one as number) <= 0xffff;
  return valid(width) && valid(height) ? { width, height } : undefined;
}
