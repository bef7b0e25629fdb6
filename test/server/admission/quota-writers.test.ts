import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Transport } from "../../../src/client/transport/transport.js";
import { type Cluster, type ClusterOptions, startCluster } from "../../../src/cluster/index.js";
import { done } from "../../helpers/admitting-server.js";
import { type Answer, call } from "../../helpers/api-caller.js";
import { etcdMissing, type EtcdServer, startEtcd, tellEtcdMissing } from "../../helpers/etcd.js";
import { eventually } from "../../helpers/eventually.js";

const WRITERS = 64;
const ROUNDS = 20;
const LIMIT = 40;

tellEtcdMissing("quotas under many writers on etcd");

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "kubets-quotas-"));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A server with the quota controller, and nothing else that writes. */
const serve = (options: Pick<ClusterOptions, "storage" | "dataDir" | "etcd">): Promise<Cluster> =>
  startCluster({ port: false, controllers: ["resourcequota-controller"], scheduler: false, ...options });

describe("64 concurrent writers reach exactly the limit of a quota, in each of 20 rounds,", () => {
  test("on memory storage", () => play(() => serve({})));

  test("again after requests that failed when they were charged", async () => {
    const cluster = await serve({});
    try {
      await repair([cluster.transport()], "repair");
    } finally {
      await cluster.close();
    }
  });

  test("on disk storage", () => play(() => serve({ storage: "disk", dataDir: join(folder, "disk") })));

  describe.skipIf(etcdMissing !== undefined)("on etcd", () => {
    let etcd: EtcdServer;

    beforeAll(async () => {
      etcd = await startEtcd();
    });

    afterAll(() => etcd?.dispose());

    let started = 0;
    const on = (prefix: string): Promise<Cluster> =>
      serve({
        storage: "etcd",
        etcd: { servers: [etcd.endpoint], prefix },
        dataDir: join(folder, `etcd-${started++}`),
      });

    test("with one server", () => play(() => on("/one")));

    test("with two servers that start at the same time", () => play(() => on("/two"), 2));

    test("while a second server joins and leaves", async () => {
      const visits = new AbortController();
      const visiting = (async () => {
        while (!visits.signal.aborted) await (await on("/visited")).close();
      })();
      try {
        await play(() => on("/visited"));
      } finally {
        visits.abort();
        await visiting;
      }
    });
  });
});

async function play(start: () => Promise<Cluster>, servers = 1): Promise<void> {
  const clusters: Cluster[] = [];
  try {
    clusters.push(...(await Promise.all(Array.from({ length: servers }, start))));
    const apis = clusters.map((cluster) => cluster.transport());
    // A round waits for what was charged two seconds ago; others go on meanwhile.
    for (let first = 0; first < ROUNDS; first += 5) {
      await Promise.all([0, 1, 2, 3, 4].map((more) => playRound(apis, `round-${first + more}`)));
    }
  } finally {
    for (const cluster of clusters) await cluster.close();
  }
}

/** Fills a quota, makes room by deleting and fills it again. */
async function playRound(apis: readonly Transport[], namespace: string): Promise<void> {
  const secrets = await limited(apis, namespace);
  const first = await race(apis, secrets, names("first", WRITERS));
  expect(tally(first, namespace)).toEqual({ created: LIMIT, refused: WRITERS - LIMIT, other: [] });
  const [one] = apis as [Transport];
  const made = namesIn(await done(one, "GET", secrets));
  expect(made.length).toBe(LIMIT);
  const room = 10;
  for (const name of made.slice(0, room)) await done(one, "DELETE", `${secrets}/${name}`);
  await usedIs(one, namespace, LIMIT - room);
  const second = await race(apis, secrets, names("second", WRITERS));
  expect(tally(second, namespace)).toEqual({ created: room, refused: WRITERS - room, other: [] });
  const held = namesIn(await done(one, "GET", secrets));
  expect(held.length).toBe(LIMIT);
  await churn(apis, secrets, held);
  await eventually(async () => {
    const left = namesIn(await done(one, "GET", secrets)).length;
    await usedIs(one, namespace, left);
    const third = tally(await race(apis, secrets, names(`third-${left}`, WRITERS)), namespace);
    expect(third).toEqual({ created: LIMIT - left, refused: WRITERS - LIMIT + left, other: [] });
  });
}

