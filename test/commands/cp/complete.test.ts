import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import { done } from "../../helpers/admitting-server.js";
import { realTool } from "../../helpers/real-tools.js";
import { runCli } from "../../helpers/run-cli.js";
import { type RealKubectl, realKubectl } from "../../helpers/run-real-kubectl.js";

const { missing } = realTool("kubectl");
if (missing !== undefined)
  process.stdout.write(`kubectl's candidates for cp and port-forward is skipped: ${missing}\n`);

let cluster: Cluster;
let kubectl: RealKubectl;

beforeAll(async () => {
  cluster = await startCluster();
  const api = cluster.transport();
  const ports = [{ containerPort: 80 }, { containerPort: 8443 }];
  for (const name of ["alpha", "web"]) {
    const metadata = { name, labels: { app: name } };
    const containers = [{ name: "c", image: "i", ports }];
    await done(api, "POST", "/api/v1/namespaces/default/pods", { metadata, spec: { containers } });
  }
  const spec = {
    selector: { app: "web" },
    ports: [
      { name: "www", port: 81 },
      { name: "tls", port: 444 },
    ],
  };
  await done(api, "POST", "/api/v1/namespaces/default/services", { metadata: { name: "front" }, spec });
  kubectl = await realKubectl(cluster);
  mkdirSync(join(kubectl.folder, "alps"));
  writeFileSync(join(kubectl.folder, "albatross"), "");
});

afterAll(async () => {
  await kubectl[Symbol.asyncDispose]();
  await cluster.close();
});

describe.skipIf(missing !== undefined)("completion suggests the same as kubectl's", () => {
  it.each([
    ["cp", ""],
    ["cp", "al"],
    ["cp", "de"],
    ["cp", "default/"],
    ["cp", "default/w"],
    ["cp", "./"],
    ["cp", "web:"],
    ["cp", "zzz"],
    ["cp", "alpha:x", ""],
    ["port-forward", ""],
    ["port-forward", "w"],
    ["port-forward", "svc/"],
    ["port-forward", "web", ""],
    ["port-forward", "web", "8"],
    ["port-forward", "web", "80:8"],
    ["port-forward", "pod/web", ""],
    ["port-forward", "svc/front", ""],
    ["port-forward", "svc/front", "9:"],
    ["port-forward", "service/front", "81:8"],
    ["port-forward", "svc/none", ""],
    ["port-forward", "web", "80", ""],
  ])("for %s %s %s", async (...words) => {
    const argv = ["__complete", ...words];
    const env = { HOME: kubectl.folder, KUBECONFIG: join(kubectl.folder, "kubeconfig") };
    const [theirs, ours] = await Promise.all([kubectl.run(argv), runCli(argv, { env, cwd: kubectl.folder })]);
    const candidates = (text: string): string => text.replaceAll(/\t.*$/gm, "");
    expect(candidates(ours.stdout)).toBe(candidates(theirs.stdout));
  });
});
