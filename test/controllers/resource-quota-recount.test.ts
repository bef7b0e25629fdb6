import { describe, expect, test } from "vitest";
import { ONE, type Usage } from "../../src/api/quota/usage.js";
import type { ResourceQuota } from "../../src/api/types/core/v1.js";
import { recount, type RecountSources } from "../../src/controllers/resource-quota/recount.js";
import type { ApiObject } from "../../src/machinery/meta/object.js";
import { seededRandom } from "../helpers/seeded-random.js";

const LIMIT = 5;

/** A store, writers that charge before they create, and recounts; each step is one read or write of the store. */
class Model {
  version = 1;
  used = 0;
  most = 0;
  readonly open = new Set<number>();
  readonly objects = new Set<number>();

  /** Each yield is a place where anything else may happen. */
  async *write(id: number, fails: boolean): AsyncGenerator<void> {
    for (;;) {
      const { version, used } = this;
      if (used >= LIMIT) break;
      yield;
      this.open.add(id);
      yield;
      if (version !== this.version) continue;
      this.used = used + 1;
      this.version++;
      yield;
      if (!fails) {
        this.objects.add(id);
        this.most = Math.max(this.most, this.objects.size);
      }
      yield;
      break;
    }
    this.open.delete(id);
  }

  async *remove(id: number): AsyncGenerator<void> {
    yield;
    this.objects.delete(id);
  }

  async *recount(knowsOpen: boolean): AsyncGenerator<void> {
    const sources = this.sources(knowsOpen);
    const quota = (await sources.quota()) as ResourceQuota;
    yield;
    const open = await sources.open(quota);
    yield;
    const objects = await sources.objects(quota);
    const counted = await recount(
      { quota: async () => quota, open: async () => open, objects: async () => objects },
      0,
    );
    yield;
    if (counted?.status === undefined || quota.metadata?.resourceVersion !== String(this.version)) return;
    this.used = Number(counted.status.used?.["secrets"]);
    this.version++;
  }

  sources(knowsOpen = true): RecountSources {
    const hard = { secrets: String(LIMIT) };
    return {
      quota: async () => ({
        metadata: { name: "q", resourceVersion: String(this.version) },
        spec: { hard },
        status: { hard, used: { secrets: String(this.used) } },
      }),
      async open() {
        const sum: Usage = new Map();
        return sum;
      },
      objects: async () => new Map([["secrets", [...this.objects].map((): ApiObject => ({}) as ApiObject)]]),
      ...(knowsOpen && {
        open: async () =>
          new Map(this.open.size === 0 ? [] : [["secrets", { ...ONE, unscaled: BigInt(this.open.size) }]]),
      }),
    };
  }
}

/** Plays one history. Returns the most objects there were, and what the quota says in the end beside what there is. */
async function play(seed: string, knowsOpen: boolean): Promise<{ most: number; used: number; objects: number }> {
  const random = seededRandom(seed);
  const below = (count: number): number => {
    const [high = 0, low = 0] = random.bytes(2);
    return (high * 256 + low) % count;
  };
  const model = new Model();
  const running: AsyncGenerator<void>[] = [];
  let ids = 0;
  for (let step = 0; step < 300; step++) {
    const choice = below(8);
    if (choice < 2) running.push(model.write(ids++, below(5) === 0));
    else if (choice === 2) running.push(model.recount(knowsOpen));
    else if (choice === 3 && below(2) === 0) running.push(model.remove([...model.objects][0] ?? -1));
    if (running.length === 0) continue;
    const at = below(running.length);
    if ((await running[at]?.next())?.done === true) running.splice(at, 1);
  }
  for (const one of running) while ((await one.next()).done !== true);
  const last = model.recount(knowsOpen);
  while ((await last.next()).done !== true);
  return { most: model.most, used: model.used, objects: model.objects.size };
}

const seeds = Array.from({ length: 500 }, (_, n) => `recount ${n}`);

describe("a quota while clients write and delete and the controller recounts in random order", () => {
  test("is never exceeded, and its usage is right at the end", async () => {
    for (const seed of seeds) {
      const { most, used, objects } = await play(seed, true);
      expect(most, seed).toBeLessThanOrEqual(LIMIT);
      expect(used, seed).toBe(objects);
    }
  });

  test("would be exceeded if a recount ignored the charges of unfinished writes", async () => {
    const most = await Promise.all(seeds.map(async (seed) => (await play(seed, false)).most));
    expect(Math.max(...most)).toBeGreaterThan(LIMIT);
  });
});
