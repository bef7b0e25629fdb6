import { mkdtemp, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { diskFolder } from "./disk-folder.js";
import { straceMissing } from "./strace.js";
import { buildWriter, startWriter } from "./writer-process.js";

const WRITES = 50;

const reason = straceMissing();

test.skipIf(reason !== undefined)(
  `data is flushed before each acknowledgement leaves the process${reason === undefined ? "" : ` (skipped: ${reason})`}`,
  async () => {
    const writer = await buildWriter();
    const folder = await mkdtemp(join(diskFolder(), "kubets-flush-"));
    try {
      const log = join(folder, "trace");
      const calls = "trace=write,pwrite64,writev,pwritev,fsync,fdatasync";
      const trace = ["strace", "-f", "-y", "-s", "32", "-e", calls, "-o", log];
      const child = startWriter(writer.script, {
        directory: join(folder, "data"),
        seed: 1,
        count: WRITES,
        window: 1,
        trace,
      });
      await child.until("done");
      const tracee = Number(/^([0-9]+)/.exec(await readFile(log, "utf8"))?.[1]);
      process.kill(tracee, "SIGKILL");
      await child.kill();
      const order = readTrace(await readFile(log, "utf8"));
      expect(order.filter((step) => step === "acknowledge")).toHaveLength(WRITES);
      expect(order.join(" ")).toMatch(/^(?:(?:write )+(?:flush )+acknowledge ?)+$/);
    } finally {
      await writer.remove();
      await rm(folder, { recursive: true, force: true });
    }
  },
);

/** What happened to the write-ahead log and the acknowledgements, in the order in which calls ended. */
function readTrace(trace: string): string[] {
  const order: string[] = [];
  const open = new Map<string, string>();
  let started = false;
  for (const line of trace.split("\n")) {
    const [, thread = "", rest = ""] = /^([0-9]+) +(.*)$/.exec(line) ?? [];
    const resumed = /^<\.\.\. \w+ resumed>/.test(rest);
    const call = resumed ? (open.get(thread) ?? "") : rest;
    if (rest.endsWith("<unfinished ...>")) {
      open.set(thread, rest);
      continue;
    }
    if (call.includes('"ready')) started = true;
    else if (!started) continue;
    else if (/^p?write/.test(call) && call.includes("data.db-wal>")) order.push("write");
    else if (/^f(data)?sync/.test(call) && call.includes("data.db-wal>")) order.push("flush");
    else if (call.startsWith("write(1") && call.includes('"ack ')) order.push("acknowledge");
  }
  return order;
}
