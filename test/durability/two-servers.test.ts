import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { diskFolder } from "./disk-folder.js";
import { etcdMissing, type EtcdServer, startEtcd, tellEtcdMissing } from "../helpers/etcd.js";
import { type ApiProcess, startApi } from "./api-process.js";
import { Informer, versionOf } from "./informer.js";
import { buildWriter } from "./writer-process.js";

const MAPS = "/api/v1/namespaces/default/configmaps";
const SERVICES = "/api/v1/namespaces/default/services";
const MERGE = "application/merge-patch+json";

let etcd: EtcdServer;
let built: Awaited<ReturnType<typeof buildWriter>>;
let folder = "";

tellEtcdMissing("two servers on one etcd");

beforeAll(async () => {
  if (etcdMissing !== undefined) return;
  built = await buildWriter("api-server");
  folder = await mkdtemp(join(diskFolder(), "kubets-two-servers-"));
  etcd = await startEtcd();
});
afterAll(async () => {
  if (etcdMissing !== undefined) return;
  await etcd.dispose();
  await built.remove();
  await rm(folder, { recursive: true, force: true });
});

interface Written {
  readonly name: string;
  readonly versions: number[];
  holds: string | undefined;
  failures: number;
}

/** Creates one object, changes it over and over, and now and then makes it anew. */
async function write(api: ApiProcess, name: string, signal: AbortSignal): Promise<Written> {
  const written: Written = { name, versions: [], holds: undefined, failures: 0 };
  for (let step = 0; !signal.aborted; step++) {
    const gone = written.holds === undefined;
    const removes = !gone && step % 7 === 6;
    const data = { step: String(step) };
    try {
      const answer = removes
        ? await api.call("DELETE", `${MAPS}/${name}`)
        : gone
          ? await api.call("POST", MAPS, { metadata: { name }, data })
          : await api.call("PATCH", `${MAPS}/${name}`, { data }, MERGE);
      expect(answer.status).toBe(gone ? 201 : 200);
      written.holds = removes ? undefined : data.step;
      if (!removes) written.versions.push(versionOf(answer.body));
    } catch (error) {
      written.failures++;
      if (written.failures > 1) return written;
      if (error instanceof Error && error.name === "AssertionError") throw error;
      return written;
    }
  }
  return written;
}

const sleep = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

describe.skipIf(etcdMissing !== undefined)("two servers on one etcd", () => {
  test("when one is killed, clients of the other notice nothing, and informers of the killed one continue at the other", async () => {
    const directory = join(folder, "killed");
    const [one, other] = await Promise.all([
      startApi(built.script, directory, { etcd: etcd.endpoint }),
      startApi(built.script, directory, { etcd: etcd.endpoint }),
    ]);
    const done = new AbortController();
    const [moving, staying] = [new Informer(MAPS), new Informer(MAPS)];
    const watching = [moving.run([one, other], done.signal), staying.run([other], done.signal)];
    const writers = {
      killed: ["a", "b"].map((name) => write(one, name, done.signal)),
      kept: ["c", "d", "e"].map((name) => write(other, name, done.signal)),
    };
    await sleep(1500);
    await one.kill();
    await sleep(1500);
    done.abort();
    const kept = await Promise.all(writers.kept);
    const killed = await Promise.all(writers.killed);
    const { body: list } = await other.call("GET", MAPS);
    // The watches run into their own time.
    await Promise.all(watching);

    expect(kept.map(({ failures }) => failures)).toEqual([0, 0, 0]);
    const held = new Map(list.items?.map(({ metadata, data }) => [metadata.name, data?.["step"]]));
    for (const { name, holds } of kept) expect(held.get(name), name).toBe(holds);
    // Neither listed again: what they had missed was still there.
    expect([moving.lists, staying.lists]).toEqual([1, 1]);
    expect(moving.state).toEqual(held);
    expect(staying.state).toEqual(held);
    const seen = new Set(moving.events.map((line) => Number(line.split(" ")[2])));
    const acknowledged = [...kept, ...killed].flatMap(({ versions }) => versions);
    // The list of the informer already holds what was written before it.
    const first = Math.min(...seen);
    expect(acknowledged.filter((one) => one > first && !seen.has(one))).toEqual([]);
    expect(acknowledged.length).toBeGreaterThan(50);
    await other.kill();
  });

  test("show each other's acknowledged writes at once, and never give two services one address or port", async () => {
    const directory = join(folder, "shared");
    const servers = await Promise.all([
      startApi(built.script, directory, { etcd: etcd.endpoint }),
      startApi(built.script, directory, { etcd: etcd.endpoint }),
    ]);
    const at = (index: number): ApiProcess => servers[index % 2] as ApiProcess;
    for (let round = 0; round < 20; round++) {
      const name = `visible-${round}`;
      const made = await at(round).call("POST", MAPS, { metadata: { name } });
      expect(made.status).toBe(201);
      const read = await at(round + 1).call("GET", `${MAPS}/${name}`);
      expect(read.body.metadata.resourceVersion).toBe(made.body.metadata.resourceVersion);
      const list = await at(round + 1).call("GET", MAPS);
      expect(versionOf(list.body)).toBeGreaterThanOrEqual(versionOf(made.body));
      expect(list.body.items?.map(({ metadata }) => metadata.name)).toContain(name);
      expect((await at(round + 1).call("POST", MAPS, { metadata: { name } })).status).toBe(409);
    }

    const services = await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        at(index).call("POST", SERVICES, {
          metadata: { name: `service-${index}` },
          spec: { type: "NodePort", ports: [{ port: 80 }], selector: { app: "web" } },
        }),
      ),
    );
    expect(new Set(services.map(({ status }) => status))).toEqual(new Set([201]));
    const specs = services.map(({ body }) => (body as unknown as { spec: ServiceSpec }).spec);
    expect(new Set(specs.map(({ clusterIP }) => clusterIP)).size).toBe(60);
    expect(new Set(specs.map(({ ports }) => ports[0]?.nodePort)).size).toBe(60);
    for (const server of servers) await server.kill();
  });
});

interface ServiceSpec {
  readonly clusterIP: string;
  readonly ports: readonly { readonly nodePort: number }[];
}
