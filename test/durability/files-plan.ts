/** Every third write of a writer is a delete. */
export function thing(writer: number, count: number): Uint8Array | undefined {
  if (count % 3 === 0) return undefined;
  const metadata = { name: `thing-${writer}`, namespace: "default" };
  const object = {
    kind: "Thing",
    apiVersion: "example.com/v1",
    metadata,
    count,
    text: "x".repeat((count * 37) % 3000),
  };
  return Buffer.from(JSON.stringify(object));
}

/** Odd writers write objects, even ones values that no file of an object can show. */
export const thingKey = (writer: number): string =>
  writer % 2 === 1 ? `/registry/example.com/things/default/thing-${writer}` : `/things/${writer}`;
