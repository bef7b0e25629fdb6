import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { X509Certificate } from "node:crypto";
import { createSecureServer } from "node:http2";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { systemClock } from "../../../../src/base/time/clock.js";
import { systemRandom } from "../../../../src/base/numbers/random.js";
import { issueCertificate, issuerOf } from "../../../../src/machinery/crypto/issue-certificate.js";
import { createClusterPki } from "../../../../src/cluster/pki/cluster-pki.js";
import { answered, EtcdClient } from "../../../../src/server/storage/etcd/etcd-client.js";
import { openEtcdKv } from "../../../../src/server/storage/etcd/etcd-kv.js";
import { txn } from "../../../../src/server/storage/etcd/messages.js";
import { bigInteger, message, nesteds } from "../../../../src/server/storage/etcd/protobuf.js";
import {
  ClosedError,
  CompactedError,
  type Kv,
  type KvEvent,
  UnavailableError,
  TooLargeError,
} from "../../../../src/server/storage/kv.js";
import { createStorage } from "../../../../src/server/storage/create-storage.js";
import { openMemoryKv } from "../../../../src/server/storage/memory/memory-kv.js";
import { errorMessage } from "../../../../src/base/text/error-message.js";
import { systemTimers } from "../../../../src/base/time/timers.js";
import { etcdRequest, plainCodec, pod, PODS } from "../../../suites/store-harness.js";
import {
  deadEndpoint,
  etcdMissing,
  type EtcdServer,
  openTestKv,
  startEtcd,
  tellEtcdMissing,
} from "../../../helpers/etcd.js";
import { startTcpProxy, type TcpProxy } from "../../../helpers/tcp-proxy.js";

tellEtcdMissing("the fault test of etcd storage");

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const portOf = (endpoint: string): number => Number(new URL(endpoint).port);
const addressOf = ({ endpoint }: EtcdServer): string => new URL(endpoint).host;

