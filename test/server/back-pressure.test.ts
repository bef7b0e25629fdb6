import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Cluster } from "../../src/cluster/index.js";
import { buildWriter } from "../durability/writer-process.js";
import { http1Client, http2Client, type WireClient } from "../helpers/wire-client.js";
import type { Reach, Usage } from "./back-pressure/server-process.js";
import {
  overHttp1,
  overHttp2,
  overHttp2WithEndlessWindows,
  type StalledReader,
} from "./back-pressure/stalled-reader.js";
import { watchChanges } from "./back-pressure/watcher.js";

const MAPS = "/api/v1/namespaces/default/configmaps";
const MEGABYTE = 2 ** 20;
const OBJECTS = 2000;
const OBJECT_BYTES = 10_000;
const CLIENTS = 50;
const UPDATES = 60;
/** Each of the stalled requests asks for all objects: together 400 MB. */
const STALLED = 20;

let program: Awaited<ReturnType<typeof buildWriter>>;
let child: ChildProcess;
let server: Reach;
let writer: WireClient;

beforeAll(async () => {
  program = await buildWriter("server-process", "test/server/back-pressure");
  child = fork(program.script, { execArgv: ["--expose-gc"] });
  [server] = (await once(child, "message")) as [Reach];
  writer = http2Client(server as Cluster);
  for (let from = 0; from < OBJECTS; from += 100) {
    await Promise.all(Array.from({ length: 100 }, (_, index) => write("POST", from + index, "a")));
  }
});

afterAll(async () => {
  writer.close();
  child.send("stop");
  await once(child, "exit");
  await program.remove();
});

async function write(method: "POST" | "PUT", index: number, letter: string): Promise<void> {
  const name = `map-${index}`;
  const { status, body } = await writer.send({
    method,
    path: method === "POST" ? MAPS : `${MAPS}/${name}`,
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ metadata: { name }, data: { text: letter.repeat(OBJECT_BYTES) } }),
  });
  if (status !== (method === "POST" ? 201 : 200)) throw new Error(`${method} ${name}: ${status} ${body.toString()}`);
}

async function resident(): Promise<number> {
  child.send("usage");
  const [usage] = (await once(child, "message")) as [Usage];
  return usage.resident;
}

/** The fifty, each listing and watching, while something is written that all of them see. */
async function busyFifty(letter: string): Promise<void> {
  const { metadata } = await page(writer, 1);
  const path = `${MAPS}?watch=true&resourceVersion=${metadata.resourceVersion}`;
  const clients = Array.from({ length: CLIENTS }, async (_, index) => {
    const protocol = index % 2 === 0 ? "HTTP/1.1" : "HTTP/2";
    const client = (protocol === "HTTP/2" ? http2Client : http1Client)(server as Cluster);
    const [, { items }] = await Promise.all([watchChanges(server, protocol, path, UPDATES), page(client, 50)]);
    client.close();
    return items.length;
  });
  for (let index = 0; index < UPDATES; index++) await write("PUT", index, letter);
  expect(await Promise.all(clients)).toEqual(Array.from({ length: CLIENTS }, () => 50));
}

interface Page {
  readonly metadata: { readonly resourceVersion: string };
  readonly items: readonly object[];
}

async function page(client: WireClient, limit: number): Promise<Page> {
  const { body } = await client.send({ path: `${MAPS}?limit=${limit}` });
  return JSON.parse(body.toString("utf8")) as Page;
}

describe("a client that stops reading its answer", () => {
  const readers: readonly (readonly [string, StalledReader, string])[] = [
    ["over HTTP/1.1", overHttp1, "c"],
    ["over HTTP/2", overHttp2, "d"],
    ["over HTTP/2 with endless windows", overHttp2WithEndlessWindows, "e"],
  ];

  test.each(readers)("%s affects no other client and takes little memory", async (_name, stall, letter) => {
    await busyFifty("b");
    const before = await resident();
    const paths = Array.from({ length: STALLED }, (_, index) => (index % 2 === 0 ? MAPS : `${MAPS}?watch=true`));
    const reader = await stall(server, paths);
    try {
      await busyFifty(letter);
      const grown = (await resident()) - before;
      expect(grown / MEGABYTE).toBeLessThan(100);
    } finally {
      reader.leave();
    }
  });
});
