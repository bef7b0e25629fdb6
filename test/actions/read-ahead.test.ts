import { expect, test } from "vitest";
import { ReadAhead } from "../../src/actions/read-ahead.js";
import type { KubeObject } from "../../src/machinery/meta/object.js";
import type { Info } from "../../src/resource/info.js";

function info(kind: string, name: string, namespace = ""): Info {
  const version = "v1";
  const resource = { group: "", version, resource: `${kind.toLowerCase()}s` };
  return {
    source: "",
    mapping: { resource, kind: { group: "", version, kind }, namespaced: namespace !== "" },
    name,
    namespace,
  };
}

const many = (count: number): readonly Info[] =>
  Array.from({ length: count }, (_, at) => info("Secret", `s${at}`, "a"));

/** What is read before each object has its turn, a list a turn. */
async function turns(infos: readonly Info[]): Promise<readonly string[]> {
  const seen: string[] = [];
  let begun: string[] = [];
  const ahead = new ReadAhead(infos, async ({ name }): Promise<KubeObject> => {
    begun.push(name);
    return { metadata: { name } };
  });
  for (const [index, { name }] of infos.entries()) {
    const object = await ahead.take(index);
    expect(object?.metadata?.name).toBe(name);
    seen.push(begun.join(" "));
    begun = [];
  }
  return seen;
}

test("eight at first, then one for each that is taken; none twice", async () => {
  expect(await turns(many(11))).toEqual(["s0 s1 s2 s3 s4 s5 s6 s7", "s8", "s9", "s10", ...Array(7).fill("")]);
});

test("an object that stands twice is read again once the first is written", async () => {
  const infos = [
    info("Secret", "x", "a"),
    info("Secret", "y", "a"),
    info("Secret", "x", "a"),
    info("Secret", "z", "a"),
  ];
  expect(await turns(infos)).toEqual(["x y z", "x", "", ""]);
});

test("of the same name elsewhere, or of another kind, it is another object", async () => {
  const infos = [info("Secret", "x", "a"), info("Secret", "x", "b"), info("ConfigMap", "x", "a")];
  expect(await turns(infos)).toEqual(["x x x", "", ""]);
});

test("an object is not read before its namespace is written", async () => {
  const infos = [info("Namespace", "a"), info("Secret", "x", "a"), info("Secret", "y", "b")];
  expect(await turns(infos)).toEqual(["a y", "x", ""]);
});

test("a read that fails is thrown in its object's turn, and others go on", async () => {
  const infos = many(3);
  const ahead = new ReadAhead(infos, async ({ name }) => {
    if (name === "s1") throw new Error("refused");
    return { metadata: { name } };
  });
  expect((await ahead.take(0))?.metadata?.name).toBe("s0");
  await new Promise(setImmediate);
  await expect(ahead.take(1)).rejects.toThrow("refused");
  expect((await ahead.take(2))?.metadata?.name).toBe("s2");
});

test("an object with a generated name is not read ahead", async () => {
  const read: string[] = [];
  const ahead = new ReadAhead([info("Secret", "a", "x"), info("Secret", "", "x")], async ({ name }) => {
    read.push(name);
    return undefined;
  });
  await ahead.take(0);
  expect(read).toEqual(["a"]);
});
