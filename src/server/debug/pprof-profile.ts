import type { Profiler } from "node:inspector";
import { WireWriter } from "../../machinery/wire/protobuf/wire-writer.js";

/** The texts of a profile, by their numbers. The first is "". */
class Texts {
  readonly all: string[] = [""];
  readonly #numbers = new Map([["", 0]]);

  of(text: string): number {
    let number = this.#numbers.get(text);
    if (number === undefined) {
      number = this.all.push(text) - 1;
      this.#numbers.set(text, number);
    }
    return number;
  }
}

type Node = Profiler.ProfileNode;

/**
 * Writes a CPU profile of V8 as the message Profile of pprof's profile.proto. Each place of a stack is a location; a sample has the number of times that V8
 * saw the stack, and the nanoseconds that passed there. `began` is in milliseconds since the epoch.
 */
export function encodeProfile(profile: Profiler.Profile, began: number): Uint8Array {
  const { nodes, startTime, endTime, samples = [], timeDeltas = [] } = profile;
  const texts = new Texts();
  const spent = new Map<number, { count: number; microseconds: number }>();
  samples.forEach((id, index) => {
    const found = spent.get(id) ?? { count: 0, microseconds: 0 };
    found.count += 1;
    found.microseconds += Math.max(0, timeDeltas[index] ?? 0);
    spent.set(id, found);
  });
  const parents = parentsOf(nodes);
  const writer = new WireWriter()
    .message(1, valueType(texts, "samples", "count"))
    .message(1, valueType(texts, "cpu", "nanoseconds"));
  for (const [id, { count, microseconds }] of spent) {
    const sample = new WireWriter();
    for (let at: number | undefined = id; at !== undefined; at = parents.get(at)) sample.integer(1, at);
    writer.message(2, sample.integer(2, count).integer(2, microseconds * 1000));
  }
  for (const node of nodes) {
    const { lineNumber, functionName, url } = node.callFrame;
    const line = new WireWriter().integer(1, node.id).integer(2, Math.max(0, lineNumber + 1));
    writer.message(4, new WireWriter().integer(1, node.id).message(4, line));
    const name = texts.of(functionName === "" ? "(anonymous)" : functionName);
    const place = new WireWriter().integer(1, node.id).integer(2, name).integer(3, name).integer(4, texts.of(url));
    writer.message(5, place);
  }
  const period = valueType(texts, "cpu", "nanoseconds");
  for (const text of texts.all) writer.text(6, text);
  return writer
    .integer(9, BigInt(Math.trunc(began)) * 1_000_000n)
    .integer(10, Math.max(0, endTime - startTime) * 1000)
    .message(11, period)
    .integer(12, INTERVAL_MICROSECONDS * 1000)
    .finish();
}

/** The interval at which V8 samples the stack, in microseconds. Go's profiler samples every 10 ms. */
export const INTERVAL_MICROSECONDS = 1000;

const valueType = (texts: Texts, type: string, unit: string): WireWriter =>
  new WireWriter().integer(1, texts.of(type)).integer(2, texts.of(unit));

function parentsOf(nodes: readonly Node[]): ReadonlyMap<number, number> {
  const parents = new Map<number, number>();
  for (const { id, children = [] } of nodes) for (const child of children) parents.set(child, id);
  return parents;
}
