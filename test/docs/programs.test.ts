// Every whole program of README.md and docs/*.md runs to its end: JavaScript as it is printed; TypeScript as TypeScript compiles it on
// Node 20, and as it is printed on Node 24.
import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type KubernetesClient, kubernetesClient } from "../../src/index.js";
import { type ClusterOptions, startCluster } from "../../src/cluster/index.js";
import { eventually } from "../helpers/eventually.js";
import { packageMissing, type PackedProject, packedProject } from "../helpers/packed-project.js";
import { quietCluster } from "../helpers/quiet-cluster.js";
import { compileBlocks } from "./compile-blocks.js";
import { type Block, documentBlocks, placeOf } from "./markdown-blocks.js";
import { triedNodes } from "./tried-nodes.js";

if (packageMissing !== undefined) process.stdout.write(`the programs of the docs are skipped: ${packageMissing}\n`);

const programs = documentBlocks().filter(({ kind }) => kind === "program");
const examples = resolve(import.meta.dirname, "../../examples");

/** How a program is run and what it does. What is not here ends by itself with code 0, whatever it prints. */
interface Play {
  /** Of the cluster that its kubeconfig leads to. Default: one node. */
  readonly cluster?: ClusterOptions;
  /** What must be there before. */
  readonly before?: (client: KubernetesClient, folder: string) => Promise<void>;
  /** While it runs: what it is waiting for, and the signal that ends it. `printed` is its stdout so far. */
  readonly during?: (client: KubernetesClient, program: ChildProcess, printed: () => string) => Promise<void>;
  readonly after?: (client: KubernetesClient) => Promise<void>;
  /** All of its stdout, or lines of it. */
  readonly prints?: string | readonly string[];
}

const PASSES: Play = { prints: ["# pass 1"] };
const GREETER: Play = { prints: "hello\n3 1\n2\ngone\n" };

const plays: Readonly<Record<string, Play>> = {
  __proto__: null as never,
  "list-and-patch.ts": {
    cluster: quietCluster,
    prints: "greeting hello\n{ seen: 'yes', text: 'hello' }\ngone: configmaps \"greeting\" not found\n",
  },
  "scale.ts": { cluster: quietCluster, prints: "web 36 0.5\n3\n" },
  "count.ts": { cluster: quietCluster, prints: "count: 3\n" },
  "watch.ts": {
    cluster: quietCluster,
    prints: "added web\nupdated web { replicas: '1' } { replicas: '2' }\ndeleted web\nfront: 0\n",
  },
  "in-pods.ts": { prints: "log: begun\n{ code: 3, stdout: '5\\n', stderr: '' }\nopen\n" },
  "pods.ts": { prints: "hello shop\n\nopen\n" },
  "with-client-node.ts": GREETER,
  "with-kubets.ts": GREETER,
  "operator.test.ts": PASSES,
  "driven-time.test.ts": PASSES,
  "pages.test.ts": { prints: ["1 passed"] },
  "web.test.ts": {
    prints: ["1 passed"],
    async before(_, folder) {
      const menus = resolve(import.meta.dirname, "../testing/suites/menu.yaml");
      writeFileSync(join(folder, "crds.yaml"), readFileSync(menus));
    },
  },
  "operator.ts": {
    prints: "",
    async during(client, program) {
      const metadata = { namespace: "default", name: "site", labels: { "example.com/secret": "wanted" } };
      await client.of("v1", "ConfigMap").create({ metadata });
      const secret = await eventually(() => client.of("v1", "Secret").namespace("default").get("site"));
      expect(Buffer.from(secret.data?.["key"] ?? "", "base64").toString()).toMatch(/^[0-9a-f-]{36}$/);
      program.kill("SIGTERM");
    },
  },
  "main.ts": {
    prints: "",
    async during(client, program) {
      const metadata = { namespace: "default", name: "home", labels: { "example.com/page": "true" } };
      await client.of("v1", "ConfigMap").create({ metadata, data: { replicas: "2" } });
      const home = await eventually(() => client.of("apps/v1", "Deployment").namespace("default").get("home"));
      expect(home.spec?.replicas).toBe(2);
      program.kill("SIGINT");
    },
  },
  "readme-an-operator.ts": {
    async during(client, program, printed) {
      const metadata = { namespace: "shop", name: "shelf", labels: { "example.com/web": "true" } };
      await client.of("v1", "ConfigMap").create({ metadata, data: { books: "3" } });
      await eventually(() => expect(printed()).toContain("shop/shelf { books: '3' }\n"));
      program.kill("SIGINT");
    },
  },
  "owner-label.ts": { prints: 'secrets "key" is forbidden: it needs an owner label\n' },
  "restricted.ts": { prints: ['pods "web" is forbidden: violates PodSecurity "restricted:latest"'] },
  "rights.ts": { prints: "forbidden: true\n" },
  "readme-a-client.ts": { prints: ["web\n", "ADDED web\n"] },
  "readme-an-api-server-of-your-own.js": { prints: ["https://127.0.0.1:"] },
  "maintenance.ts": {
    cluster: quietCluster,
    prints: ["waited: met", "cordoned", "to be removed: [ 'web' ]", "drained"],
    async before(client) {
      await client.of("v1", "Node").create({ metadata: { name: "worker-1" } });
      const containers = [{ name: "web", image: "nginx" }];
      const template = { metadata: { labels: { app: "web" } }, spec: { containers } };
      const { metadata } = await client.of("apps/v1", "ReplicaSet").create({
        metadata: { namespace: "default", name: "web" },
        spec: { selector: { matchLabels: { app: "web" } }, template },
      });
      const owner = { apiVersion: "apps/v1", kind: "ReplicaSet", name: "web", uid: metadata.uid, controller: true };
      await client.of("v1", "Pod").create({
        metadata: { namespace: "default", name: "web", ownerReferences: [owner] },
        spec: { nodeName: "worker-1", terminationGracePeriodSeconds: 0, containers },
      });
    },
    async after(client) {
      expect((await client.of("v1", "Node").get("worker-1")).spec?.unschedulable).toBeUndefined();
    },
  },
};

