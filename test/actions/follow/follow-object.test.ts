import { expect, test } from "vitest";
import { followObject, type Followed } from "../../../src/actions/follow/follow-object.js";
import { notFound } from "../../../src/machinery/errors/status-error.js";
import type { WatchFrame } from "../../../src/client/dynamic/watch-events.js";

const object = (resourceVersion: string) => ({ metadata: { name: "a", resourceVersion } });
const synced: WatchFrame = {
  type: "BOOKMARK",
  object: { metadata: { annotations: { "k8s.io/initial-events-end": "true" } } },
};
const event = (type: WatchFrame["type"], resourceVersion: string): WatchFrame => ({
  type,
  object: object(resourceVersion),
});

/** One watch after the other, each as listed; the last one stays open until the signal aborts. */
async function follow(watches: readonly (readonly WatchFrame[] | Error)[], count: number): Promise<readonly string[]> {
  let opened = 0;
  const helper = {
    watchFromStart: (_namespace: string, _name: string, signal: AbortSignal): Promise<AsyncIterable<WatchFrame>> => {
      const watch = watches[opened++];
      if (watch instanceof Error) return Promise.reject(watch);
      return Promise.resolve(stream(watch ?? [], opened >= watches.length ? signal : undefined));
    },
  };
  const seen: string[] = [];
  for await (const followed of followObject(helper, "default", "a", new AbortController().signal)) {
    seen.push(shown(followed));
    if (seen.length === count) break;
  }
  return seen;
}

async function* stream(events: readonly WatchFrame[], open: AbortSignal | undefined): AsyncGenerator<WatchFrame, void> {
  yield* events;
  if (open !== undefined) await new Promise((resolve) => open.addEventListener("abort", resolve));
}

const shown = ({ type, object: found }: Followed): string => `${type} ${found?.metadata?.resourceVersion ?? "-"}`;

test("followObject() calls the listener with all existing objects at once, then after every change", async () => {
  const watches = [[event("ADDED", "1"), synced, event("MODIFIED", "2"), event("DELETED", "3"), event("ADDED", "4")]];
  expect(await follow(watches, 5)).toEqual(["SYNCED 1", "ADDED 1", "MODIFIED 2", "DELETED 3", "ADDED 4"]);
});

test("followObject() calls the listener also when no object exists", async () => {
  expect(await follow([[synced, event("ADDED", "1")]], 2)).toEqual(["SYNCED -", "ADDED 1"]);
});

test("followObject() does not call the listener for bookmarks and repeated events", async () => {
  const bookmark: WatchFrame = { type: "BOOKMARK", object: object("5") };
  const watches = [[event("ADDED", "1"), synced, bookmark, event("MODIFIED", "1"), event("MODIFIED", "2")]];
  expect(await follow(watches, 3)).toEqual(["SYNCED 1", "ADDED 1", "MODIFIED 2"]);
});

test("followObject() opens an ended watch again, and reports what changed meanwhile as one change", async () => {
  const watches = [
    [event("ADDED", "1"), synced, { type: "ERROR" as const, object: { code: 410 } }, event("MODIFIED", "2")],
    new Error("refused"),
    [event("ADDED", "7"), synced, event("MODIFIED", "8")],
  ];
  expect(await follow(watches, 4)).toEqual(["SYNCED 1", "ADDED 1", "MODIFIED 7", "MODIFIED 8"]);
});

test("followObject() reports objects that were deleted while no watch was open", async () => {
  expect(await follow([[event("ADDED", "1"), synced], [synced]], 3)).toEqual(["SYNCED 1", "ADDED 1", "DELETED 1"]);
});

test("followObject() ends without an error when its signal aborts, also while the server refuses watches", async () => {
  const time = new AbortController();
  const helper = {
    watchFromStart: () => {
      time.abort();
      return Promise.reject(notFound({ group: "", resource: "pods" }, "a"));
    },
  };
  const seen: string[] = [];
  for await (const followed of followObject(helper, "default", "a", time.signal)) seen.push(shown(followed));
  expect(seen).toEqual([]);
});
