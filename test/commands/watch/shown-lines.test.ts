import { describe, expect, test } from "vitest";
import { branchesOf } from "../../../src/cli/object-tree/branches.js";
import type { Summary } from "../../../src/cli/object-tree/summary.js";
import { ChangeLines, screenLines, shareOut } from "../../../src/commands/watch/shown-lines.js";
import { Watched } from "../../../src/commands/watch/watched.js";
import type { KubeObject } from "../../../src/machinery/meta/object.js";

const NOW = Date.parse("2026-01-01T00:01:00Z");

function summary(title: string, owner?: string, ready = "1/1", status = "Running"): Summary {
  const ownerReferences = owner === undefined ? [] : [{ apiVersion: "v1", kind: "Kind", name: owner, uid: owner }];
  return { title, metadata: { name: title, uid: title, ownerReferences }, ready, status, age: "5s" };
}

const treeOf = (...objects: readonly Summary[]) => {
  const [start] = objects;
  if (start === undefined) return [];
  return branchesOf(start, new Map(objects.map((one) => [one.title, one])));
};

const event = (uid: string, about: string, message: string, seconds = 0): KubeObject =>
  ({
    metadata: { uid, resourceVersion: `${seconds}` },
    involvedObject: { kind: "Pod", name: about.replace("pod/", ""), uid: about },
    type: "Normal",
    reason: "Tested",
    message,
    lastTimestamp: new Date(NOW - 60_000 + seconds * 1000).toISOString(),
    firstTimestamp: "2026-01-01T00:00:00Z",
  }) as unknown as KubeObject;

function watchedWeb(): Watched {
  const watched = new Watched(() => undefined);
  watched.set({ tree: treeOf(summary("rs/web"), summary("pod/b", "rs/web"), summary("pod/a", "rs/web")) });
  watched.takeEvent(event("2", "pod/b", "second", 2), false);
  watched.takeEvent(event("1", "pod/a", "first", 1), false);
  watched.takeEvent(event("3", "pod/other", "of another", 3), false);
  for (const text of ["one", "two", "three"]) watched.addLine({ pod: "a", container: "app", text });
  return watched;
}

const lines = (watched: Watched, rows = 24, more = {}): readonly string[] =>
  screenLines(
    watched,
    { title: "rs/web", namespace: "shop", footer: "q leaves", now: NOW, look: {}, ...more },
    { columns: 80, rows },
  );

describe("the screen of kubets watch", () => {
  test("shows the tree, its events by time, the log and how to leave", () => {
    expect(lines(watchedWeb())).toEqual([
      "rs/web in namespace shop",
      "NAME       READY   STATUS    AGE",
      "rs/web     1/1     Running   5s",
      "├─ pod/a   1/1     Running   5s",
      "└─ pod/b   1/1     Running   5s",
      "LAST SEEN   TYPE     REASON   OBJECT   MESSAGE",
      "60s         Normal   Tested   pod/a    first",
      "60s         Normal   Tested   pod/b    second",
      "LOGS",
      "a app: one",
      "a app: two",
      "a app: three",
      "q leaves",
    ]);
  });

  test.each([
    [13, "all", ["one", "two", "three"]],
    [10, "a part of it", ["three"]],
    [8, "a line of each", ["three"]],
  ])("of %i rows gives every part a share, and the log its last lines", (rows, _what, log) => {
    const shown = lines(watchedWeb(), rows);
    expect(shown.length).toBeLessThanOrEqual(rows);
    expect(shown.filter((line) => line.startsWith("a app: "))).toEqual(log.map((text) => `a app: ${text}`));
    expect([shown[0], shown.at(-1)]).toEqual(["rs/web in namespace shop", "q leaves"]);
  });

  test.each([1, 2, 3, 4, 5])("of %i rows never shows more lines than that", (rows) => {
    const shown = lines(watchedWeb(), rows);
    expect(shown[0]).toBe("rs/web in namespace shop");
    expect(shown.length).toBeLessThanOrEqual(Math.max(2, rows));
  });

  test("shows how many lines of a large tree it leaves out", () => {
    const watched = new Watched(() => undefined);
    const pods = Array.from({ length: 20 }, (_, index) => summary(`pod/${String.fromCharCode(97 + index)}`, "rs/web"));
    watched.set({ tree: treeOf(summary("rs/web"), ...pods) });
    expect(lines(watched, 8).slice(-3)).toEqual(["├─ pod/c   1/1     Running   5s", "and 17 more", "q leaves"]);
  });

  test("shows the progress of the awaited condition, an unreachable server, and resources that it may not read", () => {
    const watched = watchedWeb();
    watched.set({ awaited: "Ready is False, waiting for true" });
    expect(lines(watched)[1]).toBe("Ready is False, waiting for true");
    watched.set({ problem: "connection refused" });
    expect(lines(watched)[1]).toBe("error: the server is asked again: connection refused");
    watched.note("secrets (Forbidden)");
    expect(lines(watched).at(-1)).toBe("q leaves  not looked at: secrets (Forbidden)");
    watched.set({ tree: [], problem: "" });
    expect(lines(watched)).toEqual([
      "rs/web in namespace shop",
      "is not there",
      "LOGS",
      "a app: one",
      "a app: two",
      "a app: three",
      "q leaves  not looked at: secrets (Forbidden)",
    ]);
  });

  test("escapes texts of servers and containers, each on one line, and removes colours of a log", () => {
    const hostile = "\u001b]0;title\u0007\u009b2J\r\nsecond\tcell";
    const watched = new Watched(() => undefined);
    watched.set({ tree: treeOf(summary(`pod/${hostile}`, undefined, hostile, hostile)), awaited: hostile });
    watched.takeEvent(event("1", `pod/${hostile}`, hostile), false);
    watched.addLine({ pod: hostile, container: hostile, text: `\u001b[32mgreen\u001b[0m ${hostile}` });
    watched.note(hostile);
    const shown = lines(watched, 24, { title: hostile, namespace: hostile });
    expect(shown.join("\n").replaceAll("\n", "")).toMatch(/^[^\p{Cc}]*$/u);
    expect(shown.filter((line) => line.includes("second"))).toHaveLength(6);
    expect(shown.find((line) => line.includes("green"))).toMatch(/: green \^\[\]0;title\^G\\x9b2J\\nsecond cell$/);
    for (const problem of [hostile]) watched.set({ problem });
    expect(lines(watched)[1]).toMatch(/^error: [^\p{Cc}]*$/u);
  });
});

