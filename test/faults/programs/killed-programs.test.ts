import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { configFromFile, InformerFactory, kubernetesClient, type KubernetesClient } from "../../../src/client/index.js";
import { makeApiserverFolder, neededFlags, type ApiserverFolder } from "../../helpers/apiserver-folder.js";
import { etcdMissing, tellEtcdMissing } from "../../helpers/etcd.js";
import { eventually } from "../../helpers/eventually.js";
import { freePorts } from "../../helpers/free-ports.js";
import { programIsBuilt } from "../../helpers/program-under-test.js";
import { seededRandom } from "../../helpers/seeded-random.js";
import { randomBelow } from "../../../src/base/numbers/random-below.js";
import { ProgramProcess } from "./program-process.js";

tellEtcdMissing("Killing the programs of a control plane");

/** How long programs are killed; CI does it for a while, KUBETS_CHAOS_SECONDS=180 for three minutes. */
const SECONDS = Number(process.env["KUBETS_CHAOS_SECONDS"] ?? 30);
const SEED = process.env["KUBETS_CHAOS_SEED"] ?? "programs";
const SERVERS = 3;
/** Leases end sooner than by default, so that a short play has elections too. */
const ELECTION = [
  "--leader-elect-lease-duration=6s",
  "--leader-elect-renew-deadline=4s",
  "--leader-elect-retry-period=1s",
];
const REST = 120_000;

const kubeconfigOf = (folder: string, port: number): string =>
  JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "one", cluster: { server: `https://127.0.0.1:${port}`, "insecure-skip-tls-verify": true } }],
    users: [
      {
        name: "admin",
        user: { "client-certificate": join(folder, "admin.crt"), "client-key": join(folder, "admin.key") },
      },
    ],
    contexts: [{ name: "one", context: { cluster: "one", user: "admin" } }],
    "current-context": "one",
  });

