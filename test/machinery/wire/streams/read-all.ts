/** Everything that a stream gives until it ends. */
export async function readAll(stream: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}

export const readText = async (stream: AsyncIterable<Uint8Array>): Promise<string> =>
  (await readAll(stream)).toString("utf8");
