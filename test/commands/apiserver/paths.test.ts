import { afterAll, beforeAll, expect, test } from "vitest";
import { call } from "../../helpers/api-caller.js";
import {
  type ApiserverFolder,
  makeApiserverFolder,
  neededFlags,
  type RunningApiserver,
  startApiserver,
} from "../../helpers/apiserver-folder.js";

let folder: ApiserverFolder;
let server: RunningApiserver;
beforeAll(async () => {
  folder = await makeApiserverFolder();
  server = await startApiserver(folder, neededFlags(folder));
});
afterAll(async () => {
  await server.stop();
  await folder.dispose();
});

test.each(["/", "/index.html"])(
  "GEN-API-1: %s of kubets apiserver lists the paths of the server, sorted",
  async (path) => {
    const { status, text } = await call(server.admin, "GET", path);
    const { paths } = JSON.parse(text) as { paths: string[] };
    expect(status).toBe(200);
    expect(paths).toEqual(paths.toSorted());
    expect(paths).toEqual(expect.arrayContaining(["/api", "/apis", "/healthz", "/livez", "/readyz", "/version"]));
  },
);

test("GEN-API-1: /version of kubets apiserver is that of its Kubernetes version", async () => {
  const { text } = await call(server.admin, "GET", "/version");
  expect(JSON.parse(text)).toMatchObject({ major: "1", minor: "37" });
});

test("GEN-API-1: kubets apiserver serves /metrics and /debug/pprof/, and lists only the first, as kube-apiserver does", async () => {
  for (const path of ["/metrics", "/debug/pprof/"])
    expect((await call(server.admin, "GET", path)).status, path).toBe(200);
  const { paths } = JSON.parse((await call(server.admin, "GET", "/")).text) as { paths: string[] };
  expect(paths).toContain("/metrics");
  expect(paths.filter((path) => path.startsWith("/debug"))).toEqual([]);
});

test("CAC-8: a watch from a recent resourceVersion receives all later events in order", async () => {
  const maps = "/api/v1/namespaces/default/configmaps";
  const { text } = await call(server.admin, "POST", maps, { metadata: { name: "seen" } });
  const first = (JSON.parse(text) as { metadata: { resourceVersion: string } }).metadata.resourceVersion;
  for (const round of ["1", "2", "3"]) {
    await call(server.admin, "PATCH", `${maps}/seen`, { data: { round } }, { type: "application/merge-patch+json" });
  }
  const watch = (from: string) =>
    call(server.admin, "GET", `${maps}?watch=true&timeoutSeconds=1&resourceVersion=${from}`);
  const events = (await watch(first)).text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(events.map(({ type, object }) => [type, object.data.round])).toEqual([
    ["MODIFIED", "1"],
    ["MODIFIED", "2"],
    ["MODIFIED", "3"],
  ]);
});
