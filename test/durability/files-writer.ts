/**
 * A process whose writers each create, update and delete a key of their own, until it is killed: `files-writer.js DIRECTORY WRITERS`. It
 * prints "WRITER COUNT" as soon as so many writes of a writer are acknowledged.
 */
import { writeSync } from "node:fs";
import { openFilesKv } from "../../src/server/storage/files/files-kv.js";
import { thing, thingKey } from "./files-plan.js";

const [directory = "", writers = "1"] = process.argv.slice(2);
const kv = await openFilesKv({ directory });
writeSync(1, "ready\n");
await Promise.all(Array.from({ length: Number(writers) }, (_, writer) => write(writer)));

async function write(writer: number): Promise<never> {
  const key = thingKey(writer);
  for (let count = 1, revision = 0; ; count++) {
    const value = thing(writer, count);
    if (value === undefined) await kv.delete(key, revision);
    else if (count % 3 === 1) ({ revision } = await kv.create(key, value));
    else ({ revision } = await kv.update(key, value, revision));
    writeSync(1, `${writer} ${count}\n`);
  }
}