describe.skipIf(packageMissing !== undefined)("the example programs in the docs", () => {
  let project: PackedProject;

  beforeAll(() => {
    project = packedProject();
    compileBlocks(project, { emits: true });
  });
  afterAll(() => project?.remove());

  test("have a test here for each program with special steps, and no test for a removed program", () => {
    const files = programs.map(({ file }) => file);
    expect(Object.keys(plays).filter((file) => !files.includes(file))).toEqual([]);
  });

  describe.each(triedNodes)("run on %s", (name, node) => {
    test.each(programs.map((block) => [block.file, placeOf(block), block] as const))(
      "%s (%s)",
      async (file, _place, block) => {
        const { cluster: options = { nodes: 1 }, before, during, after, prints } = plays[file] ?? {};
        await using cluster = await startCluster(options);
        await using client = kubernetesClient(cluster);
        const kubeconfig = join(project.folder, "cluster.kubeconfig");
        writeFileSync(kubeconfig, cluster.kubeconfig());
        // What pages call the shop is the example of that name.
        await client.applyFiles(join(examples, "shop"), { recursive: true });
        await before?.(client, project.folder);
        const child = spawn(node, wordsFor(block, name.startsWith("Node 24.")), {
          cwd: project.folder,
          env: { ...process.env, KUBECONFIG: kubeconfig, HOME: project.folder, NO_COLOR: "1" },
          stdio: ["ignore", "pipe", "pipe"],
        });
        const [stdout, stderr] = [collected(child.stdout), collected(child.stderr)];
        const ended = new Promise<number | null>((done) => child.once("close", done));
        try {
          if (during !== undefined) await Promise.race([during(client, child, stdout), endedEarly(ended, stderr)]);
          expect(await ended, stderr()).toBe(0);
        } finally {
          child.kill("SIGKILL");
        }
        if (typeof prints === "string") expect(stdout()).toBe(prints);
        else for (const line of prints ?? []) expect(stdout()).toContain(line);
        await after?.(client);
        rmSync(kubeconfig);
      },
    );
  });
});

/** The command line after Node for a program. `knowsTypeScript`: Node runs it as it is, but where it imports compiled neighbours (`./pages.js`). */
function wordsFor({ file, language, text }: Block, knowsTypeScript: boolean): readonly string[] {
  if (text.includes('from "vitest"')) return ["node_modules/vitest/vitest.mjs", "run", file];
  const flags = text.includes('from "node:test"') ? ["--test", "--test-reporter=tap"] : [];
  const asPrinted = language === "js" || (knowsTypeScript && !text.includes(' from "./'));
  return [...flags, asPrinted ? file : join("out", file.replace(/\.ts$/, ".js"))];
}

function collected(stream: NodeJS.ReadableStream): () => string {
  let text = "";
  stream.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
  return () => text;
}

/** Rejects when a program ends that a play is still with. */
function endedEarly(ended: Promise<number | null>, stderr: () => string): Promise<never> {
  const early = ended.then((code) => {
    throw new Error(`the program ended with ${code} before its play did: ${stderr()}`);
  });
  // Where the play ends first, the program ends later.
  early.catch(() => undefined);
  return early;
}
