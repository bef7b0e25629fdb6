import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqliteKv } from "../../../../src/server/storage/sqlite/sqlite-kv.js";
import { type KvUnderTest, kvSuite } from "../../../suites/kv.js";
import { storeSuite } from "../../../suites/store.js";

function onDisk(): KvUnderTest {
  let directory = "";
  return {
    async open(time) {
      directory = await mkdtemp(join(tmpdir(), "kubets-kv-"));
      return openSqliteKv({ directory, ...time });
    },
    dispose: () => rm(directory, { recursive: true, force: true }),
  };
}

kvSuite("sqlite", onDisk);
storeSuite("sqlite", onDisk);
