import { afterAll, beforeAll, describe, test } from "vitest";
import type { KvUnderTest } from "../../kv.js";
import { themes } from "../themes.js";
import type { Mode } from "./row.js";
import { runRow } from "./run-row.js";
import { openServer, type ServerUnderTest } from "./server-under-test.js";

/** What lists and watches must do over any store, with the watch cache and without it. */
export function listWatchSuite(backend: Mode["backend"], makeSubject: () => KvUnderTest): void {
  describe.each([
    ["with the watch cache", true],
    ["without it", false],
  ])(`lists and watches: ${backend}, %s`, (_, cache) => {
    const mode: Mode = { backend, cache };
    let shared: ServerUnderTest;
    let count = 0;

    beforeAll(async () => {
      shared = await openServer(makeSubject(), mode);
    });
    afterAll(() => shared.close());

    describe.each(Object.entries(themes))("%s", (_theme, rows) => {
      test.each(rows.map((row) => [row.name, row] as const))("%s", async (_name, row) => {
        const namespace = `row-${count++}`;
        if (row.own === undefined) {
          await runRow(row, shared, mode, namespace);
          return;
        }
        const own = await openServer(makeSubject(), mode, row.own);
        try {
          await runRow(row, own, mode, namespace);
        } finally {
          await own.close();
        }
      });
    });
  });
}
