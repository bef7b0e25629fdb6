import { spawn } from "node:child_process";
import { cp, mkdir, mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { openFilesKv } from "../../src/server/storage/files/files-kv.js";
import { type ApiEvent, type ApiProcess, startApi } from "./api-process.js";
import { diskFolder } from "./disk-folder.js";
import { failingCalls, fileSizeLimit, fullDisk } from "./faults.js";
import { thing, thingKey } from "./files-plan.js";
import { buildWriter } from "./writer-process.js";
import { PATIENCE } from "../helpers/patience.js";

const MAPS = "/api/v1/namespaces/default/configmaps";
const WRITERS = 16;

describe("storage in files (T16)", () => {
  let folder = "";
  beforeAll(async () => {
    folder = await mkdtemp(join(diskFolder(), "kubets-files-"));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  describe("after a crash", () => {
    let writer: Awaited<ReturnType<typeof buildWriter>>;
    beforeAll(async () => {
      writer = await buildWriter("files-writer");
    });
    afterAll(() => writer.remove());

    test("holds every acknowledged write, when the process was killed at twenty random moments with sixteen writers", async () => {
      let acknowledged = 0;
      for (let round = 0; round < 20; round++) {
        const directory = join(folder, `kill-${round}`);
        const done = await killedWhileWriting(writer.script, directory);
        const warnings: string[] = [];
        const kv = await openFilesKv({ directory, onWarning: (warning) => void warnings.push(warning) });
        for (const [at, count] of done.entries()) {
          const value = (await kv.get(thingKey(at))).kv?.value;
          const found = value === undefined ? undefined : Buffer.from(value).toString();
          // The write that was under way may have been done.
          const may = [count, count + 1].map((one) => thing(at, one)?.toString());
          expect(may).toContain(found);
          acknowledged += count;
        }
        expect(warnings).toEqual([]);
        await kv.close();
      }
      expect(acknowledged).toBeGreaterThan(20 * WRITERS);
    });
  });

  describe("on a disk that cannot be written", () => {
    let server: Awaited<ReturnType<typeof buildWriter>>;
    beforeAll(async () => {
      server = await buildWriter("api-server");
    });
    afterAll(() => server.remove());

    const folders = failingCalls("fsync", "2+2");
    test.skipIf(folders.missing !== undefined)(
      `does not acknowledge a write whose file name may not be durable, and reads back whether it is${folders.missing ?? ""}`,
      async () => {
        const directory = join(folder, "unknown");
        await mkdir(directory);
        // strace counts the calls of each thread.
        const trace = ["env", "UV_THREADPOOL_SIZE=1"];
        const api = await startApi(server.script, directory, { trace, etcd: "files" });
        try {
          expect((await create(api, "before", 10)).status).toBe(201);
          const end = await folders.begin(api.pid, directory);
          const unknown = await create(api, "unknown", 10);
          expect([unknown.status, unknown.body.message]).toEqual([500, expect.stringContaining("cannot write ")]);
          await end();
          await vi.waitFor(async () => expect(await names(api)).toEqual(["before", "kube-root-ca.crt", "unknown"]), {
            timeout: PATIENCE,
            interval: 100,
          });
        } finally {
          await api.kill();
        }
      },
    );

    const renames = failingCalls("rename,renameat,renameat2");
    for (const [index, fault] of [fullDisk, failingCalls("fsync,fdatasync"), renames, fileSizeLimit].entries()) {
      const why = fault.missing === undefined ? "" : ` (skipped: ${fault.missing})`;
      test.skipIf(fault.missing !== undefined)(
        `by ${fault.what} reports it, gives no wrong answer, and recovers${why}`,
        async () => {
          const directory = join(folder, `fault-${index}`);
          await mkdir(directory);
          let api = await startApi(server.script, directory, { trace: fault.launcher(directory), etcd: "files" });
          try {
            const before = await create(api, "before", 10);
            const version = Number(before.body.metadata.resourceVersion);
            const seen: ApiEvent[] = [];
            api.watch(`${MAPS}?watch=true&resourceVersion=${version}`, (event) => seen.push(event)).catch(() => {});
            const end = await fault.begin(api.pid, directory);
            const refused = await Promise.all(
              Array.from({ length: 20 }, (_, at) => create(api, `refused-${at}`, 100_000)),
            );
            for (const { status, body } of refused) {
              expect([status, body.message]).toEqual([
                500,
                expect.stringContaining(`cannot write ${directory}/objects`),
              ]);
            }
            if (fault !== renames) expect((await api.call("GET", "/readyz")).status).toBe(500);
            expect(await names(api)).toEqual(["before", "kube-root-ca.crt"]);
            expect(seen).toEqual([]);
            await end();
            expect((await api.call("GET", "/readyz")).status).toBe(200);
            const after = await Promise.all(Array.from({ length: 20 }, (_, at) => create(api, `after-${at}`, 10)));
            expect(after.map(({ status }) => status)).toEqual(after.map(() => 201));
            const kept = [...after.map(({ body }) => body.metadata.name).sort(), "before", "kube-root-ca.crt"];
            expect(await names(api)).toEqual(kept);
            const copy = join(folder, `copy-${index}`);
            await cp(`/proc/${api.pid}/root${directory}`, copy, { recursive: true });
            await api.kill();
            api = await startApi(server.script, copy, { etcd: "files" });
            expect(await names(api)).toEqual(kept);
          } finally {
            await api.kill();
          }
        },
      );
    }
  });
});

/** How many writes of each writer were acknowledged. */
async function killedWhileWriting(script: string, directory: string): Promise<readonly number[]> {
  const child = spawn(process.execPath, [script, directory, String(WRITERS)], { stdio: ["ignore", "pipe", "inherit"] });
  const done = Array.from({ length: WRITERS }, () => 0);
  let output = "";
  const killAfter = 100 + Math.floor(Math.random() * 400);
  let lines = 0;
  child.stdout.on("data", (data: Buffer) => {
    const read = (output + data.toString()).split("\n");
    output = read.pop() ?? "";
    for (const line of read) {
      const [writer, count] = line.split(" ").map(Number);
      if (writer !== undefined && count !== undefined) done[writer] = count;
      if (++lines === killAfter) child.kill("SIGKILL");
    }
  });
  await new Promise((resolve) => child.on("close", resolve));
  expect(child.signalCode).toBe("SIGKILL");
  return done;
}

const create = (api: ApiProcess, name: string, bytes: number): ReturnType<ApiProcess["call"]> =>
  api.call("POST", MAPS, { metadata: { name }, data: { text: "x".repeat(bytes) } });

async function names(api: ApiProcess): Promise<readonly string[]> {
  const { body } = await api.call("GET", MAPS);
  return (body.items ?? []).map(({ metadata }) => metadata.name).sort();
}
