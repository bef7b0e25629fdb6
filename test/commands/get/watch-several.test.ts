import { afterAll, beforeAll, expect, test } from "vitest";
import { type ClusterSession, clusterSession } from "../../helpers/cluster-session.js";
import { eventually } from "../../helpers/eventually.js";
import { FixedClock } from "../../helpers/fixed-clock.js";
import { type CliResult, startCli } from "../../helpers/run-cli.js";

let session: ClusterSession;
const clock = new FixedClock(Date.UTC(2026, 0, 1));
beforeAll(async () => {
  session = await clusterSession({ clock });
  await session.write({
    "there.json": JSON.stringify({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "there", labels: { w: "1" } },
    }),
    "late.json": JSON.stringify({ apiVersion: "v1", kind: "Secret", metadata: { name: "late", labels: { w: "1" } } }),
  });
  await session.kubectl("create -f there.json");
});
afterAll(() => session[Symbol.asyncDispose]());

/** Waits until what a command has written ends like this. */
type Shows = (end: string) => Promise<void>;

/** Runs until watches of the resources were opened and what comes `then` is over. */
async function watching(
  argv: string,
  resources: readonly string[],
  then: (shows: Shows) => Promise<void>,
): Promise<CliResult> {
  const env = { HOME: session.folder, KUBECONFIG: `${session.folder}/kubeconfig`, NO_COLOR: "1" };
  session.requests();
  const running = startCli(argv.split(" "), { env, cwd: session.folder, clock, terminal: true });
  const seen: string[] = [];
  await eventually(async () => {
    seen.push(...session.requests());
    for (const resource of resources) expect(seen.some((line) => isWatch(line, resource))).toBe(true);
  });
  await then((end) => eventually(() => expect(running.stdout().endsWith(end)).toBe(true)));
  return running.interrupt();
}

const isWatch = (line: string, resource: string): boolean =>
  line.includes(`/${resource}?`) && line.includes("watch=true");

test("get --watch on a terminal watches several types, each in a table of its own", async () => {
  const result = await watching(
    "get cm,secret,ns -l w=1 -w",
    ["configmaps", "secrets", "namespaces"],
    async (shows) => {
      await session.kubectl("create -f late.json");
      await shows("\nsecret/late   Opaque   0      0s\n");
      await session.kubectl("label cm there more=1");
      await shows("\nconfigmap/there   0      0s\n");
    },
  );
  expect(result).toEqual({
    code: 1,
    stdout: `NAME              DATA   AGE
configmap/there   0      0s

NAME          TYPE     DATA   AGE
secret/late   Opaque   0      0s
configmap/there   0      0s
`,
    stderr: "",
  });
});

test("get --watch on a terminal watches several objects by name", async () => {
  const result = await watching("get cm/there cm/kube-root-ca.crt -w -o name", ["configmaps"], async (shows) => {
    await session.kubectl("label cm there even=more");
    await shows("\nconfigmap/there\n");
  });
  expect(result).toEqual({
    code: 1,
    stdout: "configmap/there\nconfigmap/kube-root-ca.crt\nconfigmap/there\n",
    stderr: "",
  });
});

test("get --watch in a pipe refuses several types as kubectl does", async () => {
  expect(await session.kubectl("get cm,secret -w")).toEqual({
    code: 1,
    stdout: "",
    stderr: "error: you may only specify a single resource type\n",
  });
});
