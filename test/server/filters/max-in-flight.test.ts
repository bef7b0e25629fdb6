import { expect, test } from "vitest";
import { builtInApi } from "../../../src/api/facts/index.js";
import { REQUEST_IS_OVER } from "../../../src/base/async/cancellation.js";
import { type Deferred, deferred } from "../../../src/base/async/deferred.js";
import type { Timers } from "../../../src/base/time/timers.js";
import { maxInFlight } from "../../../src/server/filters/max-in-flight.js";
import { type ApiRequest, newApiRequest } from "../../../src/server/request/api-request.js";

const PODS = "/api/v1/namespaces/default/pods";

interface Sent {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
}

/** A request on its way, and what ends it. */
interface Underway {
  readonly path: string;
  readonly ended: Promise<Sent | "cancelled">;
  /** Lets the handler end, once it runs. */
  readonly hold: Deferred<void>;
  leave(): void;
}

/** The filter before a handler that holds every request until the test lets it go. */
class Gate {
  /** The paths of the requests that run. */
  readonly running: string[] = [];
  /** What ends the patience of those that wait. */
  readonly timeouts = new Set<() => void>();
  readonly #handle;
  readonly #holds = new Map<ApiRequest["exchange"], Deferred<void>>();

  constructor(readOnly: number, mutating: number) {
    const timers: Timers = {
      start: (_, callback) => {
        this.timeouts.add(callback);
        return () => this.timeouts.delete(callback);
      },
    };
    this.#handle = maxInFlight(timers, { readOnly, mutating })(async ({ exchange }) => {
      this.running.push(exchange.path);
      await this.#holds.get(exchange)?.promise;
      this.running.splice(this.running.indexOf(exchange.path), 1);
      await exchange.respond(200, {}).end();
    });
  }

  send(user: string, method: string, target: string, groups: readonly string[] = []): Underway {
    const ending = new AbortController();
    const [path = "", query] = target.split("?");
    const sent = { status: undefined as number | undefined, headers: {}, text: "" };
    const exchange: ApiRequest["exchange"] = {
      method,
      path,
      query: new URLSearchParams(query),
      uri: target,
      headers: {},
      remoteAddress: "",
      signal: ending.signal,
      get left() {
        return ending.signal.aborted;
      },
      responded: false,
      body: () => Promise.resolve(new Uint8Array()),
      async *bodyChunks() {},
      respond(status, headers) {
        Object.assign(sent, { status, headers });
        const write = async (chunk?: Uint8Array): Promise<void> => {
          sent.text += Buffer.from(chunk ?? []).toString();
        };
        return { write, end: write };
      },
    };
    const hold = deferred<void>();
    this.#holds.set(exchange, hold);
    const request = newApiRequest(exchange, builtInApi(), 0, "id").with({ user: { name: user, groups } });
    const ended = this.#handle(request).then(
      () => sent,
      (error: unknown) => {
        if (error !== REQUEST_IS_OVER) throw error;
        return "cancelled" as const;
      },
    );
    return { path, hold, ended, leave: () => ending.abort() };
  }
}

const turn = (): Promise<void> => new Promise(setImmediate);

test("one user gets at most half of the request places while others wait", async () => {
  const gate = new Gate(4, 1);
  const jane = Array.from({ length: 5 }, (_, index) => gate.send("jane", "GET", `${PODS}/jane-${index}`));
  const bob = Array.from({ length: 3 }, (_, index) => gate.send("bob", "GET", `${PODS}/bob-${index}`));
  const eve = gate.send("eve", "GET", `${PODS}/eve`);
  await turn();
  expect(gate.running).toEqual([jane[0], jane[1], bob[0], bob[1]].map((one) => one?.path));
  jane[0]?.hold.resolve();
  await turn();
  expect(gate.running).toEqual([jane[1], bob[0], bob[1], jane[2]].map((one) => one?.path));
  jane[1]?.hold.resolve();
  await turn();
  // Bob has his half; it is eve's turn.
  expect(gate.running).toEqual([bob[0], bob[1], jane[2], eve].map((one) => one?.path));
  for (const one of [...jane, ...bob, eve]) one.hold.resolve();
  const all = await Promise.all([...jane, ...bob, eve].map(({ ended }) => ended));
  expect(all.map((sent) => sent !== "cancelled" && sent.status)).toEqual(all.map(() => 200));
});

