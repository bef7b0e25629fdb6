import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { resourcePlaces } from "../../../src/cluster/open-storage.js";
import { openFilesKv } from "../../../src/server/storage/files/files-kv.js";
import { listWatchSuite } from "../../suites/list-watch/runner/suite.js";

listWatchSuite("files", () => {
  let directory = "";
  return {
    async open(time) {
      directory = await mkdtemp(join(tmpdir(), "kubets-list-watch-"));
      return openFilesKv({ directory, places: resourcePlaces(), ...time });
    },
    dispose: () => rm(directory, { recursive: true, force: true }),
  };
});
