import { isDeepStrictEqual } from "node:util";
import { expect } from "vitest";
import { CompactedError, FutureRevisionError, type Kv, type KvEvent } from "../../src/server/storage/kv.js";
import { Plan } from "./plan.js";

/**
 * The store holds exactly the first writes of the plan, readable at its last revision and at an earlier one; a watch
 * from `seen` is complete or refused. Answers the last revision.
 */
export async function expectPrefix(kv: Kv, seed: number, seen: number): Promise<number> {
  const revision = await kv.currentRevision();
  for (const at of [revision, Math.ceil(revision / 2)]) {
    const { items } = await kv.list("", { revision: at });
    const found = new Map(items.map((item) => [item.key, { value: text(item.value), revision: item.revision }]));
    expect(found).toEqual(Plan.upTo(seed, at).state);
  }
  const { writes } = Plan.upTo(seed, revision);
  const missed = writes.filter((write) => write.revision > seen).map((write) => describeWrite(write));
  const events = await eventsAfter(kv, seen, missed.length);
  if (events !== undefined) expect(events.map((event) => describeEvent(event))).toEqual(missed);
  return revision;
}

/**
 * The store lost the end of the plan's first `count` writes, all of them acknowledged: it holds exactly what an earlier
 * prefix left, none of the lost revisions comes back with another meaning, and whoever knows one has to list again.
 * Answers the last revision of the prefix.
 */
export async function expectCutPrefix(kv: Kv, seed: number, count: number): Promise<number> {
  const { items, revision } = await kv.list("");
  expect(revision).toBe(count + 2);
  const found = new Map(items.map((item) => [item.key, { value: text(item.value), revision: item.revision }]));
  const plan = new Plan(seed);
  const same = (): boolean =>
    found.size === plan.state.size && [...found].every(([key, held]) => isDeepStrictEqual(plan.state.get(key), held));
  while (!same() && plan.revision <= count) plan.next();
  expect(plan.state).toEqual(found);
  for (const known of [plan.revision, count + 1]) {
    const watch = kv.watch("", known, { signal: new AbortController().signal });
    await expect(watch[Symbol.asyncIterator]().next()).rejects.toBeInstanceOf(CompactedError);
  }
  expect(await kv.create("/after", new Uint8Array([1]))).toEqual({ revision: count + 3 });
  return plan.revision;
}

async function eventsAfter(kv: Kv, from: number, count: number): Promise<KvEvent[] | undefined> {
  const events: KvEvent[] = [];
  if (count === 0) return events;
  try {
    for await (const batch of kv.watch("", from, { signal: new AbortController().signal })) {
      events.push(...batch.events);
      if (events.length >= count) break;
    }
  } catch (error) {
    if (error instanceof CompactedError || error instanceof FutureRevisionError) return undefined;
    throw error;
  }
  return events;
}

function describeWrite({ type, key, revision, value, expected }: ReturnType<Plan["next"]>): string {
  return `${revision} ${type} ${key} ${type === "delete" ? "" : value} after ${expected}`;
}

function describeEvent({ type, key, revision, value, previous }: KvEvent): string {
  return `${revision} ${type} ${key} ${value === undefined ? "" : text(value)} after ${previous?.revision ?? 0}`;
}

function text(value: Uint8Array): string {
  return new TextDecoder().decode(value);
}
