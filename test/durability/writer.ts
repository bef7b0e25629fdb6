/**
 * A process that writes a plan until it is killed or done: `writer.js DIRECTORY SEED COUNT WINDOW`. It keeps WINDOW
 * writes in flight and prints the revision of each as soon as it is acknowledged.
 */
import { writeSync } from "node:fs";
import { openSqliteKv } from "../../src/server/storage/sqlite/sqlite-kv.js";
import { Plan } from "./plan.js";

const [directory = "", seed = "1", count = "1", window = "1"] = process.argv.slice(2);
const kv = await openSqliteKv({ directory });
const plan = new Plan(Number(seed));
const inFlight = new Set<Promise<void>>();
say("ready");
while (plan.revision <= Number(count)) {
  const { type, key, value, expected, revision } = plan.next();
  const bytes = new TextEncoder().encode(value);
  const write =
    type === "create"
      ? kv.create(key, bytes)
      : type === "update"
        ? kv.update(key, bytes, expected)
        : kv.delete(key, expected);
  const acknowledged = write.then((answer) => {
    if (answer.revision !== revision) throw new Error(`revision ${answer.revision} instead of ${revision}`);
    say(`ack ${revision}`);
    inFlight.delete(acknowledged);
  });
  inFlight.add(acknowledged);
  if (inFlight.size >= Number(window)) await Promise.race(inFlight);
}
await Promise.all(inFlight);
say("done");
// Left open: whoever started this process decides how it ends.
setInterval(() => {}, 1000);

function say(line: string): void {
  for (;;) {
    try {
      writeSync(1, `${line}\n`);
      return;
    } catch (error) {
      // The reader is slow and its pipe full.
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error;
    }
  }
}
