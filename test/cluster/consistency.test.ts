import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Transport } from "../../src/client/transport/transport.js";
import { type Cluster, startCluster } from "../../src/cluster/index.js";
import { pathApi } from "../helpers/path-api.js";
import type { KubeObject } from "../../src/machinery/meta/object.js";
import { type Answer, call } from "../helpers/api-caller.js";
import { eventually } from "../helpers/eventually.js";

const MAPS = "/api/v1/namespaces/default/configmaps";
const MERGE = { type: "application/merge-patch+json" };
const WRITERS = 8;
const STEPS = 50;

interface Seen {
  readonly type: string;
  readonly name: string;
  readonly revision: number;
  readonly on: string | undefined;
}

const versionOf = (answer: Answer): number => Number(answer.at("metadata.resourceVersion"));

/** Notes everything a watch tells from `from` on until `signal` aborts; it leaves and comes back now and then. */
async function follow(
  api: Transport,
  selector: string,
  from: string,
  { seen, signal }: { readonly seen: Seen[]; readonly signal: AbortSignal },
): Promise<void> {
  let version = from;
  while (!signal.aborted) {
    const leave = new AbortController();
    const end = () => leave.abort();
    signal.addEventListener("abort", end, { once: true });
    let count = 0;
    try {
      const path = `${MAPS}?watch=true&resourceVersion=${version}${selector}`;
      for await (const { type, object } of pathApi(api, "test").watch(path, leave.signal)) {
        version = object.metadata?.resourceVersion ?? "";
        seen.push(noted(type, object));
        if (++count === 25) break;
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      signal.removeEventListener("abort", end);
    }
  }
}

function noted(type: string, { metadata = {} }: KubeObject): Seen {
  return { type, name: metadata.name ?? "", revision: Number(metadata.resourceVersion), on: metadata.labels?.["on"] };
}

/** What a watch of some objects must tell when one of all objects tells `all`. */
function selected(all: readonly Seen[], wanted: (seen: Seen) => boolean): readonly string[] {
  const inside = new Set<string>();
  return all.flatMap((seen) => {
    const { type, name, revision } = seen;
    const before = inside.has(name);
    if (type !== "DELETED" && wanted(seen)) {
      inside.add(name);
      return [`${before ? "MODIFIED" : "ADDED"} ${name} ${revision}`];
    }
    inside.delete(name);
    return before ? [`DELETED ${name} ${revision}`] : [];
  });
}

const lines = (seen: readonly Seen[]) => seen.map(({ type, name, revision }) => `${type} ${name} ${revision}`);

/** One of eight that work on the same five names. Answers the revisions that were acknowledged. */
async function write(api: Transport, writer: number): Promise<readonly number[]> {
  const acknowledged: number[] = [];
  for (let step = 0; step < STEPS; step++) {
    const name = `map-${(writer * 7 + step) % 5}`;
    const data = { value: `${writer}-${step}` };
    const metadata = { name, labels: { on: step % 3 === 0 ? "yes" : "no" } };
    switch ((writer + step) % 4) {
      case 0: {
        const made = await call(api, "POST", MAPS, { metadata, data });
        if (made.status !== 201) break;
        acknowledged.push(versionOf(made));
        expect(versionOf(await call(api, "GET", MAPS))).toBeGreaterThanOrEqual(versionOf(made));
        break;
      }
      case 1: {
        const patched = await call(api, "PATCH", `${MAPS}/${name}`, { metadata, data }, MERGE);
        if (patched.status !== 200) break;
        acknowledged.push(versionOf(patched));
        expect(patched.at("data.value")).toBe(data.value);
        const now = await call(api, "GET", `${MAPS}/${name}`);
        if (now.status === 200) expect(versionOf(now)).toBeGreaterThanOrEqual(versionOf(patched));
        break;
      }
      case 2: {
        const read = await call(api, "GET", `${MAPS}/${name}`);
        if (read.status !== 200) break;
        const put = await call(api, "PUT", `${MAPS}/${name}`, { ...(JSON.parse(read.text) as KubeObject), data });
        if (put.status === 200) acknowledged.push(versionOf(put));
        if (put.status !== 409) break;
        const now = await call(api, "GET", `${MAPS}/${name}`);
        // What was refused as stale is not what the next read shows.
        if (now.status === 200) expect(versionOf(now)).toBeGreaterThan(versionOf(read));
        break;
      }
      default:
        await call(api, "DELETE", `${MAPS}/${name}`);
    }
  }
  return acknowledged;
}

describe.each(["memory", "disk"] as const)("the API over %s storage", (storage) => {
  test("shows writers, readers and restarted watchers one history", async () => {
    const dataDir = await mkdtemp(join(tmpdir(), "kubets-consistency-"));
    const cluster: Cluster = await startCluster({ port: false, storage, dataDir });
    try {
      const api = cluster.transport();
      const from = String(versionOf(await call(api, "GET", MAPS)));
      const done = new AbortController();
      const [all, on, one]: [Seen[], Seen[], Seen[]] = [[], [], []];
      const { signal } = done;
      const watches = [
        follow(api, "", from, { seen: all, signal }),
        follow(api, "&labelSelector=on%3Dyes", from, { seen: on, signal }),
        follow(api, "&fieldSelector=metadata.name%3Dmap-0", from, { seen: one, signal }),
      ];
      const written = await Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(api, writer)));
      // Each watch has told everything when it tells the last change that it selects.
      await call(api, "DELETE", `${MAPS}/map-0`);
      const last = versionOf(await call(api, "POST", MAPS, { metadata: { name: "map-0", labels: { on: "yes" } } }));
      await eventually(() => {
        expect([all, on, one].map((seen) => seen.some(({ revision }) => revision === last))).toEqual([
          true,
          true,
          true,
        ]);
      });
      done.abort();
      await Promise.all(watches);
      const revisions = all.map(({ revision }) => revision);
      expect(revisions).toEqual([...new Set(revisions)].toSorted((a, b) => a - b));
      expect(written.flat().filter((revision) => !revisions.includes(revision))).toEqual([]);
      expect(lines(all)).toEqual(selected(all, () => true));
      expect(lines(on)).toEqual(selected(all, (seen) => seen.on === "yes"));
      expect(lines(one)).toEqual(selected(all, ({ name }) => name === "map-0"));
    } finally {
      await cluster.close();
      await rm(dataDir, { recursive: true, force: true });
    }
  });

  test("shows one state in all pages of a list, even with writes between them", async () => {
    const dataDir = await mkdtemp(join(tmpdir(), "kubets-consistency-"));
    const cluster = await startCluster({ port: false, storage, dataDir });
    try {
      const api = cluster.transport();
      const names = Array.from({ length: 20 }, (_, index) => `page-${String(index).padStart(2, "0")}`);
      for (const name of names) await call(api, "POST", MAPS, { metadata: { name } });
      const listed: (string | undefined)[] = [];
      const versions = new Set<number>();
      let next = "";
      do {
        const page = await call(api, "GET", `${MAPS}?limit=3&continue=${next}`);
        const { items } = JSON.parse(page.text) as { items: KubeObject[] };
        listed.push(...items.map(({ metadata }) => metadata?.name));
        versions.add(versionOf(page));
        next = (page.at("metadata.continue") as string | undefined) ?? "";
        await call(api, "DELETE", `${MAPS}/${names.at(-listed.length)}`);
        await call(api, "POST", MAPS, { metadata: { name: `page-00-${listed.length}` } });
      } while (next !== "");
      expect(listed.filter((name) => name?.startsWith("page-"))).toEqual(names);
      expect(versions.size).toBe(1);
    } finally {
      await cluster.close();
      await rm(dataDir, { recursive: true, force: true });
    }
  });
});
