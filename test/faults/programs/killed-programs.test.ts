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
import { ObservedTerms } from "./observed-terms.js";
import { ProgramProcess } from "./program-process.js";
import { RecordingProxy } from "./recording-proxy.js";

tellEtcdMissing("Killing the programs of a control plane");

/** How long programs are killed; CI does it for a while, KUBETS_CHAOS_SECONDS=180 for three minutes. */
const SECONDS = Number(process.env["KUBETS_CHAOS_SECONDS"] ?? 30);
const SEED = process.env["KUBETS_CHAOS_SEED"] ?? "programs";
const SERVERS = 3;
/** How many objects a controller works on at once: each worker may have passed the check of the term, and have its request under way. */
const WORKERS = 5;
const LED = ["controller-manager", "scheduler"] as const;
/** A node that is silent for so long counts as lost; its Lease is renewed every ten seconds. */
const GRACE = "--node-monitor-grace-period=25s";
/** Leases end sooner than by default, so that a short play has elections too; on a busy machine a leader must still get to renew its own. */
const ELECTION = [
  "--leader-elect-lease-duration=12s",
  "--leader-elect-renew-deadline=10s",
  "--leader-elect-retry-period=1s",
];
const REST = 120_000;
/** How long it may take until everything is as it should be, on a machine with twelve programs and little else to give them. */
const SETTLING = 300_000;
/** How many Deployments and Jobs are made at once, so that a leader has much to do. */
const BUSY = 16;

/** "POST pods" of "POST /api/v1/namespaces/default/pods", without the name of an object: each controller has workers of its own. */
const resourceOf = (write: string): string =>
  write.replace(
    / .*\/namespaces\/[^/]+\/([^/]+)(?:\/[^/]+)?(\/[^/]+)?$/,
    (_, resource, subresource = "") => ` ${resource}${subresource}`,
  );

