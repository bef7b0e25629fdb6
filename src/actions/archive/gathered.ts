/** The same bytes, the small chunks put together into such of `size` bytes or a little more: each chunk costs its receiver a message. */
export async function* gathered(chunks: AsyncIterable<Uint8Array>, size: number): AsyncGenerator<Uint8Array, void> {
  let held: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    held.push(chunk);
    length += chunk.length;
    if (length < size) continue;
    yield held.length === 1 ? chunk : Buffer.concat(held);
    held = [];
    length = 0;
  }
  if (length > 0) yield Buffer.concat(held);
}
