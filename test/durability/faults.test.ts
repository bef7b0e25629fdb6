import { cp, mkdir, mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { diskFolder } from "./disk-folder.js";
import { type ApiEvent, type ApiProcess, startApi } from "./api-process.js";
import { type Fault, failingCalls, fileSizeLimit, fullDisk } from "./faults.js";
import { buildWriter } from "./writer-process.js";

const MAPS = "/api/v1/namespaces/default/configmaps";

const CANNOT_WRITE = /^data directory \S+ cannot be written \(.+\): check its disk and permissions; reading goes on$/;

describe("a server whose disk cannot be written", () => {
  let server: Awaited<ReturnType<typeof buildWriter>>;
  let folder = "";

  beforeAll(async () => {
    server = await buildWriter("api-server");
    folder = await mkdtemp(join(diskFolder(), "kubets-faults-"));
  });
  afterAll(async () => {
    await server.remove();
    await rm(folder, { recursive: true, force: true });
  });

  const faults: readonly (Fault & { readonly says: RegExp })[] = [
    {
      ...fullDisk,
      says: /^data directory \S+ is full \(.+\): nothing can be written until space is freed; reading goes on$/,
    },
    { ...failingCalls("fsync,fdatasync"), says: CANNOT_WRITE },
    { ...failingCalls("pwrite64"), says: CANNOT_WRITE },
    { ...fileSizeLimit, says: CANNOT_WRITE },
  ];

  for (const [index, fault] of faults.entries()) {
    const why = fault.missing === undefined ? "" : ` (skipped: ${fault.missing})`;
    test.skipIf(fault.missing !== undefined)(
      `by ${fault.what} reports it, gives no wrong answer, and recovers${why}`,
      async () => {
        const directory = join(folder, `data-${index}`);
        await mkdir(directory);
        let api = await startApi(server.script, directory, { trace: fault.launcher(directory) });
        try {
          const before = await create(api, "before", 10);
          expect(before.status).toBe(201);
          const version = before.body.metadata.resourceVersion;
          const seen: ApiEvent[] = [];
          const watching = api.watch(`${MAPS}?watch=true&resourceVersion=${version}`, (event) => seen.push(event));
          watching.catch(() => {});
          expect(await readyz(api)).toBe(200);

          const end = await fault.begin(api.pid, directory);
          const refused = await Promise.all(
            Array.from({ length: 20 }, (_, at) => create(api, `refused-${at}`, 100_000)),
          );
          for (const { status, body } of refused) {
            expect([status, body.message]).toEqual([500, expect.stringMatching(fault.says)]);
          }
          expect(await readyz(api)).toBe(500);
          expect((await api.call("GET", `${MAPS}/refused-0`)).status).toBe(404);
          expect(await names(api)).toEqual(["before", "kube-root-ca.crt"]);
          expect(seen).toEqual([]);
          await end();

          expect(await readyz(api)).toBe(200);
          const after = await Promise.all(Array.from({ length: 20 }, (_, at) => create(api, `after-${at}`, 10)));
          expect(after.map(({ status }) => status)).toEqual(after.map(() => 201));
          const created = after.map(({ body }) => body.metadata.name).sort();
          expect(await names(api)).toEqual([...created, "before", "kube-root-ca.crt"]);
          while (seen.length < created.length) await new Promise((resolve) => setTimeout(resolve, 10));
          expect(seen.map(({ type, object }) => `${type} ${object.metadata.name}`).sort()).toEqual(
            created.map((name) => `ADDED ${name}`),
          );
          expect(seen.map(({ object }) => Number(object.metadata.resourceVersion))).toEqual(
            seen.map((_, at) => Number(version) + 1 + at),
          );

          const copy = join(folder, `copy-${index}`);
          await cp(`/proc/${api.pid}/root${directory}`, copy, { recursive: true });
          await api.kill();
          api = await startApi(server.script, copy);
          expect(await names(api)).toEqual([...created, "before", "kube-root-ca.crt"]);
        } finally {
          await api.kill();
        }
      },
    );
  }

  test.skipIf(fileSizeLimit.missing !== undefined)(
    "and is killed meanwhile has lost no acknowledged write",
    async () => {
      const directory = join(folder, "killed");
      let api = await startApi(server.script, directory);
      try {
        const written = await Promise.all(Array.from({ length: 50 }, (_, at) => create(api, `kept-${at}`, 1000)));
        expect(written.every(({ status }) => status === 201)).toBe(true);
        await fileSizeLimit.begin(api.pid, directory);
        expect((await create(api, "refused", 100_000)).status).toBe(500);
        await api.kill();
        api = await startApi(server.script, directory);
        const kept = written.map(({ body }) => body.metadata.name).sort();
        expect(await names(api)).toEqual([...kept, "kube-root-ca.crt"].sort());
        expect((await create(api, "after", 100_000)).status).toBe(201);
      } finally {
        await api.kill();
      }
    },
  );
});

function create(api: ApiProcess, name: string, size: number) {
  return api.call("POST", MAPS, { metadata: { name }, data: { text: "x".repeat(size) } });
}

async function names(api: ApiProcess): Promise<readonly string[]> {
  const { body } = await api.call("GET", MAPS);
  return (body.items ?? []).map(({ metadata }) => metadata.name);
}

async function readyz(api: ApiProcess): Promise<number> {
  return (await api.call("GET", "/readyz")).status;
}
