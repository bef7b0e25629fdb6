import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../../helpers/eventually.js";
import { randomBelow } from "../../../src/base/numbers/random-below.js";
import type { Random } from "../../../src/base/numbers/random.js";
import { seededRandom } from "../../helpers/seeded-random.js";
import { type ApiProcess, startApi } from "../api-process.js";
import { diskFolder } from "../disk-folder.js";
import { Informer } from "../informer.js";
import { buildWriter } from "../writer-process.js";
import { CarefulWriter } from "./careful-writer.js";
import { PodHistory } from "./pod-history.js";
import { type LogLine, readLog, type ServerSettings, sharedNow } from "./server-log.js";

// How long servers are killed, stopped and paused: KUBETS_SERVERS_SECONDS=180 npx vitest run test/durability/several-servers
const GIVEN_SECONDS = process.env.KUBETS_SERVERS_SECONDS;
const SEED = process.env.KUBETS_SERVERS_SEED ?? "three";
const MAPS = "/api/v1/namespaces/default/configmaps";
const PODS = "/api/v1/namespaces/default/pods";
const JOBS = "/apis/batch/v1/namespaces/default/jobs";
const DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments";
const REPLICAS = 10;

/** A stretch of time in which a server answered nothing. */
interface Outage {
  readonly server: number;
  readonly kind: "killed" | "stopped" | "paused";
  readonly from: number;
  to: number;
}

/** A storage that servers share. */
export interface SharedPlace {
  /** What the servers are given. */
  readonly settings: ServerSettings["storage"];
  /** Does to the storage itself what it has to bear. */
  disturb?(): Promise<void>;
  dispose(): Promise<void>;
}

export interface ThreeServers {
  readonly name: string;
  /** Why there is none; undefined where there is one. */
  readonly missing: string | undefined;
  /** How long, unless the environment says it. Default 40. */
  readonly seconds?: number;
  start(): Promise<SharedPlace>;
}

