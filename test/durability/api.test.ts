import { mkdtemp, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../helpers/eventually.js";
import { diskFolder } from "./disk-folder.js";
import { type ApiEvent, type ApiObject, type ApiProcess, startApi } from "./api-process.js";
import { straceMissing } from "./strace.js";
import { buildWriter } from "./writer-process.js";

const reason = straceMissing();
const MAPS = "/api/v1/namespaces/default/configmaps";
const MERGE = "application/merge-patch+json";

let server: Awaited<ReturnType<typeof buildWriter>>;
let folder = "";

beforeAll(async () => {
  server = await buildWriter("api-server");
  folder = await mkdtemp(join(diskFolder(), "kubets-api-durability-"));
});
afterAll(async () => {
  await server.remove();
  await rm(folder, { recursive: true, force: true });
});

describe("a server process on disk storage", () => {
  test.skipIf(reason !== undefined)(
    `flushes every write before its answer leaves${reason === undefined ? "" : ` (skipped: ${reason})`}`,
    async () => {
      const log = join(folder, "trace");
      const calls = "trace=read,readv,recvfrom,recvmsg,write,pwrite64,writev,pwritev,sendmsg,sendto,fsync,fdatasync";
      const trace = ["strace", "-f", "-yy", "-s", "0", "-e", calls, "-o", log];
      const api = await startApi(server.script, join(folder, "traced"), { trace, connections: 1 });
      await api.call("GET", `${MAPS}/kube-root-ca.crt`);
      const rounds = 8;
      for (let round = 0; round < rounds; round++) {
        const path = `${MAPS}/traced-${round}`;
        const statuses = [
          await api.call("POST", MAPS, { metadata: { name: `traced-${round}` }, data: { step: "1" } }),
          await api.call("PUT", path, { metadata: { name: `traced-${round}` }, data: { step: "2" } }),
          await api.call("PATCH", path, { data: { step: "3" } }, MERGE),
          await api.call("DELETE", path),
        ].map(({ status }) => status);
        expect(statuses).toEqual([201, 200, 200, 200]);
      }
      // The client may have an answer before strace has written that it was sent.
      const steps = await eventually(async () => {
        const traced = readTrace(await readFile(log, "utf8"));
        expect(traced.at(-1)).toBe("answer");
        return traced;
      });
      await api.kill();
      const order = steps.join(" ");
      // Up to the first write the connection is made and the GET is answered.
      const requests = order.slice(order.lastIndexOf("answer request", order.indexOf("write")) + "answer ".length);
      expect(order.slice(0, -requests.length)).not.toMatch(/write|flush/);
      expect(requests).toMatch(/^(?:(?:request )+(?:write )+(?:flush )+(?:answer ?)+)+$/);
      expect(requests.match(/answer request/g)).toHaveLength(4 * rounds - 1);
    },
  );

  test("has, when it is killed at random moments, every acknowledged write after its restart", async () => {
    const directory = join(folder, "killed");
    let api = await startApi(server.script, directory, { connections: 32 });
    let [acknowledged, answers] = [0, 0];
    try {
      for (let round = 0; round < 6; round++) {
        const before = await api.call("GET", `${MAPS}?limit=1`);
        const since = Number(before.body.metadata.resourceVersion);
        const seen: ApiEvent[] = [];
        const watching = api
          .watch(`${MAPS}?watch=true&resourceVersion=${since}`, (event) => seen.push(event))
          .catch(() => {});
        const writers = Array.from({ length: 24 }, (_, writer) => write(api, `r${round}-w${writer}`, () => answers++));
        const enough = answers + 20 + Math.random() * 200;
        while (answers < enough) await sleep(1);
        await api.kill();
        const histories = await Promise.all(writers);
        await watching;
        acknowledged += histories.reduce((sum, { answered }) => sum + answered.length, 0);

        api = await startApi(server.script, directory, { connections: 32 });
        await expectSurvived(api, histories, since, seen);
      }
    } finally {
      await api.kill();
    }
    expect(acknowledged).toBeGreaterThan(100);
  });
});

interface Step {
  readonly method: "POST" | "PUT" | "PATCH" | "DELETE";
  /** What the object holds afterwards; undefined: it is gone. */
  readonly holds: string | undefined;
}

interface History {
  readonly name: string;
  /** With the resourceVersion each got; 0 for a deletion, whose answer names none of its own. */
  readonly answered: readonly (Step & { readonly version: number })[];
  /** Sent when the server died. */
  readonly pending: Step | undefined;
}

const STEPS = ["POST", "PUT", "PATCH", "PATCH", "DELETE"] as const;

/** Writes one object, each write after the answer of the last, until the connection breaks. */
async function write(api: ApiProcess, name: string, onAnswer: () => void): Promise<History> {
  const answered: (Step & { version: number })[] = [];
  for (let at = 0; ; at++) {
    const method = STEPS[at % STEPS.length] ?? "POST";
    const text = `${at}:${"x".repeat(Math.floor(Math.random() * 800))}`;
    const step: Step = { method, holds: method === "DELETE" ? undefined : text };
    const path = method === "POST" ? MAPS : `${MAPS}/${name}`;
    const body = method === "DELETE" ? undefined : { metadata: { name }, data: { text } };
    let answer;
    try {
      answer = await api.call(method, path, body, method === "PATCH" ? MERGE : undefined);
    } catch {
      return { name, answered, pending: step };
    }
    expect(answer.status).toBe(method === "POST" ? 201 : 200);
    onAnswer();
    answered.push({ ...step, version: method === "DELETE" ? 0 : Number(answer.body.metadata.resourceVersion) });
  }
}

/** Everything acknowledged is there, revisions have no gap, and a watch goes on where the last one was cut. */
async function expectSurvived(
  api: ApiProcess,
  histories: readonly History[],
  since: number,
  seen: readonly ApiEvent[],
): Promise<void> {
  const { body: list } = await api.call("GET", MAPS);
  const held = new Map(list.items?.map(({ metadata, data }) => [metadata.name, data?.text]));
  for (const { name, answered, pending } of histories) {
    const possible = [answered.at(-1)?.holds, ...(pending === undefined ? [] : [pending.holds])];
    expect(possible, `${name} after ${answered.length} answers`).toContain(held.get(name));
  }

  const last = Number(list.metadata.resourceVersion);
  const events = await eventsSince(api, since, last);
  const versions = events.map((event) => version(event.object));
  expect(versions).toEqual(versions.map((_, index) => since + 1 + index));
  const byVersion = new Map(events.map((event) => [version(event.object), event]));
  for (const { name, answered } of histories) {
    for (const step of answered.filter((one) => one.version > 0)) {
      expect(byVersion.get(step.version)?.object).toMatchObject({ metadata: { name }, data: { text: step.holds } });
    }
    const deletions = events.filter(({ type, object }) => type === "DELETED" && object.metadata.name === name).length;
    expect(deletions).toBeGreaterThanOrEqual(answered.filter(({ method }) => method === "DELETE").length);
  }

  // What a watcher was shown before the crash is what happened, and a watch from there shows the rest.
  expect(seen).toEqual(events.slice(0, seen.length));
  const lastSeen = seen.at(-1);
  const resumed = await eventsSince(api, lastSeen === undefined ? since : version(lastSeen.object), last);
  expect(resumed).toEqual(events.slice(seen.length));
}

/** All events of ConfigMaps after `from` up to `last`; a watch refused with 410 fails here: nothing was compacted. */
async function eventsSince(api: ApiProcess, from: number, last: number): Promise<ApiEvent[]> {
  const events: ApiEvent[] = [];
  await api.watch(`${MAPS}?watch=true&resourceVersion=${from}&timeoutSeconds=1`, (event) => events.push(event));
  expect(events.filter(({ type }) => type === "ERROR")).toEqual([]);
  return events.filter(({ object }) => version(object) <= last);
}

const version = (object: ApiObject): number => Number(object.metadata.resourceVersion);

function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** What went over the connection and into the write-ahead log since the server was ready, in the order in which calls ended. */
function readTrace(trace: string): string[] {
  const order: string[] = [];
  const open = new Map<string, string>();
  let ready = false;
  for (const line of trace.split("\n")) {
    const [, thread = "", rest = ""] = /^([0-9]+) +(.*)$/.exec(line) ?? [];
    if (rest.endsWith("<unfinished ...>")) {
      open.set(thread, rest);
      continue;
    }
    const call = /^<\.\.\. \w+ resumed>/.test(rest) ? (open.get(thread) ?? "") : rest;
    if (/ = -?[0-9]*[1-9]/.exec(rest) === null && !/^f(data)?sync/.test(call)) continue;
    if (rest.includes(" = -1 ")) continue;
    if (call.startsWith("write(1<")) ready = true;
    if (!ready) continue;
    if (/^p?writev?(64)?\(/.test(call) && call.includes("data.db-wal>")) order.push("write");
    else if (/^f(data)?sync/.test(call) && call.includes("data.db-wal>")) order.push("flush");
    else if (/^(?:readv?|recvfrom|recvmsg)\([0-9]+<TCP/.test(call)) order.push("request");
    else if (/^(?:writev?|sendmsg|sendto)\([0-9]+<TCP/.test(call)) order.push("answer");
  }
  return order;
}
