import { cp } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ApiserverFolder, makeApiserverFolder } from "../../helpers/apiserver-folder.js";
import { etcdMissing } from "../../helpers/etcd.js";
import { eventually } from "../../helpers/eventually.js";
import {
  accountFlags,
  examplePath,
  playReadme,
  type StartedProgram,
  startBehind,
} from "../../helpers/example-program.js";
import { kubernetesMissing, type RealApiServer, startKubernetes } from "../../helpers/kubernetes-1.20.js";
import { realTool } from "../../helpers/real-tools.js";
import { type RealKubectl, realKubectl } from "../../helpers/run-real-kubectl.js";

// An API server of this package behind the real kube-apiserver 1.20 and its aggregator.
const missing = etcdMissing ?? kubernetesMissing ?? realTool("kubectl").missing;
if (missing !== undefined) process.stdout.write(`Wardle behind kube-apiserver 1.20 is skipped: ${missing}\n`);

const PATIENCE = 60_000;

describe.skipIf(missing !== undefined)("our example server Wardle behind kube-apiserver 1.20", () => {
  let folder: ApiserverFolder;
  let real: RealApiServer;
  let kubectl: RealKubectl;
  let wardle: StartedProgram;

  beforeAll(async () => {
    folder = await makeApiserverFolder();
    const file = (name: string): string => join(folder.path, name);
    real = await startKubernetes({
      etcd: folder.etcd,
      more: [
        `--requestheader-client-ca-file=${file("front-proxy-ca.crt")}`,
        "--requestheader-allowed-names=front-proxy-client",
        "--requestheader-username-headers=X-Remote-User",
        "--requestheader-group-headers=X-Remote-Group",
        "--requestheader-extra-headers-prefix=X-Remote-Extra-",
        `--proxy-client-cert-file=${file("front-proxy-client.crt")}`,
        `--proxy-client-key-file=${file("front-proxy-client.key")}`,
      ],
    });
    kubectl = await realKubectl(real);
    await cp(examplePath("wardle"), kubectl.folder, { recursive: true });
    await kubectl.ok("apply -f manifests.yaml");
    const flags = await accountFlags(kubectl, "wardle", "apiserver");
    wardle = await startBehind("wardle/server.mjs", [...flags, "--register-service=wardle/api"]);
    await eventually(() => kubectl.ok("get flunders,fischers"), PATIENCE);
  }, PATIENCE);

  afterAll(async () => {
    expect(await wardle?.end()).toEqual([0, null]);
    await kubectl?.[Symbol.asyncDispose]();
    await real?.stop();
    await folder?.dispose();
  });

  test("A-AGG-01: prints the transcript of its README", async () => {
    const played = await playReadme(kubectl, "wardle/README.md");
    expect(played.length).toBeGreaterThan(0);
    for (const { command, written, printed } of played) expect(printed, command).toBe(written);
  });

  test("A-APS: is found by the aggregator, and its APIService is available", async () => {
    const lines = await kubectl.ok(
      "get apiservices v1alpha1.wardle.example.com v1beta1.wardle.example.com --no-headers",
    );
    expect(lines).toMatch(/^v1alpha1\.\S+ +wardle\/api +True .*\nv1beta1\.\S+ +wardle\/api +True /);
  });

  test("A-AUTHN: takes the user from the aggregator, and asks it what the user may do", async () => {
    await kubectl.ok("create serviceaccount reader");
    const reader = "--as=system:serviceaccount:default:reader";
    const refused = await kubectl.run(`get flunders ${reader}`);
    expect(refused.stderr).toContain('User "system:serviceaccount:default:reader" cannot list resource "flunders"');
    await kubectl.ok("create clusterrole reader --verb=list --resource=flunders.wardle.example.com");
    await kubectl.ok("create rolebinding reader --clusterrole=reader --serviceaccount=default:reader");
    // A refusal counts for ten seconds.
    await eventually(async () => expect((await kubectl.run(`get flunders ${reader}`)).code).toBe(0), PATIENCE);
  });

  test("sends changes through a watch", async () => {
    const flunder = { apiVersion: "wardle.example.com/v1beta1", kind: "Flunder", metadata: { name: "watched" } };
    await kubectl.ok("create -f -", JSON.stringify(flunder));
    const watch = kubectl.start("get flunders watched --watch --no-headers --output=jsonpath={.metadata.labels.step}/");
    let seen = "";
    watch.stdout?.setEncoding("utf8").on("data", (text: string) => (seen += text));
    await eventually(() => expect(seen).toBe("/"), PATIENCE);
    await kubectl.ok("label flunder watched step=one");
    await eventually(() => expect(seen).toBe("/one/"), PATIENCE);
    watch.kill("SIGTERM");
    await kubectl.ok("delete flunder watched");
  });
});
