import { afterEach, beforeEach, expect, test } from "vitest";
import type { Fence } from "../../../src/server/generic/transport/in-process.js";
import type { Kv } from "../../../src/server/storage/kv.js";
import { openMemoryKv } from "../../../src/server/storage/memory/memory-kv.js";
import { type AdmittingServer, admittingServer, done } from "../../helpers/admitting-server.js";
import { call } from "../../helpers/api-caller.js";

const MAPS = "/api/v1/namespaces/default/configmaps";
const OVER = "the sender's term as the leader is over";

/** A fence as an election has it: whether it is open is measured when it is asked, and the signal may come later. */
class TestFence implements Fence {
  readonly #closing = new AbortController();
  readonly passedOn: string[] = [];
  #open = true;

  get closed(): AbortSignal {
    return this.#closing.signal;
  }

  isOpen(): boolean {
    return this.#open;
  }

  passed({ method, path }: { method: string; path: string }): void {
    this.passedOn.push(`${method} ${path}`);
  }

  /** The deadline has passed, and no timer has fired yet. */
  expire(): void {
    this.#open = false;
  }

  close(): void {
    this.expire();
    this.#closing.abort();
  }
}

let server: AdmittingServer;
let fence: TestFence;
/** Called while the plugin validates an object. */
let validating: () => void;

beforeEach(async () => {
  fence = new TestFence();
  validating = () => {};
  const plugin = {
    name: "Observing",
    handles: () => true,
    validate: () => {
      validating();
      return Promise.resolve();
    },
  };
  server = await admittingServer({ plugins: [{ plugin }] });
});
afterEach(() => server[Symbol.asyncDispose]());

const create = (name: string) => call(server.fenced(fence), "POST", MAPS, { metadata: { name } });
const names = async (): Promise<unknown> => {
  const { items } = JSON.parse((await call(server.api, "GET", MAPS)).text) as {
    items: { metadata: { name: string } }[];
  };
  return items.map(({ metadata }) => metadata.name);
};

test("before a leader's term has ended, its requests are handled, and the fence sees each", async () => {
  expect((await create("one")).status).toBe(201);
  expect(await names()).toEqual(["one"]);
  expect(fence.passedOn).toEqual([`POST ${MAPS}`]);
});

test("after a leader's term has ended, a request that it sends reaches no handler", async () => {
  fence.expire();
  await expect(create("late")).rejects.toThrow(OVER);
  expect([server.requests.length, fence.passedOn]).toEqual([0, []]);
  expect(await names()).toEqual([]);
});

test("when a leader's term ends before the handling of a request begins, the request reaches no handler", async () => {
  const sent = create("late");
  fence.expire();
  await expect(sent).rejects.toThrow(OVER);
  expect([server.requests.length, fence.passedOn]).toEqual([0, []]);
});

test("when a leader's term ends before the storage gets its write, nothing is stored, though no signal has aborted", async () => {
  validating = () => fence.expire();
  await expect(create("late")).rejects.toThrow();
  expect(await names()).toEqual([]);
});

test("when a leader's term ends, a write that was charged to a quota is not stored, and the charge is taken back", async () => {
  const memory = openMemoryKv();
  const kv: Kv = {
    freshness: memory.freshness,
    create: (...args) => memory.create(...args),
    get: (key) => memory.get(key),
    list: (...args) => memory.list(...args),
    async update(key, ...args) {
      const written = await memory.update(key, ...args);
      if (key.startsWith("/registry/resourcequotas/") && charging) fence.expire();
      return written;
    },
    delete: (...args) => memory.delete(...args),
    watch: (...args) => memory.watch(...args),
    compact: (revision) => memory.compact(revision),
    count: (prefix) => memory.count(prefix),
    currentRevision: () => memory.currentRevision(),
    check: () => memory.check(),
    close: () => memory.close(),
  };
  let charging = false;
  await using charged = await admittingServer({}, kv);
  const quotas = "/api/v1/namespaces/default/resourcequotas";
  const hard = { "count/configmaps": "5" };
  await done(charged.api, "POST", quotas, { metadata: { name: "quota" }, spec: { hard } });
  const status = { hard, used: { "count/configmaps": "0" } };
  await done(charged.api, "PATCH", `${quotas}/quota/status`, { status }, "application/merge-patch+json");
  charging = true;
  const late = call(charged.fenced(fence), "POST", MAPS, { metadata: { name: "late" } });
  await expect(late).rejects.toThrow();
  expect(fence.isOpen()).toBe(false);
  expect((await call(charged.api, "GET", `${MAPS}/late`)).status).toBe(404);
  const { kv: open } = await memory.get("/registry/quotacharges/open");
  expect(Buffer.from(open?.value ?? []).toString()).not.toContain("count/configmaps");
});

test("when a leader's term ends, its open watches end", async () => {
  const watch = await server.fenced(fence).send({ method: "GET", path: `${MAPS}?watch=1`, headers: {} });
  const ended = (async () => {
    for await (const _ of watch.body);
  })();
  fence.close();
  await expect(ended).rejects.toThrow(OVER);
});