describe.skipIf(etcdMissing !== undefined)("our storage on etcd, with faults of etcd and its network", () => {
  let server: EtcdServer;
  const opened: Kv[] = [];
  const proxies: TcpProxy[] = [];
  beforeAll(async () => {
    server = await startEtcd();
  });
  afterAll(() => server.dispose());
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((kv) => kv.close()));
    await Promise.all(proxies.splice(0).map((proxy) => proxy.close()));
  });

  async function open(...given: Parameters<typeof openTestKv>): Promise<Kv> {
    const kv = await openTestKv(...given);
    opened.push(kv);
    return kv;
  }

  async function proxy(): Promise<TcpProxy> {
    const made = await startTcpProxy(portOf(server.endpoint));
    proxies.push(made);
    return made;
  }

  test("starts on a new etcd at revision 1, and a watch from there sees everything", async () => {
    const fresh = await startEtcd();
    const kv = await openTestKv(fresh);
    expect(await kv.currentRevision()).toBe(1);
    await kv.create("/a", bytes("1"));
    expect(await collect(kv, 1, 1)).toMatchObject([{ type: "create", key: "/a", revision: 2 }]);
    await kv.close();
    await fresh.dispose();
  });

  test("never sees keys outside of its prefix", async () => {
    const mine = await open(server, { prefix: "/mine" });
    const from = await mine.currentRevision();
    for (const prefix of ["/min", "/mine2", "/mine.d", "/"]) {
      await (await open(server, { prefix })).create("/x", bytes("theirs"));
    }
    await mine.create("/x", bytes("mine"));
    expect((await mine.list("")).items.map(({ key }) => key)).toEqual(["/x"]);
    expect(await mine.count("")).toBe(1);
    expect(await collect(mine, from, 1)).toMatchObject([{ key: "/x", revision: from + 5 }]);
    const { kv: got } = await mine.get("/x");
    expect(Buffer.from(got?.value ?? []).toString()).toBe("mine");
  });

  test("keeps its keys below --etcd-prefix, where kube-apiserver has them", async () => {
    const kv = await openEtcdKv({ endpoints: [server.endpoint], prefix: "clusters/a/" });
    opened.push(kv);
    await kv.create("/registry/pods/default/web", bytes("pod"));
    const whole = await open(server, { prefix: "" });
    expect((await whole.get("/clusters/a/pods/default/web")).kv?.value).toEqual(bytes("pod"));
    await expect(kv.get("/elsewhere/x")).rejects.toBeInstanceOf(RangeError);
    expect((await kv.list("")).items.map(({ key }) => key)).toEqual(["/registry/pods/default/web"]);
    expect(await kv.count("/reg")).toBe(1);
  });

  test("limits objects exactly as etcd does by default", async () => {
    const key = "/registry/pods/default/a";
    const storage = createStorage({ kv: openMemoryKv({ clock: systemClock, timers: systemTimers }) });
    const pods = storage.storeFor({ prefix: "/registry/pods/", resource: PODS, codec: plainCodec });
    const raw = rawClient(server);
    const ofLength = (length: number) => pod("default", "a", { text: "x".repeat(length) });
    const least = etcdRequest(key, plainCodec.encode(ofLength(1_500_000))).length;
    /** What etcd, asked as kube-apiserver asks it, and the storage in memory answer to an object whose request has so many bytes. */
    const answers = async (length: number): Promise<readonly string[]> => {
      const object = ofLength(1_500_000 + length - least);
      const { message } = etcdRequest(key, plainCodec.encode(object));
      const asEncoded = { ...txn, request: { encode: (bytes: Uint8Array) => bytes } };
      const told = (writing: Promise<unknown>) => writing.then(() => "stored", errorMessage);
      const created = await told(pods.create("default/a", object));
      if (created === "stored") await pods.delete("default/a");
      return [await told(answered(raw.write(asEncoded, message))), created];
    };
    const tooLarge = "etcdserver: request is too large";
    expect(await answers(1_572_864)).toEqual(["stored", "stored"]);
    // An id in etcd's header may be two bytes shorter than the longest.
    expect(await answers(1_572_864 + 3)).toEqual([tooLarge, tooLarge]);
    const larger = await answers(2_200_000);
    expect(larger[0]).toBe(larger[1]);
    expect(larger[0]).toMatch(
      /^rpc error: code = ResourceExhausted desc = trying to send message larger than max \(2199\d{3} vs\. 2097152\)$/,
    );
    raw.close();
    await storage.close();
  });

  test("reports etcd's own size limit in the words of Go's client, and the write counts as not done", async () => {
    const kv = await open(server);
    const { revision } = await kv.create("/a", bytes("1"));
    const refused = (length: number) =>
      kv.update("/a", new Uint8Array(length), revision).catch((error: unknown) => error);
    const answer = await refused(1_600_000);
    expect(answer).toBeInstanceOf(TooLargeError);
    expect(answer).toMatchObject({ outcome: "not-done", message: "etcdserver: request is too large" });
    const larger = await refused(2_200_000);
    expect(larger).toBeInstanceOf(TooLargeError);
    expect(larger).toMatchObject({ outcome: "not-done", status: { code: 500 } });
    expect((larger as Error).message).toMatch(
      /^rpc error: code = ResourceExhausted desc = trying to send message larger than max \(22000\d\d vs\. 2097152\)$/,
    );
    expect((await kv.get("/a")).kv).toMatchObject({ revision, value: bytes("1") });
  });

  test("lists in pages of one revision when a list exceeds gRPC's limits", async () => {
    const kv = await open(server);
    const value = new Uint8Array(4000).fill(97);
    const names = Array.from({ length: 2500 }, (_, n) => `/p/${String(n).padStart(4, "0")}`);
    await Promise.all(names.map((name) => kv.create(name, value)));
    const all = await kv.list("/p/");
    expect(all.items.map(({ key }) => key)).toEqual(names);
    expect(all.remaining).toBe(0);
    const some = await kv.list("/p/", { limit: 2000, startAfter: "/p/0009", revision: all.revision });
    expect(some.items.map(({ key }) => key)).toEqual(names.slice(10, 2010));
    expect(some.remaining).toBe(490);
    const past = await kv.list("/p/", { startAfter: "/q" });
    expect(past).toMatchObject({ items: [], remaining: 0 });
  });

  test("sends a watch that has to catch up each revision once and completely", async () => {
    const kv = await open(server);
    const from = await kv.currentRevision();
    const value = new Uint8Array(200_000).fill(98);
    let { revision } = await kv.create("/big", value);
    for (let n = 0; n < 30; n++) ({ revision } = await kv.update("/big", value, revision));
    const events = await collect(kv, from, 31);
    expect(events.map((event) => event.revision)).toEqual(Array.from({ length: 31 }, (_, n) => from + 1 + n));
    expect(events.slice(1).every(({ previous }) => previous?.value.length === 200_000)).toBe(true);
  });

  test("puts all events of one revision into one batch", async () => {
    const prefix = "/together";
    const kv = await open(server, { prefix });
    const from = await kv.currentRevision();
    const raw = rawClient(server);
    const keys = Array.from({ length: 40 }, (_, n) => `${prefix}/${String(n).padStart(2, "0")}`);
    const value = new Uint8Array(30_000).fill(99);
    for (const part of [value, value, value]) {
      await raw.write(txn, { success: keys.map((key) => ({ put: { key: bytes(key), value: part } })) });
    }
    raw.close();
    const seen: number[][] = [];
    for await (const { events } of kv.watch("", from, { signal: new AbortController().signal })) {
      seen.push(events.map(({ revision }) => revision - from));
      if (seen.flat().length >= 120) break;
    }
    for (const n of [1, 2, 3]) {
      expect(seen.filter((batch) => batch.includes(n))).toHaveLength(1);
      expect(seen.flat().filter((revision) => revision === n)).toHaveLength(40);
    }
  });

  test("shares a lease between keys with similar times to live, and replaces an expired lease", async () => {
    const kv = await open(server);
    const raw = rawClient(server);
    const before = (await raw.read(leases, {})).leases.map(({ id }) => id);
    for (const name of ["/a", "/b", "/c"]) await kv.create(name, bytes("1"), { ttlSeconds: 1000 });
    const made = (await raw.read(leases, {})).leases.map(({ id }) => id).filter((id) => !before.includes(id));
    expect(made).toHaveLength(1);
    const from = await kv.currentRevision();
    await raw.write(revokeLease, { id: made[0] ?? 0n });
    raw.close();
    const { revision } = await kv.create("/d", bytes("1"), { ttlSeconds: 1000 });
    expect(revision).toBe(from + 2);
    const gone = (await collect(kv, from, 4)).filter(({ type }) => type === "delete");
    expect(gone.map(({ type, key }) => `${type} ${key}`).sort()).toEqual(["delete /a", "delete /b", "delete /c"]);
    expect(gone.every((event) => event.revision === from + 1 && event.previous !== undefined)).toBe(true);
    expect((await kv.list("")).items.map(({ key }) => key)).toEqual(["/d"]);
  });

  test("compacts at most to the current revision", async () => {
    const kv = await open(server);
    const { revision } = await kv.create("/a", bytes("1"));
    await kv.compact(revision + 1000);
    await kv.compact(revision);
    await expect(kv.list("", { revision: revision - 1 })).rejects.toMatchObject({ compacted: revision });
  });

  test("skips an endpoint that does not answer, at the start and later", async () => {
    const kv = await open(server, { endpoints: [await deadEndpoint(), server.endpoint] });
    expect(kv.freshness).toBe("quorum");
    const { revision } = await kv.create("/a", bytes("1"));
    expect((await kv.get("/a")).kv?.revision).toBe(revision);
  });

  test("changes to another endpoint when the current one breaks, for reads, writes and watches", async () => {
    const first = await proxy();
    const kv = await open(server, { endpoints: [first.address, addressOf(server)] });
    const from = await kv.currentRevision();
    const events = collect(kv, from, 4);
    await kv.create("/a", bytes("1"));
    await kv.create("/b", bytes("1"));
    first.cut();
    expect((await kv.list("")).items).toHaveLength(2);
    await kv.create("/c", bytes("1"));
    await kv.create("/d", bytes("1"));
    expect((await events).map(({ key, revision }) => `${key}@${revision - from}`)).toEqual([
      "/a@1",
      "/b@2",
      "/c@3",
      "/d@4",
    ]);
  });

  test("continues a watch when its connection breaks, and reports what was compacted meanwhile", async () => {
    const prefix = "/broken";
    const direct = await open(server, { prefix });
    const way = await proxy();
    const kv = await open(server, { endpoints: [way.address], prefix });
    const watch = (await open(server, { endpoints: [way.address], prefix }))
      .watch("", await kv.currentRevision(), { signal: new AbortController().signal })
      [Symbol.asyncIterator]();
    const first = watch.next();
    let { revision } = await direct.create("/a", bytes("1"));
    expect((await first).value).toMatchObject({ events: [{ type: "create", revision }], revision });
    way.cut();
    const before = revision;
    const next = watch.next();
    ({ revision } = await direct.update("/a", bytes("2"), revision));
    way.mend();
    expect((await next).value).toMatchObject({ events: [{ type: "update", previous: { revision: before } }] });
    way.cut();
    const refused = watch.next();
    ({ revision } = await direct.update("/a", bytes("3"), revision));
    const compacted = (await direct.delete("/a", revision)).revision;
    await direct.compact(compacted);
    way.mend();
    const error: unknown = await refused.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(CompactedError);
    expect(error).toMatchObject({ requested: before + 1, compacted });
  });

  test("times out without an answer, with an unknown outcome for a write, and recovers", async () => {
    const own = await startEtcd();
    const kv = await openTestKv(own, { timeoutMilliseconds: 1000 });
    const from = await kv.currentRevision();
    const events = collect(kv, from, 1);
    await own.pause();
    const write: unknown = await kv.create("/a", bytes("1")).catch((reason: unknown) => reason);
    expect(write).toBeInstanceOf(UnavailableError);
    expect(write).toMatchObject({ message: "context deadline exceeded", outcome: "unknown", status: { code: 500 } });
    await expect(kv.get("/a")).rejects.toBeInstanceOf(UnavailableError);
    await expect(kv.check()).rejects.toBeInstanceOf(UnavailableError);
    own.resume();
    await expect.poll(() => kv.check().then(() => "well", String)).toBe("well");
    // It did happen, late, or it did not: nothing else, and at most once.
    const { kv: found } = await kv.get("/a");
    if (found === undefined) await kv.create("/a", bytes("1"));
    else expect(found.revision).toBe(from + 1);
    expect((await events).map(({ key, revision }) => `${key}@${revision - from}`)).toEqual(["/a@1"]);
    await kv.close();
    await own.dispose();
  });

  test("waits with a write for an etcd that restarts, and watches see everything once", async () => {
    const own = await startEtcd();
    const kv = await openTestKv(own);
    const from = await kv.currentRevision();
    const events = collect(kv, from, 4);
    await kv.create("/a", bytes("1"));
    await own.stop();
    const waiting = kv.create("/b", bytes("1"));
    await own.restart();
    expect(await waiting).toEqual({ revision: from + 2 });
    await own.kill();
    await own.restart();
    await kv.create("/c", bytes("1"));
    await kv.create("/d", bytes("1"));
    expect((await events).map(({ key, revision }) => `${key}@${revision - from}`)).toEqual([
      "/a@1",
      "/b@2",
      "/c@3",
      "/d@4",
    ]);
    await kv.close();
    await own.dispose();
  });

  test("closes within the time limit of a call when etcd does not answer", async () => {
    const own = await startEtcd();
    const kv = await openTestKv(own, { timeoutMilliseconds: 500 });
    const watch = collect(kv, await kv.currentRevision(), 1);
    await own.pause();
    const read = kv.get("/a").catch((reason: unknown) => reason);
    const write = kv.create("/a", bytes("1")).catch((reason: unknown) => reason);
    await kv.close();
    expect(await read).toBeInstanceOf(ClosedError);
    expect(await write).toMatchObject({ outcome: "unknown" });
    expect(await watch).toEqual([]);
    await expect(kv.check()).rejects.toBeInstanceOf(ClosedError);
    own.resume();
    await own.dispose();
  });

  test("reports a request that etcd refuses in etcd's words, as not done", async () => {
    const own = await startEtcd({ flags: ["--quota-backend-bytes=2000000"] });
    const kv = await openTestKv(own);
    await expect(kv.create("/large", new Uint8Array(1_800_000))).rejects.toMatchObject({
      message: "etcdserver: request is too large",
      outcome: "not-done",
    });
    let full: unknown;
    for (let n = 0; n < 400 && full === undefined; n++) {
      full = await kv.create(`/${n}`, new Uint8Array(200_000)).then(
        () => undefined,
        (reason: unknown) => reason,
      );
      // etcd counts its space when it commits, ten times a second.
      await setTimeout(25);
    }
    const noSpace = { message: "etcdserver: mvcc: database space exceeded", outcome: "not-done" };
    expect(full).toMatchObject(noSpace);
    await expect(kv.check()).rejects.toMatchObject(noSpace);
    expect((await kv.get("/0")).kv).toBeDefined();
    await kv.close();
    await own.dispose();
  });

  test("does not open when nothing answers, and gives the reason", async () => {
    const dead = await deadEndpoint();
    const error: unknown = await openEtcdKv({ endpoints: [dead], timeoutMilliseconds: 500 }).catch(
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(UnavailableError);
    expect(error).toMatchObject({ message: expect.stringContaining("ECONNREFUSED") });
    await expect(openEtcdKv({ endpoints: ["ftp://x"] })).rejects.toThrow('"ftp://x" is not an address');
    await expect(openEtcdKv({ endpoints: [] })).rejects.toThrow("no address is given");
  });

  test("asks for progress when etcd's version supports it reliably", async ({ skip }) => {
    const prefix = "/progress";
    const kv = await open(server, { prefix });
    const { requestProgress } = kv;
    if (kv.freshness !== "progress" || requestProgress === undefined) {
      expect(requestProgress).toBeUndefined();
      skip("this etcd is older than 3.4.31 and 3.5.13");
      return;
    }
    const other = await open(server);
    const watch = kv.watch("", await kv.currentRevision(), { signal: new AbortController().signal });
    const batches = watch[Symbol.asyncIterator]();
    for (let n = 0; n < 3; n++) {
      const next = batches.next();
      const { revision } = await other.create(`/${n}`, bytes("1"));
      await requestProgress();
      let { value } = await next;
      while ((value?.revision ?? 0) < revision) ({ value } = await batches.next());
      expect(value).toMatchObject({ events: [] });
    }
    const next = batches.next();
    await kv.create("/a", bytes("1"));
    expect((await next).value?.events).toMatchObject([{ key: "/a" }]);
    await batches.return?.();
  });
});

