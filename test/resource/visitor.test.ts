import { expect, test } from "vitest";
import type { Info } from "../../src/resource/info.js";
import { requireNamespace, setNamespace } from "../../src/resource/namespaces.js";
import {
  aggregate,
  continueOnError,
  decorate,
  eagerly,
  inOrder,
  type Visitor,
  withoutErrors,
} from "../../src/resource/visitor.js";

const mapping = {
  resource: { group: "", version: "v1", resource: "pods" },
  kind: { group: "", version: "v1", kind: "Pod" },
  namespaced: true,
};
const info = (name: string, namespace = ""): Info => ({
  source: "f",
  mapping,
  name,
  namespace,
  object: { metadata: { name } },
});

/** Items in order; an Error is one that cannot be read. */
const source = (...items: (Info | Error)[]): Visitor => ({
  async visit(fn, failed) {
    for (const item of items) {
      if (!(item instanceof Error)) await fn(item);
      else if (failed === undefined) throw item;
      else failed(item);
    }
  },
});

async function walk(visitor: Visitor, failOn = ""): Promise<{ readonly seen: string[]; readonly error: unknown }> {
  const seen: string[] = [];
  const error: unknown = await visitor
    .visit(async ({ name }) => {
      seen.push(name);
      if (name === failOn) throw new Error(`no ${name}`);
    })
    .then(
      () => undefined,
      (caught: unknown) => caught,
    );
  return { seen, error };
}

test("visiting resources without a policy ends at the first failure", async () => {
  const { seen, error } = await walk(inOrder([source(info("a"), new Error("bad"), info("b"))]));
  expect(seen).toEqual(["a"]);
  expect(error).toEqual(new Error("bad"));
});

test("visiting resources with continueOnError visits every item and throws a single failure as it is", async () => {
  const { seen, error } = await walk(continueOnError(source(info("a"), new Error("bad"), info("b"))));
  expect(seen).toEqual(["a", "b"]);
  expect(error).toEqual(new Error("bad"));
});

test("visiting resources with continueOnError throws several failures together, from reading and visiting", async () => {
  const { seen, error } = await walk(
    continueOnError(eagerly([source(new Error("bad"), info("a")), source(info("b"))])),
    "b",
  );
  expect(seen).toEqual(["a", "b"]);
  expect(error).toBeInstanceOf(AggregateError);
  expect((error as Error).message).toBe("[no b, bad]");
});

test("visiting resources removes ignored errors from an aggregate, and the aggregate when none is left", () => {
  const isBad = (error: unknown): boolean => (error as Error).message === "bad";
  const both = aggregate([new Error("bad"), aggregate([new Error("bad"), new Error("worse")])]);
  expect((withoutErrors(both, isBad) as Error).message).toBe("worse");
  expect(withoutErrors(aggregate([new Error("bad")]), isBad)).toBeUndefined();
});

test("visiting resources runs the steps in the written order, and sets the namespace of Info and object", async () => {
  const item = info("a");
  const before = item.object;
  await decorate(source(item), setNamespace("ns"), requireNamespace("ns")).visit(async () => undefined);
  expect(item.namespace).toBe("ns");
  expect(item.object?.metadata).toEqual({ name: "a", namespace: "ns" });
  expect(before?.metadata).toEqual({ name: "a" });
});