test("FLT-5: reads and writes have separate limits", async () => {
  const gate = new Gate(1, 1);
  const sent = [gate.send("jane", "POST", PODS), gate.send("jane", "GET", PODS), gate.send("jane", "DELETE", PODS)];
  await turn();
  expect(gate.running).toEqual([PODS, PODS]);
  for (const { hold } of sent) hold.resolve();
  await Promise.all(sent.map(({ ended }) => ended));
});

test("a thousand list requests at once are all answered", async () => {
  const gate = new Gate(400, 200);
  const lists = Array.from({ length: 1000 }, () => gate.send("jane", "GET", PODS));
  await turn();
  expect(gate.running).toHaveLength(200);
  for (const { hold } of lists) hold.resolve();
  const answers = await Promise.all(lists.map(({ ended }) => ended));
  expect(new Set(answers.map((answer) => answer !== "cancelled" && answer.status))).toEqual(new Set([200]));
});

const REFUSED: Sent = {
  status: 429,
  headers: {
    "cache-control": "no-cache, private",
    "audit-id": "id",
    "content-type": "text/plain; charset=utf-8",
    "x-content-type-options": "nosniff",
    "retry-after": "1",
    "content-length": "43",
  },
  text: "Too many requests, please try again later.\n",
};

test("FLT-5, HTTP-2: a request beyond the waiting places is refused in kube-apiserver's words, and another user's is not", async () => {
  const gate = new Gate(2, 1);
  const waiting = Array.from({ length: 2001 }, () => gate.send("jane", "GET", PODS));
  expect(await gate.send("jane", "GET", PODS).ended).toEqual(REFUSED);
  const other = gate.send("bob", "GET", PODS);
  await turn();
  expect(gate.running).toHaveLength(2);
  for (const { hold } of [...waiting, other]) hold.resolve();
  expect(await other.ended).toMatchObject({ status: 200 });
});

test("a request that has waited too long is refused, and a request whose client disconnects frees its place", async () => {
  const gate = new Gate(1, 1);
  const first = gate.send("jane", "GET", PODS);
  const [late, gone, next] = [
    gate.send("jane", "GET", PODS),
    gate.send("jane", "GET", PODS),
    gate.send("jane", "GET", `${PODS}/next`),
  ];
  expect(gate.timeouts.size).toBe(3);
  const [timeout] = gate.timeouts;
  timeout?.();
  expect(await late.ended).toEqual(REFUSED);
  gone.leave();
  expect(await gone.ended).toBe("cancelled");
  first.hold.resolve();
  await turn();
  expect(gate.running).toEqual([next.path]);
  expect(gate.timeouts.size).toBe(0);
  next.hold.resolve();
  await next.ended;
});

test.each([
  ["a watch", `${PODS}?watch=true`, "GET", []],
  ["an exec", `${PODS}/p/exec`, "POST", []],
  ["an attach", `${PODS}/p/attach`, "POST", []],
  ["a port-forward", `${PODS}/p/portforward`, "POST", []],
  ["a log", `${PODS}/p/log`, "GET", []],
  ["a proxy", `${PODS}/p/proxy/`, "GET", []],
  ["a probe", "/readyz", "GET", []],
  ["an administrator's request", PODS, "GET", ["system:masters"]],
] as const)("FLT-5, HTTP-2: %s does not count for the limit", async (_, path, method, groups) => {
  const gate = new Gate(1, 1);
  const sent = Array.from({ length: 3 }, () => gate.send("jane", method, path, groups));
  await turn();
  expect(gate.running).toHaveLength(3);
  for (const { hold } of sent) hold.resolve();
  await Promise.all(sent.map(({ ended }) => ended));
});

test("a negative limit of requests is refused, with its value and what to give", () => {
  expect(() => new Gate(10, -1)).toThrow(
    "inFlight.mutating is -1; give how many requests run at once, or 0 for no limit",
  );
});
