import { openMemoryKv } from "../../../src/server/storage/memory/memory-kv.js";
import { listWatchSuite } from "../../suites/list-watch/runner/suite.js";

listWatchSuite("memory", () => ({ open: async (time) => openMemoryKv(time) }));
