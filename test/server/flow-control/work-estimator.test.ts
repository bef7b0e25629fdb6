import { describe, expect, test } from "vitest";
import { DroppedRequests } from "../../../src/server/flow-control/dropped-requests.js";
import { WatchCounts } from "../../../src/server/flow-control/watch-counts.js";
import { estimateWork } from "../../../src/server/flow-control/work-estimator.js";
import { formatWork, workOf } from "../../../src/server/flow-control/work.js";
import { parseRequestInfo } from "../../../src/server/request/request-info.js";
import type { Exchange } from "../../../src/server/request/exchange.js";

function asked(method: string, target: string) {
  const [path = "", search] = target.split("?");
  const query = new URLSearchParams(search);
  return { info: parseRequestInfo(method, path, query), exchange: { query } as Exchange };
}

const PODS = "/api/v1/namespaces/shop/pods";

describe("the number of seats that a request takes", () => {
  const facts = (count: number, averageBytes: number) => ({
    watches: new WatchCounts(),
    sizeOf: () => ({ count, averageBytes: () => averageBytes }),
  });

  // One seat for 100 kB that are read, 100 seats at most; from the watch cache 1 MB at most is in memory at once.
  test.each<[string, string, number, number, number]>([
    ["a get", `${PODS}/web`, 1000, 2000, 1],
    ["a short list", PODS, 10, 2000, 1],
    ["a list", PODS, 200, 2000, 4],
    ["a long list, which is streamed", PODS, 5000, 2000, 10],
    ["a page", `${PODS}?limit=100`, 5000, 2000, 2],
    ["a page at a revision, which etcd is asked for", `${PODS}?limit=2000&resourceVersion=7`, 5000, 2000, 40],
    ["the rest of a list", `${PODS}?limit=2000&continue=x`, 5000, 2000, 40],
    ["a list at a revision", `${PODS}?resourceVersion=7&resourceVersionMatch=Exact`, 50_000, 2000, 100],
    ["a list of any revision", `${PODS}?resourceVersion=0`, 5000, 2000, 10],
    ["a selection at a revision reads half", `${PODS}?limit=1&labelSelector=a&continue=x`, 1000, 2000, 10],
    ["one object by its name", `${PODS}?fieldSelector=metadata.name%3Dweb`, 5000, 2000, 1],
    ["objects of unknown size", PODS, 3, 0, 10],
    ["an empty collection", PODS, 0, 0, 1],
    ["a watch from a revision", `${PODS}?watch=1&resourceVersion=7`, 5000, 2000, 1],
    ["a watch with initial events", `${PODS}?watch=1`, 5000, 2000, 10],
    ["a watch that streams a list", `${PODS}?watch=1&resourceVersion=7&sendInitialEvents=true`, 200, 2000, 4],
    ["a limit that is none", `${PODS}?limit=x`, 5, 2000, 100],
  ])("%s", (_, target, count, bytes, seats) => {
    expect(estimateWork(asked("GET", target), facts(count, bytes), undefined).initialSeats).toBe(seats);
  });

  test("is limited by the priority level", () => {
    expect(estimateWork(asked("GET", PODS), facts(5000, 2000), 4).initialSeats).toBe(4);
  });

  test("is one for a resource of an extension server", () => {
    const unknown = { watches: new WatchCounts(), sizeOf: () => undefined };
    expect(estimateWork(asked("GET", PODS), unknown, undefined).initialSeats).toBe(1);
  });

  test("includes for a write up to ten seats for five milliseconds after its answer, for its watches", () => {
    const { watches, ...rest } = facts(0, 0);
    const write = (method: string, target: string) =>
      estimateWork(asked(method, target), { watches, ...rest }, undefined);
    const one = { initialSeats: 1, finalSeats: 0, additionalLatency: 0 };
    for (let count = 0; count < 9; count++) watches.open(asked("GET", "/api/v1/pods?watch=1"));
    expect(write("POST", PODS)).toEqual(one);
    const forget = watches.open(asked("GET", `${PODS}?watch=1`));
    expect(write("POST", PODS)).toEqual({ initialSeats: 1, finalSeats: 1, additionalLatency: 5e6 });
    expect(write("POST", "/api/v1/namespaces/other/pods")).toEqual(one);
    // The watch of a node is not told of other nodes' pods.
    watches.open(asked("GET", "/api/v1/pods?watch=1&fieldSelector=spec.nodeName%3Da"));
    expect(write("PATCH", `${PODS}/web`)).toEqual({ initialSeats: 1, finalSeats: 1, additionalLatency: 5e6 });
    forget();
    expect(write("DELETE", `${PODS}/web`)).toEqual(one);
    watches.open(asked("GET", `${PODS}?watch=1&fieldSelector=metadata.name%3Dweb`));
    expect(write("PUT", `${PODS}/web`)).toMatchObject({ finalSeats: 1 });
    expect(write("PUT", `${PODS}/api`)).toEqual(one);
    for (let count = 0; count < 240; count++) watches.open(asked("GET", `${PODS}?watch=1`));
    // 25 seats for 5 ms are 10 seats for 12.5 ms.
    expect(write("PUT", `${PODS}/web`)).toEqual({ initialSeats: 1, finalSeats: 10, additionalLatency: 12.5e6 });
    expect(write("DELETE", PODS)).toEqual(one);
    expect(write("POST", "/api/v1/namespaces/shop/serviceaccounts/a/token")).toEqual(one);
  });

  test("is multiplied with time in hundred millionths of a seat-second", () => {
    expect([workOf(2, 3e6), workOf(1, -15), formatWork(1_200_300_000)]).toEqual([600_000, -2, "12.00300000ss"]);
  });
});

describe("the header Retry-After", () => {
  test("doubles while many requests are refused, to 32 seconds, and falls by one when few are", () => {
    const dropped = new DroppedRequests();
    const waits: number[] = [];
    for (let second = 1; second <= 130; second++) {
      let wait = 0;
      for (let count = 0; count < 100; count++) wait = dropped.drop("level", second);
      if (waits.at(-1) !== wait) waits.push(wait);
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 32]);
    expect(dropped.drop("other", 131)).toBe(1);
    expect(dropped.drop("level", 300)).toBe(31);
    expect(dropped.drop("level", 400)).toBe(30);
  });
});