// The programs are started from dist/, which `npm run build` makes, and share an etcd.
describe.skipIf(etcdMissing !== undefined || !programIsBuilt)(
  "three control planes on one etcd, whose programs are killed",
  () => {
    let folder: ApiserverFolder;
    const programs: ProgramProcess[] = [];
    const clients: KubernetesClient[] = [];

    beforeAll(async () => {
      folder = await makeApiserverFolder();
      const ports = await freePorts(SERVERS);
      for (const [index, port] of ports.entries()) {
        const kubeconfig = join(folder.path, `server-${index}.conf`);
        await writeFile(kubeconfig, kubeconfigOf(folder.path, port));
        const flags = neededFlags(folder).map((flag) =>
          flag.startsWith("--cert-dir") ? `--cert-dir=certs-${index}` : flag,
        );
        const begin = (name: string, ...args: readonly string[]): void =>
          void programs.push(new ProgramProcess(`${name}-${index}`, args, folder.path));
        const kubelets = [
          "--kubelet-client-certificate=apiserver-kubelet-client.crt",
          "--kubelet-client-key=apiserver-kubelet-client.key",
        ];
        begin("apiserver", "apiserver", ...flags, ...kubelets, `--secure-port=${port}`);
        begin(
          "controller-manager",
          "controller-manager",
          `--kubeconfig=${kubeconfig}`,
          "--secure-port=0",
          "--service-account-private-key-file=sa.key",
          "--root-ca-file=ca.crt",
          ...ELECTION,
        );
        begin("scheduler", "scheduler", `--kubeconfig=${kubeconfig}`, "--secure-port=0", ...ELECTION);
        clients.push(kubernetesClient(await configFromFile(kubeconfig)));
      }
      // Nodes are not killed: pods of a node that is silent wait for the time after which it counts as lost.
      programs.push(
        new ProgramProcess(
          "node",
          ["node", `--kubeconfig=${join(folder.path, "server-0.conf")}`, "--nodes=2"],
          folder.path,
        ),
      );
      for (const program of programs) program.begin();
      await eventually(
        async () => expect((await asked((client) => client.of("v1", "Node").listWhole())).items).toHaveLength(2),
        REST,
      );
    }, REST);

    afterAll(async () => {
      await Promise.all(programs.map((program) => program.end()));
      await Promise.all(clients.map((client) => client.close()));
      await folder.dispose();
    });

    /** Asks one server after the other until one answers. A request that may have been done is not sent again by the caller's wish. */
    async function asked<T>(ask: (client: KubernetesClient) => Promise<T>): Promise<T> {
      let failure: unknown;
      for (const client of clients) {
        try {
          return await ask(client);
        } catch (error) {
          failure = error;
        }
      }
      throw failure;
    }

    test("no acknowledged write is lost, no informer stops, and every Deployment and Job is as it should be at the end", {
      timeout: SECONDS * 1000 + 5 * REST,
    }, async () => {
      const random = seededRandom(SEED);
      const stop = new AbortController();
      const factories = clients.map((client) => new InformerFactory(client));
      const caches = factories.map((factory) => factory.of("v1", "ConfigMap", { namespace: "default" }));
      for (const factory of factories) factory.start(stop.signal);
      const acknowledged = new Map<string, string>();
      const until = Date.now() + SECONDS * 1000;
      const kill = async (): Promise<void> => {
        while (Date.now() < until) {
          await wait(Math.min(10_000 + randomBelow(random, 10_000), Math.max(0, until - Date.now())));
          programs[randomBelow(random, SERVERS * 3)]?.kill();
        }
      };
      const write = async (): Promise<void> => {
        for (let round = 0; Date.now() < until; round += 1) {
          const name = `note-${round % 20}`;
          const data = { round: String(round) };
          const maps = (client: KubernetesClient) => client.of("v1", "ConfigMap").namespace("default");
          const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data } as const;
          try {
            if (acknowledged.has(name)) await asked((client) => maps(client).patch(name, { data }, { type: "merge" }));
            else await asked((client) => maps(client).create(object));
            acknowledged.set(name, data.round);
          } catch {
            // Nobody has acknowledged it; a later round writes the name again.
            const found = await asked((client) => maps(client).get(name)).catch(() => undefined);
            const stored = found?.data?.["round"];
            if (stored !== undefined) acknowledged.set(name, stored);
          }
          if (round % 40 === 0) await make(round / 40);
          await wait(50);
        }
      };
      await Promise.all([kill(), write()]);
      await settled();
      for (const [name, round] of acknowledged) {
        const stored = await asked((client) => client.of("v1", "ConfigMap").namespace("default").get(name));
        expect([name, Number(stored.data?.["round"])]).toEqual([
          name,
          expect.toSatisfy((now: number) => now >= Number(round)),
        ]);
        for (const cache of caches) {
          await eventually(
            () => expect(cache.lister.namespace("default").get(name)?.data?.["round"]).toBe(stored.data?.["round"]),
            REST,
          );
        }
      }
      stop.abort();
      await Promise.all(factories.map((factory) => factory.stopped()));
    });

    const template = { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "web", image: "nginx" }] } };

    /** Makes a Deployment and a Job, unless no server answers now. */
    async function make(index: number): Promise<void> {
      const spec = { selector: { matchLabels: { app: "web" } }, template };
      await asked((client) =>
        client
          .of("apps/v1", "Deployment")
          .namespace("default")
          .create({
            apiVersion: "apps/v1",
            kind: "Deployment",
            metadata: { name: `web-${index}` },
            spec: { replicas: 2, ...spec },
          }),
      ).catch(() => {});
      await asked((client) =>
        client
          .of("batch/v1", "Job")
          .namespace("default")
          .create({
            apiVersion: "batch/v1",
            kind: "Job",
            metadata: { name: `work-${index}` },
            spec: {
              completions: 2,
              template: {
                spec: { restartPolicy: "Never", containers: [{ name: "work", image: "busybox", command: ["true"] }] },
              },
            },
          }),
      ).catch(() => {});
    }

    /** Resolves when every Deployment has its pods and every Job its completions. */
    async function settled(): Promise<void> {
      await eventually(async () => {
        const { items: deployments } = await asked((client) =>
          client.of("apps/v1", "Deployment").namespace("default").listWhole(),
        );
        expect(deployments.length).toBeGreaterThan(0);
        expect(
          deployments.filter(({ status }) => status?.availableReplicas !== 2).map(({ metadata }) => metadata?.name),
        ).toEqual([]);
        const { items: jobs } = await asked((client) => client.of("batch/v1", "Job").namespace("default").listWhole());
        expect(jobs.filter(({ status }) => status?.succeeded !== 2).map(({ metadata }) => metadata?.name)).toEqual([]);
      }, REST);
    }
  },
);
