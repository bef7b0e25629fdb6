import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { adviceOn } from "../../src/cli/advice/advice.js";
import type { Factory } from "../../src/cli/connect/factory.js";
import { TransportError } from "../../src/client/transport/transport-error.js";
import { StatusError } from "../../src/machinery/errors/status-error.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const notFound = new StatusError({
  kind: "Status",
  apiVersion: "v1",
  metadata: {},
  status: "Failure",
  reason: "NotFound",
  code: 404,
  message: 'pods "wbe" not found',
  details: { name: "wbe", kind: "pods" },
});

/** A factory of a server that never answers; it counts how often it is asked. */
function silentFactory() {
  const asked: string[] = [];
  const never = (what: string) => () => {
    asked.push(what);
    return new Promise<never>(() => {});
  };
  const pieces = { mapper: never("mapper"), discovery: never("discovery"), restClient: never("client") };
  const rawConfig = () => Promise.reject(new Error("no kubeconfig"));
  return { asked, factory: { ...pieces, rawConfig, cwd: "/", platform: "linux" } as unknown as Factory };
}

test("printing an error waits at most two seconds for a hint", async () => {
  const { asked, factory } = silentFactory();
  const advice = adviceOn(notFound, factory, new AbortController().signal);
  await vi.advanceTimersByTimeAsync(1900);
  const late = Symbol("late");
  expect(await Promise.race([advice, Promise.resolve(late)])).toBe(late);
  await vi.advanceTimersByTimeAsync(100);
  expect(await advice).toBeUndefined();
  expect(asked).toEqual(["mapper"]);
  expect(vi.getTimerCount()).toBe(0);
});

test("a signal ends the wait for a hint; one that came before the error prevents the wait", async () => {
  const { asked, factory } = silentFactory();
  const ending = new AbortController();
  const advice = adviceOn(notFound, factory, ending.signal);
  await vi.advanceTimersByTimeAsync(0);
  ending.abort();
  expect(await advice).toBeUndefined();
  expect(await adviceOn(notFound, factory, ending.signal)).toBeUndefined();
  expect([asked, vi.getTimerCount()]).toEqual([["mapper"], 0]);
});

const unavailable = new StatusError({
  kind: "Status",
  apiVersion: "v1",
  metadata: {},
  status: "Failure",
  reason: "Timeout",
  code: 504,
  message: "timed out",
});
const silence = new TransportError("net/http: TLS handshake timeout", {
  method: "GET",
  url: "https://127.0.0.1:1/api",
});

test.each([
  ["did not answer", silence],
  ["answered too late", unavailable],
  ["did not answer, as the cause of an error", new Error("failed", { cause: silence })],
])("the lookup of hints sends nothing to a server that %s", async (_title, error) => {
  const { asked, factory } = silentFactory();
  const advice = adviceOn(new AggregateError([notFound, error]), factory, new AbortController().signal);
  await vi.advanceTimersByTimeAsync(0);
  expect(await advice).toBeUndefined();
  expect(asked).toEqual([]);
});

test("printing an error whose cause is itself ends", async () => {
  const error = new Error("round");
  error.cause = error;
  const { factory } = silentFactory();
  const advice = adviceOn(error, factory, new AbortController().signal);
  await vi.advanceTimersByTimeAsync(0);
  expect(await advice).toBeUndefined();
});
