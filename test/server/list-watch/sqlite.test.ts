import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqliteKv } from "../../../src/server/storage/sqlite/sqlite-kv.js";
import { listWatchSuite } from "../../suites/list-watch/runner/suite.js";

listWatchSuite("sqlite", () => {
  let directory = "";
  return {
    async open(time) {
      directory = await mkdtemp(join(tmpdir(), "kubets-list-watch-"));
      return openSqliteKv({ directory, ...time });
    },
    dispose: () => rm(directory, { recursive: true, force: true }),
  };
});
