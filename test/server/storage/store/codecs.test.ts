import { describe, expect, test } from "vitest";
import { v8Memory } from "../../../../src/cluster/idle-memory.js";
import type { ObjectCodec } from "../../../../src/server/storage/store.js";
import { Codecs } from "../../../../src/server/storage/store/codecs.js";

const codec = (): ObjectCodec => ({
  decode: () => ({}),
  encode: () => new Uint8Array(),
  attributes: () => ({ labels: {}, fields: {} }),
});

describe("a codec whose resource is removed", () => {
  test("decodes as long as a request holds it, and is gone after that", async () => {
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

  test("makes way for the one of a resource that comes again", () => {
    const codecs = new Codecs(1000);
    const [old, next] = [codec(), codec()];
    codecs.register("/registry/widgets/", old);
    codecs.release("/registry/widgets/");
    codecs.register("/registry/widgets/", next);
    expect(codecs.codecFor("/registry/widgets/default/a") === next).toBe(true);
  });
});
