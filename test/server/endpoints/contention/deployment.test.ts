import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startCluster } from "../../../../src/cluster/index.js";
import type { KubeObject } from "../../../../src/machinery/meta/object.js";
import { call } from "../../../helpers/api-caller.js";
import { quietCluster } from "../../../helpers/quiet-cluster.js";
import { watchEvents } from "../../../helpers/watch-events.js";
import { applyConflict, Ledger, staleWrite, versionOf } from "./ledger.js";

// As with a configuration map, on lists whose items have keys: each of the three works on a container of its own, one by
// PUT, one by strategic merge patch, one by server-side apply.

const ROUNDS = 500;
const DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments";
const STALE = staleWrite("deployments", "busy", "apps");

interface Container {
  name: string;
  image: string;
  env?: { name: string; value: string }[];
  ports?: { name?: string; containerPort: number; protocol?: string }[];
}

const containersOf = (object: KubeObject): Container[] =>
  (object as unknown as { spec: { template: { spec: { containers: Container[] } } } }).spec.template.spec.containers;
const containerOf = (object: KubeObject, name: string): Container | undefined =>
  containersOf(object).find((one) => one.name === name);
const image = (name: string, count: number): string => `${name}:${count}`;
const podSpec = (...containers: object[]) => ({ spec: { template: { spec: { containers } } } });

/** The environment after so many changes: each change adds a variable or takes one out. */
function environment(count: number): { name: string; value: string }[] {
  const held = new Map<string, string>();
  for (let change = 1; change <= count; change++) {
    const name = variable(change);
    if (!held.delete(name)) held.set(name, `${change}`);
  }
  return [...held].map(([name, value]) => ({ name, value })).toSorted(byName);
}

const variable = (change: number): string => `V${(change * 3) % 5}`;
const byName = (a: { name: string }, b: { name: string }): number => (a.name < b.name ? -1 : 1);

/** The ports after so many changes, as they are applied: a key's default may be left out. */
function applied(count: number): { containerPort: number; protocol?: string; name?: string }[] {
  const all = [
    { containerPort: 80 },
    { containerPort: 53, protocol: "UDP", name: "dns" },
    { containerPort: 53, protocol: "TCP", name: "dns-tcp" },
  ];
  return all.filter((_, index) => (count >> index) % 2 === 1);
}

interface Counts {
  updater: number;
  patcher: number;
  applier: number;
}

async function update(ledger: Ledger, counts: Counts): Promise<void> {
  for (let round = 0; round < ROUNDS; ) {
    const object = await ledger.read();
    const own = containerOf(object, "updater") as Container;
    expect([own.image, (own.env ?? []).toSorted(byName)]).toEqual([
      image("updater", counts.updater),
      environment(counts.updater),
    ]);
    const idle = round % 5 === 4;
    const read = versionOf(object);
    if (!idle) {
      own.image = image("updater", counts.updater + 1);
      own.env = environment(counts.updater + 1);
    }
    const reply = await ledger.put("updater", object);
    if (reply.status === 409) {
      expect(reply.object).toEqual(STALE);
      continue;
    }
    expect(reply.status).toBe(200);
    if (idle) {
      expect(versionOf(reply.object)).toBe(read);
      ledger.unchanged(reply);
    } else {
      counts.updater++;
      ledger.changed(reply);
    }
    round++;
  }
}

async function patch(ledger: Ledger, counts: Counts, first: string): Promise<void> {
  const send = (body: object) => ledger.patch("patcher", "strategic-merge", body);
  let held: readonly { name: string; value: string }[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    if (round % 7 === 6) {
      const stale = { metadata: { resourceVersion: first }, ...podSpec({ name: "patcher", image: "stale" }) };
      expect((await send(stale)).object).toEqual(STALE);
      continue;
    }
    const idle = round % 5 === 4;
    const next = counts.patcher + 1;
    const name = variable(next);
    const gone = environment(counts.patcher).some((one) => one.name === name);
    const change = {
      image: image("patcher", next),
      env: [gone ? { name, $patch: "delete" } : { name, value: `${next}` }],
    };
    // In the object's own order: another order would be a change.
    const same = { image: image("patcher", counts.patcher), env: held };
    const reply = await send(podSpec({ name: "patcher", ...(idle ? same : change) }));
    expect(reply.status).toBe(200);
    if (idle) ledger.unchanged(reply);
    else {
      counts.patcher++;
      ledger.changed(reply);
    }
    held = (containerOf(reply.object, "patcher") as Container).env ?? [];
    expect(held.toSorted(byName)).toEqual(environment(counts.patcher));
  }
}