const kubeconfigOf = (folder: string, server: string): string =>
  JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "one", cluster: { server, "insecure-skip-tls-verify": true } }],
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
    const proxies: RecordingProxy[] = [];
    const terms = { "controller-manager": new ObservedTerms(), scheduler: new ObservedTerms() } as const;

    const named = (name: string): ProgramProcess => {
      const found = programs.find((program) => program.name === name);
      if (found === undefined) throw new Error(`there is no program ${name}`);
      return found;
    };

    /** Writes a kubeconfig for one program, whose writes are seen on their way. */
    async function observedKubeconfig(component: (typeof LED)[number], index: number, port: number): Promise<string> {
      const proxy = await RecordingProxy.open(`${component}-${index}`, folder.path, port, terms[component]);
      proxies.push(proxy);
      const path = join(folder.path, `${component}-${index}.conf`);
      await writeFile(path, kubeconfigOf(folder.path, proxy.url));
      return path;
    }

    beforeAll(async () => {
      folder = await makeApiserverFolder();
      const ports = await freePorts(SERVERS);
      for (const [index, port] of ports.entries()) {
        const kubeconfig = join(folder.path, `server-${index}.conf`);
        await writeFile(kubeconfig, kubeconfigOf(folder.path, `https://127.0.0.1:${port}`));
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
          `--kubeconfig=${await observedKubeconfig("controller-manager", index, port)}`,
          "--secure-port=0",
          "--service-account-private-key-file=sa.key",
          "--root-ca-file=ca.crt",
          GRACE,
          ...ELECTION,
        );
        const observed = await observedKubeconfig("scheduler", index, port);
        begin("scheduler", "scheduler", `--kubeconfig=${observed}`, "--secure-port=0", ...ELECTION);
        begin("node", "node", `--kubeconfig=${kubeconfig}`, `--node-names=node-${index}`);
        clients.push(kubernetesClient(await configFromFile(kubeconfig)));
      }
      for (const program of programs) program.begin();
      await eventually(
        async () => expect((await asked((client) => client.of("v1", "Node").listWhole())).items).toHaveLength(SERVERS),
        REST,
      );
    }, REST);

    afterAll(async () => {
      await Promise.all(programs.map((program) => program.end()));
      await Promise.all(clients.map((client) => client.close()));
      await Promise.all(proxies.map((proxy) => proxy.close()));
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

    test("lose no acknowledged write, stop no informer, and every Deployment and Job is complete at the end", {
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
          programs[randomBelow(random, programs.length)]?.kill();
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

    test.each(LED)(
      "have a %s that stands still until another one leads, and then writes nothing",
      async (component) => {
        const observed = terms[component];
        const before = observed.holder ?? "";
        const left = named(before);
        const { writes } = observed;
        // It stands still in the middle of much work, which it would go on with.
        const first = component === "scheduler" ? 2000 : 1000;
        const making = Promise.all(Array.from({ length: BUSY }, (_, index) => make(first + index)));
        await eventually(() => expect(observed.writes).toBeGreaterThan(writes + 5), REST);
        left.freeze();
        await making;
        await eventually(() => expect(observed.holder).not.toBe(before), REST);
        left.resume();
        await settled();
      },
    );

    test.each(LED)(
      "have, from a %s whose term is over, at most the writes that were under way, one to each resource of each worker",
      (component) => {
        const observed = terms[component];
        expect(observed.terms).toBeGreaterThan(1);
        expect(observed.writes).toBeGreaterThan(0);
        const late = [...observed.late].flatMap(([term, writes]) =>
          [...new Set(writes.map(resourceOf))].map((resource) => {
            const list = writes.filter((write) => resourceOf(write) === resource);
            return { term, resource, list };
          }),
        );
        expect(late.filter(({ list }) => list.length > WORKERS)).toEqual([]);
      },
    );

    test("move the pods of a node whose process does not return to other nodes", async () => {
      const pods = () => asked((client) => client.of("v1", "Pod").namespace("default").listWhole());
      const live = async (): Promise<readonly (string | undefined)[]> =>
        (await pods()).items
          .filter(({ metadata, status }) => status?.phase === "Running" && metadata.deletionTimestamp === undefined)
          .map(({ spec }) => spec?.nodeName);
      const lost = (await live())[0] ?? "";
      expect(lost).toMatch(/^node-\d$/);
      await named(lost).end();
      await eventually(async () => expect(await live()).not.toContain(lost), REST);
      await settled();
    });

    const tolerations = ["not-ready", "unreachable"].map((key) => ({
      key: `node.kubernetes.io/${key}`,
      operator: "Exists" as const,
      effect: "NoExecute" as const,
      tolerationSeconds: 5,
    }));
    const template = {
      metadata: { labels: { app: "web" } },
      spec: { tolerations, containers: [{ name: "web", image: "nginx" }] },
    };

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

    /** What one needs to know of Deployments that are not as they should be: their pods, and who leads. */
    async function whyNot(names: readonly string[]): Promise<readonly string[]> {
      const { items } = await asked((client) => client.of("v1", "Pod").namespace("default").listWhole());
      const pods = items
        .filter(({ metadata }) => names.some((name) => metadata.name?.startsWith(`${name}-`) === true))
        .map(({ metadata, spec, status }) => {
          const conditions = (status?.conditions ?? []).map(
            ({ type, status: is, reason }) => `${type}=${is} ${reason ?? ""}`,
          );
          return `${metadata.name} ${status?.phase} on ${spec?.nodeName ?? "no node"}: ${conditions.join(", ")}`;
        });
      const leaders = LED.flatMap((component) => {
        const { holder = "", writes, terms: count } = terms[component];
        return [
          `${component}: ${holder} leads in term ${count}, ${writes} writes in all`,
          ...programs.filter(({ name }) => name === holder).flatMap(({ log }) => log.split("\n").slice(-20)),
        ];
      });
      return [...leaders, `${names.length} of them: ${names.join(", ")}`, ...pods];
    }

    /** Resolves when every Deployment has its pods and every Job its completions. */
    async function settled(): Promise<void> {
      await eventually(async () => {
        const { items: deployments } = await asked((client) =>
          client.of("apps/v1", "Deployment").namespace("default").listWhole(),
        );
        expect(deployments.length).toBeGreaterThan(0);
        const lagging = deployments.filter(({ status }) => status?.availableReplicas !== 2);
        expect(lagging.length === 0 ? [] : await whyNot(lagging.map(({ metadata }) => metadata.name ?? ""))).toEqual(
          [],
        );
        const { items: jobs } = await asked((client) => client.of("batch/v1", "Job").namespace("default").listWhole());
        expect(jobs.filter(({ status }) => status?.succeeded !== 2).map(({ metadata }) => metadata?.name)).toEqual([]);
      }, SETTLING);
    }
  },
);
