import { afterAll } from "vitest";
import { removeKvOwner } from "./owned-kv.js";
import { modelTest } from "./runner.js";
import { sqliteStore } from "./store-under-test.js";

afterAll(() => removeKvOwner());

modelTest("SQLite", {
  operations: 25_000,
  killable: true,
  open: sqliteStore,
});