/** Kills, stops and pauses each of three servers under writers and informers, and looks whether all is as it should be in the end. */
export function threeServersTest({ name, missing, start: startPlace, seconds: usual = 40 }: ThreeServers): void {
  describe.skipIf(missing !== undefined)(
    `three servers on one ${name}, one of which is killed, stopped or paused`,
    () => {
      const seconds = Number(GIVEN_SECONDS ?? usual);
      let place: SharedPlace;
      let built: Awaited<ReturnType<typeof buildWriter>>;
      let folder = "";

      beforeAll(async () => {
        built = await buildWriter("cluster-server", "test/durability/several-servers");
        folder = mkdtempSync(join(diskFolder(), "kubets-several-servers-"));
        place = await startPlace();
      });
      afterAll(async () => {
        await place.dispose();
        await built.remove();
        await rm(folder, { recursive: true, force: true });
      });

      const servers: ApiProcess[] = [];
      const outages: Outage[] = [];
      const random = seededRandom(SEED);
      const settings = (index: number): ServerSettings => ({
        name: `server-${index}`,
        storage: place.settings,
        dataDir: join(folder, "data"),
        log: join(folder, `log-${index}`),
      });
      const start = (index: number): Promise<ApiProcess> =>
        startApi(built.script, "", { args: [JSON.stringify(settings(index))], connections: 32 });

      /** Takes one server away for a while. */
      const disturb = async (index: number, kind: Outage["kind"], milliseconds: number): Promise<void> => {
        const server = servers[index] as ApiProcess;
        const outage: Outage = { server: index, kind, from: sharedNow(), to: Number.POSITIVE_INFINITY };
        outages.push(outage);
        if (kind === "paused") {
          process.kill(server.pid, "SIGSTOP");
          await pause(milliseconds);
          process.kill(server.pid, "SIGCONT");
        } else {
          await (kind === "killed" ? server.kill() : server.stop());
          await pause(milliseconds);
          servers[index] = await start(index);
        }
        outage.to = sharedNow();
      };

      test("lose no acknowledged write, and create every object only once", {
        timeout: (seconds + 240) * 1000,
      }, async () => {
        for (let index = 0; index < 3; index++) {
          servers.push(await start(index));
        }
        const done = new AbortController();
        const writers = Array.from({ length: 16 }, (_, index) => new CarefulWriter(`${MAPS}/writer-${index}`));
        const informers = Array.from({ length: 8 }, () => new Informer(MAPS));
        const excess: number[] = [];
        const twins: string[] = [];
        const history = new PodHistory(PODS, (pods, made) => {
          if (
            made?.owner.startsWith("job-") &&
            pods.of(made.owner).some((pod) => pod !== made && pod.phase !== "Failed")
          )
            twins.push(made.name);
          const live = pods.of("web-").filter((pod) => pod.ending === undefined && !pod.gone && !ENDED.has(pod.phase));
          if (live.length > REPLICAS) excess.push(live.length);
        });
        await anyOf(servers, "POST", DEPLOYMENTS, deployment());
        const working = [
          ...writers.map((writer, index) => writer.run(servers, index, done.signal)),
          ...informers.map((informer) => informer.run(servers, done.signal)),
          history.run(servers, done.signal),
          makeJobs(servers, done.signal),
        ];
        const behind = watchLag(informers, writers, outages, done.signal);

        const until = sharedNow() + seconds * 1000;
        while (sharedNow() < until) {
          await pause(between(random, 10_000, 20_000));
          await place.disturb?.();
          const kind = KINDS[between(random, 0, 3)] ?? "killed";
          await disturb(
            between(random, 0, 3),
            kind,
            kind === "paused" ? between(random, 5000, 25_000) : between(random, 1000, 30_000),
          );
        }
        // 60 s of quiet, or as long as a slow machine takes.
        await pause(Math.min(seconds, 60) * 1000);
        await eventually(async () => {
          const { body } = await anyOf(servers, "GET", `${DEPLOYMENTS}/web`);
          expect((body as unknown as { status: { readyReplicas?: number } }).status.readyReplicas).toBe(REPLICAS);
        });
        done.abort();
        await Promise.all(working);

        const { body: maps } = await anyOf(servers, "GET", MAPS);
        const held = new Map(maps.items?.map(({ metadata, data }) => [metadata.name, Number(data?.["step"])]));
        const lost = writers.filter((writer) => !writer.couldHold(held.get(writer.name)));
        expect(
          lost.map(({ name }) => name),
          "acknowledged writes that are lost",
        ).toEqual([]);
        expect(writers.reduce((sum, { acknowledged }) => sum + acknowledged.length, 0)).toBeGreaterThan(seconds * 2);

        expect(excess, "more pods of the Deployment at once than it asks for").toEqual([]);
        const web = history.of("web-");
        expect(web.length, "pods of the Deployment").toBe(
          REPLICAS + web.filter(({ ending }) => ending !== undefined).length,
        );
        const needless = web.filter((pod) => pod.ending !== undefined && !wasAway(pod.node, pod.ending, outages));
        expect(needless, "pods that ended while their server was there").toEqual([]);
        expect(twins, "pods of a Job that had another one which had not failed").toEqual([]);

        const logs = servers.map((_, index) => readLog(settings(index).log));
        expect(strayRequests(logs), "requests of controllers after their server's term").toEqual([]);
        expect(Math.max(...(await behind)), "milliseconds that an informer was behind").toBeLessThan(45_000);
        process.stdout.write(
          `several servers on ${name}, seed "${SEED}": ${outages.map(({ server, kind, from, to }) => `${kind} ${server} ${Math.round((to - from) / 1000)} s`).join(", ")}; ` +
            `${web.length} pods of the Deployment, ${new Set(history.of("job-").map(({ owner }) => owner)).size} Jobs, ` +
            `${logs.flat().filter(({ act }) => act === "began").length} terms\n`,
        );
        for (const server of servers) await server.kill();
      });
    },
  );
}

const KINDS = ["killed", "stopped", "paused"] as const;

