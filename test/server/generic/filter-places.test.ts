import { expect, test } from "vitest";
import { startServer } from "../../../src/cluster/start-server.js";
import type { FilterName, OwnFilter } from "../../../src/server/filters/own-filter.js";
import { call } from "../../helpers/api-caller.js";
import { COLLECTION, widgets } from "../api-registry/widgets.js";

const ORDER: readonly FilterName[] = [
  "panic-recovery",
  "hsts",
  "retry-after",
  "availability",
  "goaway",
  "deadline",
  "watch-termination",
  "cors",
  "authentication",
  "max-in-flight",
  "impersonation",
  "authorization",
];

test("B-CHN-01, C-CFG-10: a request passes the filters in kube-apiserver's order, and a caller's filter at its place", async () => {
  const seen: string[] = [];
  const recorder = (before: FilterName): OwnFilter => ({
    name: `before ${before}`,
    before,
    filter: (next) => (request) => {
      seen.push(before);
      return next(request);
    },
  });
  await using server = await startServer({
    port: false,
    resources: [widgets],
    filters: ORDER.toReversed().map(recorder),
    conduct: {
      strictTransportSecurity: ["max-age=1"],
      shutdownSendRetryAfter: true,
      goawayChance: 0.01,
      shutdownWatchTerminationGracePeriod: 1,
      corsAllowedOrigins: ["^https://shop$"],
    },
  });
  const answer = await call(server.transport(), "GET", COLLECTION);
  expect([answer.status, seen]).toEqual([200, ORDER]);
  expect(answer.headers["cache-control"]).toBe("no-cache, private");
});

test("B-CHN-01: a filter that answers ends the chain of filters", async () => {
  const filter: OwnFilter["filter"] = () => (request) =>
    request.exchange
      .respond(204, {})
      .end()
      .then(() => {});
  await using server = await startServer({ port: false, filters: [{ name: "answers", before: "deadline", filter }] });
  expect((await call(server.transport(), "GET", "/readyz")).status).toBe(204);
});
