import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openFilesKv } from "../../../../src/server/storage/files/files-kv.js";
import { type KvUnderTest, kvSuite } from "../../../suites/kv.js";
import { storeSuite } from "../../../suites/store.js";
import { PLACES } from "./folder.js";

function inFolder(): KvUnderTest {
  let directory = "";
  return {
    async open(time) {
      directory = await mkdtemp(join(tmpdir(), "kubets-files-"));
      return openFilesKv({ directory, places: PLACES, ...time });
    },
    dispose: () => rm(directory, { recursive: true, force: true }),
  };
}

kvSuite("files", inFolder);
storeSuite("files", inFolder);
