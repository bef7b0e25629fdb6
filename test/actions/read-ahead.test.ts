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

test("apply first reads eight objects ahead, then one more after each object it handles, and none twice", async () => {
  expect(await turns(many(11))).toEqual(["s0 s1 s2 s3 s4 s5 s6 s7", "s8", "s9", "s10", ...Array(7).fill("")]);
});

test("apply reads an object that its input contains twice again after it wrote the first one", async () => {
  const infos = [
    info("Secret", "x", "a"),
    info("Secret", "y", "a"),
    info("Secret", "x", "a"),
    info("Secret", "z", "a"),
  ];
  expect(await turns(infos)).toEqual(["x y z", "x", "", ""]);
});

test("apply reads ahead objects that only share a name with another one, in another namespace or of another kind", async () => {
  const infos = [info("Secret", "x", "a"), info("Secret", "x", "b"), info("ConfigMap", "x", "a")];
  expect(await turns(infos)).toEqual(["x x x", "", ""]);
});

test("apply reads an object only after it has written the object's namespace", async () => {
  const infos = [info("Namespace", "a"), info("Secret", "x", "a"), info("Secret", "y", "b")];
  expect(await turns(infos)).toEqual(["a y", "x", ""]);
});

test("apply throws the error of a failed read when it reaches that object, and goes on with the others", async () => {
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

test("apply does not read ahead an object with generateName", async () => {
  const read: string[] = [];
  const ahead = new ReadAhead([info("Secret", "a", "x"), info("Secret", "", "x")], async ({ name }) => {
    read.push(name);
    return undefined;
  });
  await ahead.take(0);
  expect(read).toEqual(["a"]);
});