describe.skipIf(etcdMissing !== undefined)("our storage on etcd over TLS", () => {
  const folder = mkdtempSync(join(tmpdir(), "kubets-etcd-tls-"));
  const file = (name: string, content: string): string => {
    const path = join(folder, name);
    writeFileSync(path, content);
    return path;
  };
  const pki = createClusterPki(systemClock, systemRandom, systemClock);
  const caFile = file("ca.pem", pki.ca.certificate);
  const client = {
    caFile,
    certFile: file("client.pem", pki.admin.certificate),
    keyFile: file("client-key.pem", pki.admin.key),
  };
  let server: EtcdServer;
  beforeAll(async () => {
    server = await startEtcd({
      tls: {
        caFile,
        certFile: file("server.pem", pki.server.certificate),
        keyFile: file("server-key.pem", pki.server.key),
      },
    });
  });
  afterAll(async () => {
    await server.dispose();
    rmSync(folder, { recursive: true, force: true });
  });

  test.each(["https://", ""])("sends its client certificate to %shost:port", async (scheme) => {
    const kv = await openTestKv(server, { endpoints: [scheme + addressOf(server)], ...client });
    expect(await kv.create("/a", bytes("1"))).toEqual({ revision: await kv.currentRevision() });
    await kv.close();
  });

  test("reports an etcd of an unknown authority, and one that wants a certificate", async () => {
    const other = createClusterPki(systemClock, systemRandom, systemClock);
    const timeoutMilliseconds = 500;
    await expect(
      openTestKv(server, { ...client, caFile: file("other.pem", other.ca.certificate), timeoutMilliseconds }),
    ).rejects.toThrow(/certificate/);
    await expect(openTestKv(server, { caFile, timeoutMilliseconds })).rejects.toBeInstanceOf(UnavailableError);
    await expect(openTestKv(server, { caFile, certFile: client.certFile })).rejects.toThrow("needed together");
  });

  test("refuses a certificate for another host", async () => {
    const [caName = ""] = /(?<=^CN=).*$/m.exec(new X509Certificate(pki.ca.certificate).subject) ?? [];
    const { certificate, key } = issueCertificate(
      {
        commonName: "stranger",
        notBefore: Date.now() - 60_000,
        notAfter: Date.now() + 3_600_000,
        serial: systemRandom.bytes(16),
        usage: "server",
        names: ["stranger.example", "127.0.0.2"],
      },
      issuerOf(pki.ca, caName),
    );
    const stranger = createSecureServer({ cert: certificate, key });
    await new Promise<void>((resolve) => stranger.listen(0, "127.0.0.1", resolve));
    const { port } = stranger.address() as AddressInfo;
    const opening = openEtcdKv({ endpoints: [`https://127.0.0.1:${port}`], ...client, timeoutMilliseconds: 3000 });
    await expect(opening).rejects.toThrow(
      "Hostname/IP does not match certificate's altnames: IP: 127.0.0.1 is not in the cert's list: 127.0.0.2",
    );
    stranger.close();
  });
});

const leases = {
  path: "/etcdserverpb.Lease/LeaseLeases",
  request: message({}),
  response: message({ leases: nesteds(2, message({ id: bigInteger(1) })) }),
};
const revokeLease = {
  path: "/etcdserverpb.Lease/LeaseRevoke",
  request: message({ id: bigInteger(1) }),
  response: message({}),
};

function rawClient(server: EtcdServer): EtcdClient {
  return new EtcdClient({
    addresses: [{ target: addressOf(server) }],
    timeoutMilliseconds: 10_000,
    clock: systemClock,
  });
}

/** The first `count` events, or what came before the store closed. */
async function collect(kv: Kv, from: number, count: number): Promise<KvEvent[]> {
  const events: KvEvent[] = [];
  for await (const batch of kv.watch("", from, { signal: new AbortController().signal })) {
    events.push(...batch.events);
    if (events.length >= count) break;
  }
  return events;
}
