import { expect, test } from "vitest";
import { createStorage } from "../../../../src/server/storage/create-storage.js";
import { openMemoryKv } from "../../../../src/server/storage/memory/memory-kv.js";
import { collect, names, plainCodec, pod, PODS, show } from "../../../suites/store-harness.js";

/** What a kube-apiserver keeps beside the objects of resources, and what is no object at all. */
const FOREIGN = [
  ["/registry/masterleases/10.0.0.1", "k8s\0protobuf"],
  ["/registry/example.com/crontabs/default/mine", '{"kind":"CronTab"}\n'],
  ["/elsewhere", "no object"],
] as const;

test.each([true, false])(
  "keys in the storage that belong to no resource affect neither lists nor watches (watch cache: %s)",
  async (watchCache) => {
    const kv = openMemoryKv();
    for (const [key, value] of FOREIGN) await kv.create(key, Buffer.from(value));
    const storage = createStorage({ kv, watchCache });
    const pods = storage.storeFor({ prefix: "/registry/pods/", resource: PODS, codec: plainCodec });
    await pods.create("default/a", pod("default", "a"));
    const watch = await collect(pods, "", 2, { resourceVersion: "5" });
    for (const [key, value] of FOREIGN) await kv.create(`${key}-more`, Buffer.from(value));
    await pods.create("default/b", pod("default", "b"));
    await pods.delete("default/a");
    expect((await watch.done).map(show)).toEqual(["ADDED b@9", "DELETED a@10"]);
    expect(names((await pods.list("", {})).items)).toEqual(["b"]);
    await storage.close();
  },
);
