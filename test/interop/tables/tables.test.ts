import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type KubernetesClient, kubernetesClient } from "../../../src/client/index.js";
import { type DrivenCluster, manualClock, startCluster } from "../../../src/cluster/index.js";
import { readyNodes } from "../../helpers/quiet-cluster.js";
import { realTool } from "../../helpers/real-tools.js";
import { type RealKubectl, realKubectl } from "../../helpers/run-real-kubectl.js";
import { seededRandom } from "../../helpers/seeded-random.js";
import { makeCertificates } from "./make-certificates.js";
import { makeObjects } from "./make-objects.js";
import { type Group, GROUPS } from "./shown-tables.js";

const { missing } = realTool("kubectl");
if (missing !== undefined) process.stdout.write(`tables are not read by kubectl: ${missing}\n`);

const GOLDEN = join(import.meta.dirname, "..", "..", "golden", "tables");
const refresh = process.env["UPDATE_TABLES"] !== undefined;

/** Those without which no pod can be created and run. Controllers of workloads would write over the states that the files give. */
const CONTROLLERS = ["namespace-controller", "root-ca-certificate-publisher-controller", "serviceaccount-controller"];

const AT_ONCE = 3;

describe.skipIf(missing !== undefined)("kubectl 1.37.1 prints our server's tables of every kind as recorded", () => {
  let cluster: DrivenCluster;
  let client: KubernetesClient;
  let kubectl: RealKubectl;

  /** Ten minutes pass after the objects are made: some pods crash and wait again and again in them. */
  beforeAll(async () => {
    cluster = await startCluster({
      clock: manualClock("2026-03-01T08:00:00Z"),
      random: seededRandom("tables"),
      runtimeConfig: { "api/all": true },
      controllers: CONTROLLERS,
      ...readyNodes,
      nodes: 1,
    });
    client = kubernetesClient(cluster);
    kubectl = await realKubectl(cluster);
    for (const { name } of GROUPS) await client.of("v1", "Namespace").create({ metadata: { name } });
    await cluster.clock.advance("10s");
    for (const { name } of GROUPS) await makeObjects(client, name, () => cluster.clock.atRest());
    await makeCertificates(client);
    await cluster.clock.advance("9m50s");
  });
  afterAll(async () => {
    await kubectl?.[Symbol.asyncDispose]();
    await client?.close();
    await cluster?.close();
  });

  test.each(GROUPS)("in the group $name", async ({ name, commands }) => {
    const shown = await transcript({ name, commands });
    const file = join(GOLDEN, `${name}.txt`);
    if (refresh) {
      await mkdir(GOLDEN, { recursive: true });
      await writeFile(file, shown);
    }
    expect(shown).toBe(await readFile(file, "utf8"));
  });

  test("without leaving out a served kind", async () => {
    const names = await kubectl.ok("api-resources --verbs=list --output=name");
    const kinds = names.trimEnd().split("\n");
    const shown = new Set(GROUPS.flatMap(({ commands }) => commands.map((command) => /^[a-z]+/.exec(command)?.[0])));
    const own = kinds.filter((kind) => !kind.endsWith(".example.org"));
    expect(own.filter((kind) => !shown.has(kind.split(".")[0]))).toEqual([]);
  });

  /** The commands of a group with what kubectl prints, a few run at once. */
  async function transcript({ name, commands }: Group): Promise<string> {
    const outputs: string[] = [];
    const waiting = [...commands.entries()];
    const runSome = async (): Promise<void> => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const [index, command] = next;
        const { stdout, stderr } = await kubectl.run(`get ${command} --namespace ${name}`);
        outputs[index] = `$ kubectl get ${command}\n${stdout}${stderr}`;
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, runSome));
    return outputs.join("\n");
  }
});
