import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, test } from "vitest";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import { oldKubectl, realTool } from "../../helpers/real-tools.js";
import { type RealKubectl, realKubectl } from "../../helpers/run-real-kubectl.js";
import { seededRandom } from "../../helpers/seeded-random.js";

const FILES = 1000;
const LARGEST = 20_000;
const { missing } = realTool("kubectl");
if (missing !== undefined) process.stdout.write(`kubectl cp is skipped: ${missing}\n`);

describe.skipIf(missing !== undefined).each([
  ["1.37.1 over WebSockets", realTool("kubectl"), {}],
  ["1.37.1 over SPDY", realTool("kubectl"), { KUBECTL_REMOTE_COMMAND_WEBSOCKETS: "false" }],
  ["1.28.3", oldKubectl(), {}],
] as const)("copying a folder of a thousand files with cp, by kubectl %s", (_, { path, missing: gone }, env) => {
  if (gone !== undefined) return test.skip("is skipped: the tool is missing", () => {});
  let cluster: Cluster;
  let kubectl: RealKubectl;

  beforeAll(async () => {
    cluster = await startCluster({ nodes: [{ name: "node" }] });
    kubectl = await realKubectl(cluster, env, path);
    await kubectl.ok("run web --image=shell");
    await kubectl.ok("wait pod/web --for=condition=Ready");
    const random = seededRandom("copies");
    for (let index = 0; index < FILES; index++) {
      const folder = join(kubectl.folder, "there", `folder ${index % 7}`, index % 2 === 0 ? "deep" : ".");
      mkdirSync(folder, { recursive: true });
      // Every hundredth is empty.
      writeFileSync(join(folder, `größe-${index}`), random.bytes(((index % 100) * LARGEST) / 100));
    }
  });
  afterAll(async () => {
    await kubectl?.[Symbol.asyncDispose]();
    await cluster?.close();
  });

  test("brings every file back unchanged", async () => {
    await kubectl.ok("cp there web:/tmp/there");
    await kubectl.ok("cp web:/tmp/there back");
    execFileSync("diff", ["-r", join(kubectl.folder, "there"), join(kubectl.folder, "back")]);
  });
});
