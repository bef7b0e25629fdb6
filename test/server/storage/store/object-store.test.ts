import { openMemoryKv } from "../../../../src/server/storage/memory/memory-kv.js";
import { storeSuite } from "../../../suites/store.js";

storeSuite("memory", () => ({ open: async (time) => openMemoryKv(time) }));
