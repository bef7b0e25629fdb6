import { builtInApi } from "../../../src/api/facts/index.js";
import { expect, test } from "vitest";
import { notFound } from "../../../src/machinery/errors/status-error.js";
import { respondStatus } from "../../../src/server/endpoints/verbs/answer.js";
import { panicRecovery } from "../../../src/server/filters/panic-recovery.js";
import { newApiRequest } from "../../../src/server/request/api-request.js";
import type { Exchange } from "../../../src/server/request/exchange.js";

interface Outcome {
  readonly status: number | undefined;
  readonly reported: number;
}

/** What becomes of a request whose handler throws `error`. */
async function outcome(error: unknown, signal: AbortSignal): Promise<Outcome> {
  let status: number | undefined;
  let reported = 0;
  const exchange: Exchange = {
    method: "GET",
    path: "/api/v1/nodes/n",
    query: new URLSearchParams(),
    uri: "/api/v1/nodes/n",
    headers: {},
    remoteAddress: "",
    signal,
    responded: false,
    body: () => Promise.resolve(new Uint8Array()),
    async *bodyChunks() {},
    respond(code) {
      status = code;
      return { write: () => Promise.resolve(), end: () => Promise.resolve() };
    },
  };
  const handle = panicRecovery(() => reported++, respondStatus)(() => Promise.reject(error));
  await handle(newApiRequest(exchange, builtInApi(), 0, "id"));
  return { status, reported };
}

const gone = notFound({ group: "", resource: "nodes" }, "n");

test("an error that refuses a request is answered, and not reported", async () => {
  expect(await outcome(gone, new AbortController().signal)).toEqual({ status: 404, reported: 0 });
});

test("C-HND-04: an unexpected error is answered 500 and reported", async () => {
  expect(await outcome(new TypeError("x"), new AbortController().signal)).toEqual({ status: 500, reported: 1 });
});

test("an accepted request is still answered while the server stops", async () => {
  expect(await outcome(gone, AbortSignal.abort())).toEqual({ status: 404, reported: 0 });
});