/** Deletes and creates at once: there are never more objects than the quota allows. */
async function churn(apis: readonly Transport[], secrets: string, held: readonly string[]): Promise<void> {
  const [one] = apis as [Transport];
  let most = 0;
  const look = async (): Promise<void> => {
    most = Math.max(most, namesIn(await done(one, "GET", secrets)).length);
  };
  const replace = async (name: string, n: number): Promise<void> => {
    const api = apis[n % apis.length] as Transport;
    await done(api, "DELETE", `${secrets}/${name}`);
    for (let attempt = 0; attempt < 4; attempt++) {
      await call(api, "POST", secrets, { metadata: { name: `${name}-${attempt}` } });
      if (n % 8 === 0) await look();
    }
  };
  await Promise.all(held.map(replace));
  await look();
  expect(most).toBeLessThanOrEqual(LIMIT);
}

/** Requests that fail after they were charged leave no trace in the end. */
async function repair(apis: readonly Transport[], namespace: string): Promise<void> {
  const secrets = await limited(apis, namespace);
  const [one] = apis as [Transport];
  const few = names("same", 8);
  const answers = await race(
    apis,
    secrets,
    Array.from({ length: 32 }, (_, n) => few[n % few.length] as string),
  );
  const { created, other } = tally(answers, namespace);
  expect([created, other.length]).toEqual([few.length, 32 - few.length]);
  await usedIs(one, namespace, few.length);
  const rest = await race(apis, secrets, names("rest", WRITERS));
  expect(tally(rest, namespace).created).toBe(LIMIT - few.length);
}

/** Makes a namespace with a quota of secrets that is in force. Returns the path of its secrets. */
async function limited([one]: readonly Transport[], namespace: string): Promise<string> {
  const api = one as Transport;
  const path = `/api/v1/namespaces/${namespace}`;
  await done(api, "POST", "/api/v1/namespaces", { metadata: { name: namespace } });
  await done(api, "POST", `${path}/resourcequotas`, {
    metadata: { name: "q" },
    spec: { hard: { secrets: String(LIMIT), "count/secrets": "1000" } },
  });
  await usedIs(api, namespace, 0);
  return `${path}/secrets`;
}

const names = (prefix: string, count: number): string[] => Array.from({ length: count }, (_, n) => `${prefix}-${n}`);

/** Creates a secret of each name at once, by one server after the other. */
const race = (apis: readonly Transport[], path: string, all: readonly string[]): Promise<Answer[]> =>
  Promise.all(all.map((name, n) => call(apis[n % apis.length] as Transport, "POST", path, { metadata: { name } })));

function tally(answers: readonly Answer[], namespace: string) {
  const refusal = `exceeded quota: q, requested: secrets=1, used: secrets=${LIMIT}, limited: secrets=${LIMIT}`;
  const isRefusal = (answer: Answer): boolean => answer.status === 403 && answer.text.includes(refusal);
  const others = answers.filter((answer) => answer.status !== 201 && !isRefusal(answer));
  return {
    created: answers.filter(({ status }) => status === 201).length,
    refused: answers.filter(isRefusal).length,
    other: others.map(({ text }) => `${namespace}: ${text}`),
  };
}

const namesIn = (answer: Answer): string[] =>
  (answer.at("items") as { metadata: { name: string } }[]).map(({ metadata }) => metadata.name);

const usedIs = (api: Transport, namespace: string, amount: number): Promise<void> =>
  eventually(async () => {
    const quota = await call(api, "GET", `/api/v1/namespaces/${namespace}/resourcequotas/q`);
    expect(quota.at("status.used.secrets")).toBe(String(amount));
  });