async function apply(ledger: Ledger, counts: Counts): Promise<void> {
  const own = () => ({ name: "applier", image: image("applier", counts.applier), ports: applied(counts.applier) });
  const send = (...containers: object[]) =>
    ledger.apply("applier", {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "busy" },
      ...podSpec(...containers),
    });
  for (let round = 0; round < ROUNDS; round++) {
    if (round % 7 === 6) {
      const theirs = [
        { name: "patcher", image: "mine" },
        { name: "updater", image: "mine" },
      ];
      const path = (name: string) => `.spec.template.spec.containers[name="${name}"].image`;
      expect((await send(own(), ...theirs)).object).toEqual(
        applyConflict(['"patcher" using apps/v1', path("patcher")], ['"updater" using apps/v1', path("updater")]),
      );
      continue;
    }
    const idle = round % 5 === 4;
    if (!idle) counts.applier++;
    const reply = await send(own());
    expect(reply.status).toBe(200);
    if (idle) ledger.unchanged(reply);
    else ledger.changed(reply);
    const { ports = [] } = containerOf(reply.object, "applier") as Container;
    expect(ports).toEqual(applied(counts.applier).map((port) => ({ protocol: "TCP", ...port })));
  }
}

test.each(["memory", "disk"] as const)(
  `two writers and a server-side applier on one Deployment lose no change, stored in %s, ${ROUNDS} rounds of each`,
  { timeout: 300_000 },
  async (storage) => {
    const folder = await mkdtemp(join(tmpdir(), "kubets-contention-"));
    try {
      await using cluster = await startCluster({ ...quietCluster, port: false, storage, dataDir: folder });
      const transport = cluster.transport();
      const labels = { app: "busy" };
      const created = await call(transport, "POST", `${DEPLOYMENTS}?fieldManager=updater`, {
        metadata: { name: "busy" },
        spec: {
          selector: { matchLabels: labels },
          template: {
            metadata: { labels },
            spec: { containers: [{ name: "updater", image: image("updater", 0) }] },
          },
        },
      });
      const first = created.at("metadata.resourceVersion") as string;
      const ledger = new Ledger(transport, `${DEPLOYMENTS}/busy`);
      const joined = podSpec({ name: "patcher", image: image("patcher", 0) });
      ledger.changed(await ledger.patch("patcher", "strategic-merge", joined));
      await using watching = await watchEvents(transport, `${DEPLOYMENTS}?fieldSelector=metadata.name=busy`, first);

      const counts: Counts = { updater: 0, patcher: 0, applier: 0 };
      await Promise.all([update(ledger, counts), patch(ledger, counts, first), apply(ledger, counts)]);

      const last = await ledger.read();
      expect(
        containersOf(last)
          .map((one) => one.name)
          .toSorted(),
      ).toEqual(["applier", "patcher", "updater"]);
      for (const name of ["updater", "patcher", "applier"] as const) {
        expect(containerOf(last, name)?.image).toBe(image(name, counts[name]));
      }
      // Every change was one of the specification, and was counted.
      expect(last.metadata?.generation).toBe(1 + ledger.changes.size);
      expect(ledger.changes.size).toBe(1 + counts.updater + counts.patcher + counts.applier);

      await watching.seen(versionOf(last));
      const versions = watching.events.map(({ object }) => versionOf(object));
      expect(new Set(versions)).toEqual(ledger.changes);
      expect(versions).toHaveLength(ledger.changes.size);
      for (const version of ledger.idle) expect(ledger.changes.has(version)).toBe(true);
      expectSteps(watching.events.slice(1).map(({ object }) => object));
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
);

/** Each event moves one container's counter by one, and leaves the other containers alone. */
function expectSteps(states: readonly KubeObject[]): void {
  const counts: Counts = { updater: 0, patcher: 0, applier: 0 };
  for (const state of states) {
    const moved = (["updater", "patcher", "applier"] as const).filter((name) => {
      const shown = containerOf(state, name)?.image ?? image(name, 0);
      return shown !== image(name, counts[name]);
    });
    if (moved.length !== 1) throw new Error(`${moved.length} of the three moved at once`);
    for (const name of moved) {
      counts[name]++;
      expect(containerOf(state, name)?.image).toBe(image(name, counts[name]));
    }
    for (const name of ["updater", "patcher"] as const) {
      expect((containerOf(state, name)?.env ?? []).toSorted(byName)).toEqual(environment(counts[name]));
    }
  }
}
