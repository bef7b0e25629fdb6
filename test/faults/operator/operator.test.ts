import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { transformSync } from "esbuild";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { configFromText, kubernetesClient, type KubernetesClient } from "../../../src/client/index.js";
import { startCluster } from "../../../src/cluster/index.js";
import { type EtcdServer, etcdMissing, startEtcd } from "../../helpers/etcd.js";
import { eventually } from "../../helpers/eventually.js";
import { kubernetesMissing, startKubernetes } from "../../helpers/kubernetes-1.20.js";

// The operator of examples/operator in two processes. The one that leads is killed in the middle of its work, again and again. It is
// started again as what it was, and takes its Lease back at once; every fifth time under another name, so that the other
// process takes over when the Lease has expired. In the end the cluster must look as if nothing had happened.

const root = resolve(import.meta.dirname, "../../..");
const built = existsSync(join(root, "dist/index.js"));
if (!built) process.stdout.write("the operator's test is skipped: dist/ is not built; run npm run build\n");
const missing = etcdMissing ?? kubernetesMissing;
if (missing !== undefined) process.stdout.write(`the operator against kube-apiserver 1.20 is skipped: ${missing}\n`);

/** CI kills it twenty times; KUBETS_WHOLE_HISTORY=1 fifty times, in a minute and a half. */
const KILLS = process.env["KUBETS_WHOLE_HISTORY"] === undefined ? 20 : 50;
const BOOKS = 30;
const SHELVES = ["novels", "poems"];

/** What a shelf asks for after each kill: one text after another, and between 20 and 30 books. */
const wish = (kill: number) => ({ text: `text ${kill}`, books: String(BOOKS - (kill % 11)) });

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "kubets-operator-"));
  mkdirSync(join(folder, "node_modules"));
  symlinkSync(root, join(folder, "node_modules/kubets"));
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  const source = readFileSync(join(root, "examples/operator/shelves.ts"), "utf8");
  writeFileSync(join(folder, "shelves.js"), transformSync(source, { loader: "ts", target: "node20" }).code);
  copyFileSync(join(import.meta.dirname, "run-operator.mjs"), join(folder, "main.mjs"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.skipIf(!built)("the operator of examples/operator, killed in the middle of its work, again and again", () => {
  test("on the embedded cluster creates every book once, and no other", async () => {
    const cluster = await startCluster({ storage: "memory" });
    try {
      await playAndCompare(cluster.kubeconfig());
    } finally {
      await cluster.close();
    }
  });

  describe.skipIf(missing !== undefined)("on a kube-apiserver 1.20", () => {
    let etcd: EtcdServer;
    beforeAll(async () => {
      etcd = await startEtcd();
    });
    afterAll(() => etcd.stop());

    test("reaches the same end state", async () => {
      const server = await startKubernetes({ etcd: etcd.endpoint });
      try {
        await playAndCompare(server.kubeconfig());
      } finally {
        await server.stop();
      }
    });
  });
});

async function playAndCompare(kubeconfig: string): Promise<void> {
  const file = join(folder, "kubeconfig");
  writeFileSync(file, kubeconfig);
  const client = kubernetesClient(await configFromText(kubeconfig));
  const operators = new Operators(file);
  try {
    const inTheMiddle = await play(client, operators);
    process.stdout.write(`the operator was killed ${KILLS} times, ${inTheMiddle} times with books still to come\n`);
    // Else the test would show nothing.
    expect(inTheMiddle).toBeGreaterThan(KILLS / 2);
    await eventually(async () => expect(await endState(client)).toEqual(expectedState()));
    await operators.stop();
    expect(await endState(client)).toEqual(expectedState());
  } finally {
    operators.kill();
    await client.close();
  }
}

/** Answers how many kills met a leader that had work left. */
async function play(client: KubernetesClient, operators: Operators): Promise<number> {
  const shelves = client.of("v1", "ConfigMap").namespace("default");
  for (const name of SHELVES) {
    await shelves.create({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name, labels: { "example.com/kind": "shelf" } },
      data: wish(0),
    });
  }
  operators.start("one");
  operators.start("two");
  let inTheMiddle = 0;
  for (let kill = 1; kill <= KILLS; kill++) {
    for (const name of SHELVES) await shelves.patch(name, { data: wish(kill) }, { type: "merge" });
    // Some kills come early in the work, some late.
    const due = 1 + ((kill * 7) % 25);
    await eventually(async () => expect(await newBooks(client, kill)).toBeGreaterThanOrEqual(due));
    await operators.killLeader(client, kill % 5 === 0 ? `another-${kill}` : undefined);
    const done = (await newBooks(client, kill)) === SHELVES.length * Number(wish(kill).books);
    if (!done) inTheMiddle++;
  }
  return inTheMiddle;
}

const revision = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 8);

