import { modelTest } from "./runner.js";
import { memoryStore } from "./store-under-test.js";

modelTest("memory", {
  operations: 50_000,
  killable: false,
  open: async (settings) => memoryStore(settings),
});
