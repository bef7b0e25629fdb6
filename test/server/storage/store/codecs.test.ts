import { describe, expect, test } from "vitest";
import { v8Memory } from "../../../../src/cluster/idle-memory.js";
import type { ObjectCodec } from "../../../../src/server/storage/store.js";
import { Codecs } from "../../../../src/server/storage/store/codecs.js";

const codec = (): ObjectCodec => ({
  decode: () => ({}),
  encode: () => new Uint8Array(),
  attributes: () => ({ labels: {}, fields: {} }),
});

describe("the codec of a removed resource", () => {
  test("can decode while a request holds it, and is freed afterwards", async () => {
    const codecs = new Codecs(1000);
    let held: ObjectCodec | undefined = codec();
    codecs.register("/registry/widgets/", held);
    codecs.release("/registry/widgets/");
    expect(codecs.codecFor("/registry/widgets/default/a") === held).toBe(true);
    held = undefined;
    // A WeakRef that was read keeps its target until the job ends.
    await new Promise((resolve) => setTimeout(resolve));
    await v8Memory.collect();
    expect(() => codecs.codecFor("/registry/widgets/default/a")).toThrow("no resource is registered for key");
  });

  test("is replaced when the resource is installed again", () => {
    const codecs = new Codecs(1000);
    const [old, next] = [codec(), codec()];
    codecs.register("/registry/widgets/", old);
    codecs.release("/registry/widgets/");
    codecs.register("/registry/widgets/", next);
    expect(codecs.codecFor("/registry/widgets/default/a") === next).toBe(true);
  });
});
