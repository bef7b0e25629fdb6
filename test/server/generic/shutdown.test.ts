import { afterEach, describe, expect, test } from "vitest";
import { systemClock } from "../../../src/base/time/clock.js";
import { deferred } from "../../../src/base/async/deferred.js";
import { LIFE_CYCLE_EVENTS, LifeCycle } from "../../../src/server/generic/life-cycle.js";
import { createServer, type Server } from "../../../src/server/generic/server.js";
import type { Conduct } from "../../../src/server/generic/server-config.js";
import { createStorage } from "../../../src/server/storage/create-storage.js";
import { openMemoryKv } from "../../../src/server/storage/memory/memory-kv.js";
import { call } from "../../helpers/api-caller.js";
import { seededRandom } from "../../helpers/seeded-random.js";
import { COLLECTION, widgets } from "../api-registry/widgets.js";

/** A server whose timers the test fires, and the events of its life. */
function started(conduct: Conduct) {
  const events: string[] = [];
  const due: { readonly delay: number; readonly fire: () => void }[] = [];
  const slow = deferred<void>();
  const storage = createStorage({ kv: openMemoryKv(), clock: systemClock, compactionSeconds: 0 });
  const server: Server = createServer(
    {
      storage,
      records: [],
      resources: [widgets],
      runtimeConfig: { "api/all": false },
      clock: systemClock,
      random: seededRandom("shutdown"),
      requestRandom: seededRandom("shutdown"),
      tokens: [],
      serverAddress: () => "",
      timers: {
        start(delay, fire) {
          const timer = { delay, fire };
          due.push(timer);
          return () => void (due.includes(timer) && due.splice(due.indexOf(timer), 1));
        },
      },
      filters: [
        {
          name: "slow",
          filter: (next) => async (request) => {
            if (request.exchange.query.has("slow")) await slow.promise;
            return next(request);
          },
        },
      ],
      conduct,
    },
    (event) => events.push(event),
  );
  const fire = (delay: number) => {
    for (const timer of due.filter((one) => one.delay === delay)) timer.fire();
  };
  closing.push(async () => {
    slow.resolve();
    await server.stop();
    await storage.close();
  });
  return {
    server,
    events,
    fire,
    slow,
    api: server.transport({ commonName: "admin", organizations: ["system:masters"] }),
  };
}

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

describe("a life-cycle event of the server", () => {
  test("SHUT-2: has a name, happens once however often it is signalled, and releases all that wait for it", async () => {
    const told: string[] = [];
    const life = new LifeCycle((event) => told.push(event));
    expect(life.has("HasBeenReady")).toBe(false);
    const before = life.when("HasBeenReady");
    life.signal("HasBeenReady");
    life.signal("HasBeenReady");
    await Promise.all([before, life.when("HasBeenReady")]);
    expect([told, life.has("HasBeenReady"), life.has("ShutdownInitiated")]).toEqual([["HasBeenReady"], true, false]);
    expect(LIFE_CYCLE_EVENTS).toHaveLength(8);
  });
});

describe("a server that stops", () => {
  const DELAY = 7001;
  const GRACE = 9001;

  test("SHUT-4: waits for its delay and its hooks at the same time; it refuses requests when both are over", async () => {
    const { server, events, fire, api } = started({ shutdownDelay: DELAY });
    const hooks = deferred<void>();
    const stopped = server.stop(() => hooks.promise);
    expect(events).toEqual(["ShutdownInitiated"]);
    hooks.resolve();
    await server.lifeCycle.when("PreShutdownHooksStopped");
    expect(events).toEqual(["ShutdownInitiated", "PreShutdownHooksStopped"]);
    expect((await call(api, "GET", COLLECTION)).status).toBe(200);
    fire(DELAY);
    await stopped;
    expect(events.slice(2)).toEqual([
      "AfterShutdownDelayDuration",
      "NotAcceptingNewRequest",
      "InFlightRequestsDrained",
    ]);
    expect((await call(api, "GET", COLLECTION).catch(() => undefined))?.status).not.toBe(200);
  });

  test("SHUT-4: waits for hooks that last longer than the delay", async () => {
    const { server, events, fire } = started({ shutdownDelay: DELAY });
    const hooks = deferred<void>();
    const stopped = server.stop(() => hooks.promise);
    fire(DELAY);
    await server.lifeCycle.when("AfterShutdownDelayDuration");
    expect(events).toEqual(["ShutdownInitiated", "AfterShutdownDelayDuration"]);
    hooks.resolve();
    await stopped;
    expect(events.slice(2)).toEqual(["PreShutdownHooksStopped", "NotAcceptingNewRequest", "InFlightRequestsDrained"]);
  });

  test("SHUT-4, SHUT-5: has drained its requests when those under way are answered and the watches have ended", async () => {
    const { server, events, fire, slow, api } = started({ shutdownWatchTerminationGracePeriod: GRACE });
    const watch = call(api, "GET", `${COLLECTION}?watch=true&timeoutSeconds=3000`);
    const under = call(api, "GET", `${COLLECTION}?slow=1`);
    // The server has both when it answers what came after them.
    await call(api, "GET", "/version");
    const stopped = server.stop();
    await server.lifeCycle.when("NotAcceptingNewRequest");
    expect(events).not.toContain("InFlightRequestsDrained");
    fire(0);
    expect((await watch).status).toBe(200);
    expect(events).not.toContain("InFlightRequestsDrained");
    slow.resolve();
    expect((await under).status).toBe(200);
    await stopped;
    expect(events.at(-1)).toBe("InFlightRequestsDrained");
  });
});
