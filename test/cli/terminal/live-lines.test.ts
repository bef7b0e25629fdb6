import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { LiveLines } from "../../../src/cli/terminal/live-lines.js";
import type { RestClient } from "../../../src/client/rest/rest-client.js";

const ERASE = "\r\u001b[J";

test("a warning of the server is written above the live lines, which are drawn again below it", async () => {
  const err = Object.assign(new PassThrough(), { isTTY: true, columns: 80, rows: 24 });
  let screen = "";
  err.setEncoding("utf8").on("data", (text: string) => (screen += text));
  const lines = new LiveLines(err, { clock: { now: () => 0 } as never, look: {} });
  const client = { onWarning: (text: string) => void err.write(`Warning: ${text}\n`) } as RestClient;
  const above = lines.above(() => Promise.resolve(client));
  const asked = await above();
  expect(await above()).toBe(asked);

  lines.set("pod/web", "Pending");
  asked.onWarning?.("old version");
  lines.set("pod/web", "Ready");
  lines.end();
  await new Promise(setImmediate);
  expect(screen).toBe(`\u001b[Jpod/web: Pending (0s)${ERASE}Warning: old version\n\u001b[Jpod/web: Ready (0s)${ERASE}`);
});

test.each([
  ["0 columns and 0 rows", 0, 0],
  ["0 columns", 0, 24],
  ["1 column", 1, 24],
])("live lines on a terminal of %s are drawn in place and removed at the end", async (_, columns, rows) => {
  const err = Object.assign(new PassThrough(), { isTTY: true, columns, rows });
  let screen = "";
  err.setEncoding("utf8").on("data", (text: string) => (screen += text));
  const lines = new LiveLines(err, { clock: { now: () => 0 } as never, look: {} });
  lines.set("pod/web", "Pending");
  lines.set("pod/db", "Pending");
  lines.set("pod/web", "Ready");
  lines.end();
  await new Promise(setImmediate);
  const UP = "\r\u001b[1A\u001b[J";
  const [web, db] = columns === 0 ? ["pod/web: Ready (0s)", "pod/db: Pending (0s)"] : ["", ""];
  const pending = columns === 0 ? "pod/web: Pending (0s)" : "";
  expect(screen).toBe(`\u001b[J${pending}${ERASE}${pending}\n${db}${UP}${web}\n${db}${UP}`);
});

test("a live line is cut with three dots in a locale without UTF-8", async () => {
  const err = Object.assign(new PassThrough(), { isTTY: true, columns: 20, rows: 24 });
  let screen = "";
  err.setEncoding("utf8").on("data", (text: string) => (screen += text));
  const lines = new LiveLines(err, { clock: { now: () => 0 } as never, look: { ellipsis: "..." } });
  lines.set("pod/web", "a state of many words");
  lines.end();
  await new Promise(setImmediate);
  expect(screen).toBe(`\u001b[Jpod/web: a state...${ERASE}`);
});
