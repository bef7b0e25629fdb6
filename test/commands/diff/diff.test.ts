import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { clusterSession } from "../../helpers/cluster-session.js";
import { runCli } from "../../helpers/run-cli.js";
import { RecordedServer, type RecordedRequest, type RecordedResponse } from "../edit/recorded-server.js";

const configMap = (name: string, colour: string): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\ndata: {colour: ${colour}}\n`;

test("diff without a diff program compares by itself", async () => {
  await using session = await clusterSession();
  await session.write({ "a.yaml": configMap("a", "blue"), "a2.yaml": configMap("a", "green") });
  await session.kubectl("apply -f a.yaml");
  const env = {
    HOME: session.folder,
    KUBECONFIG: join(session.folder, "kubeconfig"),
    TMPDIR: session.folder,
    PATH: "",
  };
  const surroundings = { env, cwd: session.folder };
  const same = await runCli(["diff", "-f", "a.yaml"], surroundings);
  expect(same).toEqual({ code: 0, stdout: "", stderr: "" });
  const changed = await runCli(["diff", "-f", "a2.yaml"], surroundings);
  expect(changed.code).toBe(1);
  expect(changed.stderr).toBe("");
  expect(changed.stdout).toMatch(
    /^diff -u -N \S+\/LIVE-\d+\/v1\.ConfigMap\.default\.a \S+\/MERGED-\d+\/v1\.ConfigMap\.default\.a\n--- /,
  );
  expect(changed.stdout).toContain(
    "@@ -1,6 +1,6 @@\n apiVersion: v1\n data:\n-  colour: blue\n+  colour: green\n kind: ConfigMap\n",
  );
  const left = await readdir(session.folder);
  expect(left.filter((name) => /^(LIVE|MERGED)-/.test(name))).toEqual([]);
});

/** Runs a command line against a server that answers as told; nothing is validated. */
async function against(
  answer: (request: RecordedRequest) => RecordedResponse,
  argv: readonly string[],
  files: Readonly<Record<string, string>>,
) {
  await using server = await RecordedServer.start(answer);
  const home = await mkdtemp(join(tmpdir(), "kubets-diff-test-"));
  try {
    for (const [name, text] of Object.entries(files)) await writeFile(join(home, name), text);
    const config = `apiVersion: v1\nkind: Config\ncurrent-context: c\nclusters: [{name: c, cluster: {server: "${server.url}"}}]\ncontexts: [{name: c, context: {cluster: c, user: u}}]\nusers: [{name: u, user: {}}]\n`;
    await writeFile(join(home, "kubeconfig"), config);
    const env = { HOME: home, KUBECONFIG: join(home, "kubeconfig"), TMPDIR: home, PATH: "" };
    return await runCli(argv, { env, cwd: home });
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

const live = (colour: string, resourceVersion: string): RecordedResponse => ({
  status: 200,
  body: JSON.stringify({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "a", namespace: "default", resourceVersion },
    data: { colour },
  }),
});

const failure = (code: number, reason: string): RecordedResponse => ({
  status: code,
  body: JSON.stringify({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    reason,
    code,
    message: reason,
  }),
});

test("diff reads and merges an object again that changed meanwhile, and its patch names the resourceVersion", async () => {
  const seen: string[] = [];
  const answer = ({ method, path, body }: RecordedRequest): RecordedResponse => {
    if (path.startsWith("/openapi")) return failure(404, "NotFound");
    seen.push(`${method} ${body}`);
    if (method === "GET") return live("blue", "7");
    return seen.filter((line) => line.startsWith("PATCH")).length === 1 ? failure(409, "Conflict") : live("green", "8");
  };
  const { code, stdout } = await against(answer, ["diff", "-f", "a.yaml"], { "a.yaml": configMap("a", "green") });
  const patch = 'PATCH {"data":{"colour":"green"},"metadata":{"annotations":{},"resourceVersion":"7"}}';
  expect(seen.map((line) => line.trim())).toEqual(["GET", patch, "GET", patch]);
  expect(code).toBe(1);
  expect(stdout).toContain("-  colour: blue\n+  colour: green\n");
});

test("diff --concurrency compares several files at a time", async () => {
  let waiting = 0;
  let most = 0;
  const seen: string[] = [];
  const answer = ({ method, path }: RecordedRequest): RecordedResponse => {
    if (path.startsWith("/openapi")) return failure(404, "NotFound");
    seen.push(`${method} ${path.split("/").at(-1)}`);
    waiting += method === "GET" ? 1 : -1;
    most = Math.max(most, waiting);
    return method === "GET" ? failure(404, "NotFound") : live("green", "8");
  };
  const files = { "a.yaml": configMap("a", "green"), "b.yaml": configMap("b", "green") };
  const argv = ["diff", "-f", "a.yaml", "-f", "b.yaml"];
  await against(answer, argv, files);
  expect(seen).toEqual(["GET a", "POST configmaps", "GET b", "POST configmaps"]);
  [waiting, most] = [0, 0];
  await against(answer, [...argv, "--concurrency=2"], files);
  expect(most).toBe(2);
});
