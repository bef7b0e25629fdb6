import { expect, test } from "vitest";
import { type WatchFrame, watchBatches, watchFrames } from "../../../src/client/dynamic/watch-events.js";
import { isGone } from "../../../src/machinery/errors/status-error.js";

const added = (name: string): string => JSON.stringify({ type: "ADDED", object: { metadata: { name } } });
const gone = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", reason: "Expired", code: 410 };
const tooOld = JSON.stringify({ type: "ERROR", object: gone });

async function* body(...chunks: readonly (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) yield typeof chunk === "string" ? new TextEncoder().encode(chunk) : chunk;
}

async function decode(...chunks: readonly (string | Uint8Array)[]): Promise<(readonly WatchFrame[])[]> {
  const batches: (readonly WatchFrame[])[] = [];
  for await (const batch of watchFrames(body(...chunks))) batches.push(batch);
  return batches;
}

const namesOf = (batches: readonly (readonly WatchFrame[])[]): (string | undefined)[][] =>
  batches.map((batch) => batch.map(({ object }) => object.metadata?.name));

test.each<[string, readonly string[], string[][]]>([
  ["the events of a chunk come together", [`${added("a")}\n${added("b")}\n`, `${added("c")}\n`], [["a", "b"], ["c"]]],
  [
    "an event over several chunks comes with the last of them",
    ['{"type":"ADDED",', '"object":{"metadata"', ':{"name":"a"}}}\n'],
    [["a"]],
  ],
  [
    "a chunk may end one event and begin the next",
    [`${added("a")}\n${added("b").slice(0, 9)}`, `${added("b").slice(9)}\n`],
    [["a"], ["b"]],
  ],
  ["empty lines are no events", ["\n\r\n", `\n${added("a")}\r\n \n`], [["a"]]],
  ["the last line may lack its newline", [`${added("a")}\n${added("b")}`], [["a"], ["b"]]],
  ["a last line that broke off is dropped", [`${added("a")}\n${added("b").slice(0, 20)}`], [["a"]]],
  ["an empty body has no events", ["", ""], []],
])("decoding a watch: %s", async (_, chunks, expected) => {
  expect(namesOf(await decode(...chunks))).toEqual(expected);
});

test("decoding a watch joins a character whose bytes come in two chunks", async () => {
  const bytes = new TextEncoder().encode(`${added("grüße-🦆")}\n`);
  for (let at = 1; at < bytes.length; at++) {
    expect(namesOf(await decode(bytes.subarray(0, at), bytes.subarray(at)))).toEqual([["grüße-🦆"]]);
  }
});

test.each<[string, unknown]>([
  ["9007199254740993", 9007199254740993n],
  ["-9007199254740993", -9007199254740993n],
  ["[1, 9223372036854775807]", [1, 9223372036854775807n]],
  ["123456789012345", 123456789012345],
  ["-0", 0],
  ["1e3", 1000],
  ["0.5", 0.5],
  ['"9007199254740993"', "9007199254740993"],
  ['"ratio: 1e5, [ -0, 9007199254740993"', "ratio: 1e5, [ -0, 9007199254740993"],
])("decoding a watch keeps the number %s exact", async (text, expected) => {
  const [[event] = []] = await decode(`{"type":"ADDED","object":{"v": ${text}}}\n`);
  expect(event?.object["v"]).toEqual(expected);
});

const refused = (reason: string): string =>
  `an error on the server (${JSON.stringify(`unable to decode an event from the watch stream: ${reason}`)}) has prevented the request from succeeding`;

test.each<[string, string, string]>([
  ["no JSON", "x}", "invalid character 'x' looking for beginning of value"],
  ["no object", "[1]", "unable to decode to metav1.WatchEvent"],
  ["no type", '{"object":{}}', "unable to decode to metav1.WatchEvent"],
  ["no object in the event", '{"type":"ADDED","object":1}', "unable to decode to metav1.WatchEvent"],
  ["a type that there is none of", '{"type":"GROWN","object":{}}', "got invalid watch event type: GROWN"],
  [
    "nesting without end",
    `{"type":"ADDED","object":{"v":${"[".repeat(20_000)}${"]".repeat(20_000)}}}`,
    "exceeded max depth",
  ],
])("decoding a watch ends with client-go's error for a line that is %s", async (_, line, reason) => {
  const [first, second, ...more] = await decode(`${added("a")}\n`, `${line}\n${added("b")}\n`);
  expect(namesOf([first ?? []])).toEqual([["a"]]);
  expect(second).toHaveLength(1);
  expect(second?.[0]).toMatchObject({ type: "ERROR", object: { kind: "Status", code: 500, reason: "InternalError" } });
  expect(second?.[0]?.object["message"]).toBe(refused(reason));
  expect(more).toEqual([]);
});

test("decoding a watch refuses an event longer than client-go's limit, without holding more of it", async () => {
  let read = 0;
  async function* endless(): AsyncGenerator<Uint8Array> {
    for (; ; read++) yield new Uint8Array(1 << 20).fill(0x20);
  }
  const frames: WatchFrame[] = [];
  for await (const batch of watchFrames(endless())) frames.push(...batch);
  expect(read).toBe(16);
  expect(frames[0]?.object["message"]).toBe(refused("object to decode was longer than maximum allowed size"));
});

test("decoding a watch throws an ERROR event as a StatusError, after the events before it", async () => {
  const names: (string | undefined)[] = [];
  const reading = (async () => {
    for await (const batch of watchBatches(body(`${added("a")}\n${added("b")}\n${tooOld}\n`))) {
      names.push(...batch.map(({ object }) => object.metadata?.name));
    }
  })();
  await expect(reading).rejects.toSatisfy(isGone);
  expect(names).toEqual(["a", "b"]);
});

test("decoding a watch for a caller that asks for frames yields an ERROR event as the last one", async () => {
  const batches = await decode(`${added("a")}\n${tooOld}\n${added("b")}\n`);
  expect(batches.flat().map(({ type }) => type)).toEqual(["ADDED", "ERROR"]);
});