test.each([
  [10, [2, 2, 2], [2, 2, 2]],
  [10, [20, 2, 20], [4, 2, 4]],
  [7, [20, 20, 20], [3, 2, 2]],
  [0, [5, 5], [0, 0]],
  [5, [0, 9], [0, 5]],
  [5, [], []],
])("kubets watch divides %i rows between parts that want %j into %j", (rows, wanted, shares) => {
  expect(shareOut(rows, wanted)).toEqual(shares);
});

test("kubets watch keeps at most 2000 events and log lines", () => {
  const watched = watchedWeb();
  for (let index = 0; index < 5000; index++) {
    watched.takeEvent(event(`e${index}`, "pod/a", "again", index), false);
    watched.addLine({ pod: "a", container: "app", text: `${index}` });
  }
  expect(watched.events.length).toBeLessThanOrEqual(2000);
  expect(watched.events.at(-1)?.metadata?.uid).toBe("e4999");
  expect(watched.lastLines(10_000).length).toBeLessThanOrEqual(1000);
  expect(watched.lastLines(2).map(({ text }) => text)).toEqual(["4998", "4999"]);
});

describe("kubets watch in a pipe", () => {
  function change() {
    const [out, err]: [string[], string[]] = [[], []];
    const changes = new ChangeLines(
      (line) => void out.push(line),
      (line) => void err.push(line),
    );
    return { changes, taken: () => [...out.splice(0), ...err.splice(0)].map((line) => line.trimEnd()) };
  }

  test("prints each change of objects, events, logs and the awaited condition once", () => {
    const { changes, taken } = change();
    const watched = watchedWeb();
    changes.show(watched);
    expect(taken()).toEqual([
      "object rs/web: 1/1 Running",
      "object pod/a: 1/1 Running",
      "object pod/b: 1/1 Running",
      "event pod/a: Normal Tested: first",
      "event pod/b: Normal Tested: second",
      "log a app: one",
      "log a app: two",
      "log a app: three",
    ]);
    changes.show(watched);
    expect(taken()).toEqual([]);
    watched.set({ tree: treeOf(summary("rs/web", undefined, "0/1", "NotReady"), summary("pod/a", "rs/web")) });
    watched.set({ awaited: "no condition yet" });
    watched.takeEvent(event("1", "pod/a", "first", 9), false);
    watched.addLine({ pod: "a", container: "app", text: "four" });
    changes.show(watched);
    expect(taken()).toEqual([
      "object rs/web: 0/1 NotReady",
      "object pod/b: gone",
      "awaited no condition yet",
      "event pod/a: Normal Tested: first",
      "log a app: four",
    ]);
  });

  test("prints on stderr that the server is gone, is back, and what it may not read", () => {
    const { changes, taken } = change();
    const watched = new Watched(() => changes.show(watched));
    watched.set({ problem: "refused\nhere" });
    watched.set({ problem: "refused again" });
    watched.set({ problem: "" });
    watched.note("secrets (Forbidden)");
    watched.note("secrets (Forbidden)");
    expect(taken()).toEqual([
      "error: the server is asked again: refused\\nhere",
      "The server answers again.",
      "Warning: not looked at: secrets (Forbidden)",
    ]);
  });

  test("prints one line for each change, whatever texts contain", () => {
    const { changes, taken } = change();
    const hostile = "a\u001b[2Jb\r\nlog forged";
    const watched = new Watched(() => undefined);
    watched.set({ tree: treeOf(summary(`pod/${hostile}`, undefined, hostile)) });
    watched.takeEvent(event("1", `pod/${hostile}`, hostile), false);
    watched.addLine({ pod: hostile, container: "app", text: hostile });
    changes.show(watched);
    const written = taken();
    expect(written.map((line) => line.split(" ")[0])).toEqual(["object", "event", "log"]);
    expect(written.join("")).toMatch(/^[^\p{Cc}]*$/u);
  });
});
