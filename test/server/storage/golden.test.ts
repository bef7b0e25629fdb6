import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { systemClock } from "../../../src/base/time/clock.js";
import { allScheme } from "../../../src/api/scheme/all.js";
import { publishedScheme } from "../../../src/api/scheme/published.js";
import { decodeObject } from "../../../src/machinery/wire/strict-decode.js";
import { formatGroupVersion } from "../../../src/machinery/meta/gvk.js";
import type { KubeObject } from "../../../src/machinery/meta/object.js";
import { encodeStored } from "../../../src/server/endpoints/serializers/json/stored-json.js";
import { VersionCodec } from "../../../src/server/endpoints/representation/version-codec.js";
import { storageCodec } from "../../../src/server/api-registry/storage-codec.js";
import { createStorage } from "../../../src/server/storage/create-storage.js";
import { goldenObjects, hasGoldenObjects } from "../../helpers/golden-objects.js";
import { openMemoryKv } from "../../../src/server/storage/memory/memory-kv.js";

// What a client
// sent is stored in the hub's shape and answered in the version it is asked for.
const NO_KIND = /(Options|WatchEvent|List)\.json$/;

/** What is answered otherwise than it was sent: round-trip annotations, see test/api/conversion/golden.test.ts. */
const LOSSY = ["autoscaling.v1.HorizontalPodAutoscaler.json"];

describe.skipIf(!hasGoldenObjects).each(goldenObjects)(
  "Kubernetes $version's published examples in the storage",
  (golden) => {
    const { release, folder } = golden;
    const scheme = publishedScheme(release);
    const read = (file: string) => JSON.parse(readFileSync(join(folder, file), "utf8")) as KubeObject;
    const files = golden.files.filter((file) => {
      if (!file.endsWith(".json") || NO_KIND.test(file)) return false;
      const { gvk } = allScheme(release).kindOf(read(file));
      return scheme.isRegistered(gvk) && scheme.kind(gvk).schema.byName.has("metadata");
    });
    const storage = createStorage({ kv: openMemoryKv() });
    afterAll(() => storage.close());

    test("cover every served version that is stored", () => {
      expect(files.length).toBeGreaterThanOrEqual(90);
    });

    test.each(files)("are answered as they were sent, field for field in the same order: %s", async (file) => {
      const sent = read(file);
      const kind = scheme.kindOf(sent);
      const hub = scheme.kind(kind.hub);
      const codec = new VersionCodec(kind, hub, scheme, () => Date.now());
      const store = storage.storeFor({
        prefix: `/registry/${file}/`,
        resource: { group: kind.gvk.group, resource: kind.gvk.kind },
        codec: storageCodec({ scheme, clock: systemClock, mediaType: "application/json" }, hub, {}),
      });
      const { object } = decodeObject<KubeObject>(sent, kind.schema, { mode: "Strict" });
      delete object.metadata?.resourceVersion;
      await store.create("golden", kind.toHub(object));
      const stored = await store.get("golden", {});
      expect(stored.object()).toMatchObject({ apiVersion: formatGroupVersion(hub.gvk), kind: hub.gvk.kind });
      const answered = Buffer.from(encodeStored(codec, stored)).toString("utf8");
      const metadata = { ...sent.metadata, resourceVersion: String(stored.revision) };
      const expected = JSON.stringify({ ...sent, metadata });
      if (LOSSY.includes(file)) expect(answered).not.toBe(expected);
      else expect(answered).toBe(expected);
    });
  },
);
