import { afterEach, beforeEach, expect, test } from "vitest";
import { systemClock } from "../../src/base/clock.js";
import { LongBodiesThread } from "../../src/server/long-bodies/long-bodies-thread.js";
import { newApiRequest } from "../../src/server/request/api-request.js";
import type { Exchange } from "../../src/server/request/exchange.js";
import type { Kv } from "../../src/server/storage/kv.js";
import { openMemoryKv } from "../../src/server/storage/memory/memory-kv.js";

// The thread that answers long bodies, without the server it works for.

let kv: Kv;
let thread: LongBodiesThread;

beforeEach(() => {
  kv = openMemoryKv({ clock: systemClock });
  thread = new LongBodiesThread({
    kv,
    clock: systemClock,
    runtimeConfig: {},
    upgrades: false,
    foreign: false,
    storageMediaType: "application/json",
    reportError: () => {},
  });
});

afterEach(async () => {
  await thread.close();
  await kv.close();
});

/** Creates a namespaceless object of 6,000 labels, which is too long for one turn; answers the status. */
async function create(name: string): Promise<number> {
  const labels = Object.fromEntries(Array.from({ length: 6000 }, (_, at) => [`label${at}`, ""]));
  const body = Buffer.from(JSON.stringify({ metadata: { name, labels }, provisioner: "example.com/none" }));
  let status = 0;
  const exchange: Exchange = {
    method: "POST",
    path: "/apis/storage.k8s.io/v1/storageclasses",
    query: new URLSearchParams(),
    headers: { "content-type": "application/json" },
    remoteAddress: "127.0.0.1",
    signal: new AbortController().signal,
    body: () => Promise.resolve(body),
    respond(code) {
      status = code;
      return { write: () => Promise.resolve(), end: () => Promise.resolve() };
    },
    responded: false,
  };
  await thread.answer(newApiRequest(exchange, Date.now(), "audit"), () => {
    throw new Error("a long body was not taken for one");
  });
  return status;
}

test("a body that comes while an idle thread is let go is answered by another", async () => {
  expect(await create("one")).toBe(201);
  const ending = thread.close();
  const answered = create("two");
  await ending;
  expect(await answered).toBe(201);
  expect(await create("two")).toBe(409);
});
