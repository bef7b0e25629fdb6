/**
 * Splits UTF-8 text that comes in chunks into lines, without their ends; the last line needs no end. Each line is cut after
 * `longest` characters.
 */
export async function* linesOf(
  chunks: AsyncIterable<Uint8Array>,
  longest = Number.POSITIVE_INFINITY,
): AsyncGenerator<string, void, undefined> {
  const utf8 = new TextDecoder();
  let begun = "";
  for await (const chunk of chunks) {
    const lines = utf8.decode(chunk, { stream: true }).split("\n");
    const last = lines.pop() ?? "";
    for (const line of lines) {
      yield joined(begun, line, longest);
      begun = "";
    }
    begun = joined(begun, last, longest);
  }
  const rest = joined(begun, utf8.decode(), longest);
  if (rest !== "") yield rest;
}

const joined = (begun: string, more: string, longest: number): string =>
  begun.length + more.length > longest ? begun + more.slice(0, longest - begun.length) : begun + more;
