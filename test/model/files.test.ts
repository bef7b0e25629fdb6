import { modelTest } from "./runner.js";
import { filesStore } from "./store-under-test.js";

modelTest("files", {
  operations: 15_000,
  killable: false,
  open: async (settings) => filesStore(settings),
});