const ENDED = new Set(["Succeeded", "Failed"]);

const tolerations = ["not-ready", "unreachable"].map((key) => ({
  key: `node.kubernetes.io/${key}`,
  operator: "Exists",
  effect: "NoExecute",
  tolerationSeconds: 10,
}));

const deployment = () => ({
  metadata: { name: "web" },
  spec: {
    replicas: REPLICAS,
    selector: { matchLabels: { app: "web" } },
    template: {
      metadata: { labels: { app: "web" } },
      spec: { tolerations, terminationGracePeriodSeconds: 1, containers: [{ name: "c", image: "i" }] },
    },
  },
});

/** A second pod only once the first has failed; each runs for three seconds. */
const job = (name: string) => ({
  metadata: { name },
  spec: {
    completions: 1,
    podReplacementPolicy: "Failed",
    template: {
      metadata: { annotations: { "kubets.dev/stages": JSON.stringify({ "*": { exit: { after: "3s" } } }) } },
      spec: {
        tolerations,
        restartPolicy: "Never",
        terminationGracePeriodSeconds: 1,
        containers: [{ name: "c", image: "i" }],
      },
    },
  },
});

async function makeJobs(servers: readonly ApiProcess[], signal: AbortSignal): Promise<void> {
  for (let index = 0; !signal.aborted; index++) {
    await anyOf(servers, "POST", JOBS, job(`job-${index}`));
    await pause(4000, undefined, { signal }).catch(() => undefined);
  }
}

/** The answer of the first server that gives one in five seconds. */
async function anyOf(servers: readonly ApiProcess[], method: string, path: string, body?: object) {
  for (let turn = 0; ; turn++) {
    const answer = servers[turn % servers.length]?.call(method, path, body).catch(() => undefined);
    const found = await Promise.race([answer, pause(5000, undefined)]);
    if (found !== undefined && (found.status < 300 || found.status === 409)) return found;
    await pause(50);
  }
}

const between = (random: Random, least: number, below: number): number => least + randomBelow(random, below - least);

/** Whether the server of a node was away when the pod ended, or in the half minute before that in which its node counted as lost. */
function wasAway(node: string, at: number, outages: readonly Outage[]): boolean {
  return outages.some(({ server, from, to }) => node.startsWith(`server-${server}-`) && from < at && at < to + 30_000);
}

/**
 * Requests that a server sent while it did not lead: before its term began, after it ended, or after another server's began. Of one
 * that was on its way when the process was paused, its line is older than the pause.
 */
function strayRequests(logs: readonly (readonly LogLine[])[]): string[] {
  const stray: string[] = [];
  const all = logs.flatMap((lines, server) => lines.map((line) => ({ ...line, server }))).sort((a, b) => a.at - b.at);
  const leaders = new Map<string, number>();
  for (const { at, lease, act, server } of all) {
    if (act === "began") leaders.set(lease, server);
    else if (act === "request" && leaders.get(lease) !== server) stray.push(`server-${server} of ${lease} at ${at}`);
  }
  return stray;
}

/** Resolves when the signal aborts: how long each informer was behind at most, beyond what servers were paused meanwhile. */
async function watchLag(
  informers: readonly Informer[],
  writers: readonly CarefulWriter[],
  outages: readonly Outage[],
  signal: AbortSignal,
): Promise<number[]> {
  const worst = informers.map(() => 0);
  while (!signal.aborted) {
    const now = sharedNow();
    for (const [index, informer] of informers.entries()) {
      const unseen = writers.flatMap(({ acknowledged }) =>
        acknowledged.filter(({ version }) => version > informer.version),
      );
      const since = Math.min(now, ...unseen.map(({ at }) => at));
      const paused = outages
        .filter(({ kind }) => kind === "paused")
        .reduce((sum, { from, to }) => sum + Math.max(0, Math.min(to, now) - Math.max(from, since)), 0);
      worst[index] = Math.max(worst[index] ?? 0, now - since - paused);
    }
    await pause(500);
  }
  return worst;
}
