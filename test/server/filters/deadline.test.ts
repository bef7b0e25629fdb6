import { describe, expect, test } from "vitest";
import { builtInApi } from "../../../src/api/facts/index.js";
import { deferred } from "../../../src/base/async/deferred.js";
import { ManualClock } from "../../../src/base/time/manual-clock.js";
import { deadline } from "../../../src/server/filters/deadline.js";
import { type ApiRequest, newApiRequest } from "../../../src/server/request/api-request.js";

const POD = "/api/v1/namespaces/default/pods/web";
const MINUTE = 60_000;

/** A request that its handler has answered and goes on with, and what becomes of it. */
function sent(target: string, method = "GET", most?: number) {
  const { promise: held, resolve: release } = deferred<void>();
  const clock = new ManualClock(0);
  const [path = "", query] = target.split("?");
  const exchange: ApiRequest["exchange"] = {
    method,
    path,
    query: new URLSearchParams(query),
    uri: target,
    headers: {},
    remoteAddress: "",
    signal: new AbortController().signal,
    responded: true,
    body: () => Promise.resolve(new Uint8Array()),
    async *bodyChunks() {},
    respond: () => ({ write: () => Promise.resolve(), end: () => Promise.resolve() }),
  };
  let passed: ApiRequest | undefined;
  const handle = deadline(
    { start: (after, callback) => clock.start(after, callback) },
    most,
  )(async (request) => {
    passed = request;
    await held;
  });
  const ended = handle(newApiRequest(exchange, builtInApi(), 0, "id")).then(
    () => "answered",
    (error: Error) => error.message,
  );
  return {
    ended,
    release,
    wait(milliseconds: number): void {
      const until = clock.now() + milliseconds;
      while (clock.fireNext(until));
      clock.moveTo(until);
    },
    isCancelled: () => passed?.isCancelled,
  };
}

test.each(["exec", "attach", "portforward", "log?follow=true", "proxy/events", "exec?timeout=1s", "log?timeout=soon"])(
  "C-CFG-02: a request for %s has no time limit",
  async (subresource) => {
    const request = sent(`${POD}/${subresource}`);
    request.wait(60 * MINUTE);
    expect(request.isCancelled()).toBe(false);
    request.release();
    expect(await request.ended).toBe("answered");
  },
);

test.each([
  ["", MINUTE],
  ["?timeout=5s", 5000],
  ["?timeout=1h", MINUTE],
])("a GET with the query %j ends by its time limit", async (query, limit) => {
  const request = sent(`${POD}${query}`);
  request.wait(limit - 1);
  expect(request.isCancelled()).toBe(false);
  request.wait(1);
  expect(request.isCancelled()).toBe(true);
  expect(await request.ended).toBe("Timeout: request did not complete within the allotted timeout");
});

describe("a write and its webhooks have 34 seconds", () => {
  const OWN = "Timeout: request did not complete within requested timeout - context deadline exceeded";
  const ASKED = "Timeout: request did not complete within the allotted timeout";

  test.each([
    ["POST", "", 34_000, OWN],
    ["PUT", "", 34_000, OWN],
    ["PATCH", "?timeout=50s", 34_000, OWN],
    ["DELETE", "?timeout=5s", 5000, ASKED],
    ["POST", "/binding", 34_000, OWN],
  ])("%s %j", async (method, rest, limit, text) => {
    const request = sent(`${POD}${rest}`, method);
    request.wait(limit - 1);
    expect(request.isCancelled()).toBe(false);
    request.wait(1);
    expect(request.isCancelled()).toBe(true);
    expect(await request.ended).toBe(text);
  });

  test("except for a connection into a pod", async () => {
    const request = sent(`${POD}/exec`, "POST");
    request.wait(60 * MINUTE);
    expect(request.isCancelled()).toBe(false);
    request.release();
    expect(await request.ended).toBe("answered");
  });
});

test("a request without a time limit of its own ends after the server's requestTimeout (T21)", async () => {
  const request = sent("/api/v1/pods", "GET", 5000);
  request.wait(5000);
  expect(await request.ended).toContain("request did not complete within the allotted timeout");
});