async function booksOf(client: KubernetesClient) {
  const { items } = await client
    .of("v1", "ConfigMap")
    .namespace("default")
    .list({ labelSelector: "example.com/kind=book" });
  return items;
}

/** How many books of the text of that turn there are. */
async function newBooks(client: KubernetesClient, kill: number): Promise<number> {
  return (await booksOf(client)).filter(({ data }) => data?.["text"] === wish(kill).text).length;
}

async function endState(client: KubernetesClient) {
  const books = await booksOf(client);
  const shelves = await client
    .of("v1", "ConfigMap")
    .namespace("default")
    .list({ labelSelector: "example.com/kind=shelf" });
  return {
    books: books
      .map(({ metadata, data }) => `${metadata?.name} of ${metadata?.ownerReferences?.[0]?.name}: ${data?.["text"]}`)
      .sort(),
    states: shelves.items
      .map(({ metadata }) => `${metadata?.name}: ${metadata?.annotations?.["example.com/state"]}`)
      .sort(),
  };
}

function expectedState() {
  const { text, books } = wish(KILLS);
  const names = SHELVES.flatMap((shelf) =>
    Array.from({ length: Number(books) }, (_, index) => `${shelf}-${revision(text)}-${index} of ${shelf}: ${text}`),
  );
  return { books: names.sort(), states: SHELVES.map((shelf) => `${shelf}: ${books} of ${revision(text)}`) };
}

/** The processes of the operator. */
class Operators {
  readonly #running = new Map<string, ChildProcess>();

  constructor(private readonly kubeconfig: string) {}

  start(identity: string): void {
    const env = { ...process.env, KUBECONFIG: this.kubeconfig };
    const child = spawn(process.execPath, ["main.mjs", identity], {
      cwd: folder,
      env,
      stdio: ["ignore", "ignore", "inherit"],
    });
    this.#running.set(identity, child);
    // As a Deployment does with a process that ends, for example because it has lost its Lease.
    child.once("exit", (code) => {
      if (code !== null && code !== 0 && this.#running.get(identity) === child) this.start(identity);
    });
  }

  /** SIGKILL to the process that the Lease names, and starts it again, as `successor` if that is given. */
  async killLeader(client: KubernetesClient, successor: string | undefined): Promise<void> {
    const { spec } = await client.of("coordination.k8s.io/v1", "Lease").namespace("default").get("shelves");
    const identity = spec?.holderIdentity ?? "";
    const leader = this.#running.get(identity);
    if (leader === undefined) throw new Error(`the lease names ${JSON.stringify(identity)}, which does not run`);
    this.#running.delete(identity);
    leader.kill("SIGKILL");
    this.start(successor ?? identity);
  }

  /** SIGTERM, and each must end by itself with code 0. */
  async stop(): Promise<void> {
    for (const [identity, child] of this.#running) {
      const ended = new Promise<number | null>((resolve_) => child.once("exit", resolve_));
      child.kill("SIGTERM");
      expect(await ended, identity).toBe(0);
    }
    this.#running.clear();
  }

  kill(): void {
    for (const child of this.#running.values()) child.kill("SIGKILL");
  }
}
