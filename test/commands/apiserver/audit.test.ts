import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { AuditEvent } from "../../../src/server/audit/audit-event.js";
import { call } from "../../helpers/api-caller.js";
import {
  type ApiserverFolder,
  makeApiserverFolder,
  neededFlags,
  startApiserver,
} from "../../helpers/apiserver-folder.js";
import { freePorts } from "../../helpers/free-ports.js";
import { runCli } from "../../helpers/run-cli.js";

let folder: ApiserverFolder;

beforeAll(async () => {
  folder = await makeApiserverFolder();
});
afterAll(() => folder.dispose());

const linesOf = (file: string): readonly string[] => readFileSync(join(folder.path, file), "utf8").trim().split("\n");

test("T13: kubets apiserver with kube-apiserver's audit flags writes an audit log, complete when the server has stopped", async () => {
  const flags = ["--audit-policy-file=audit.yaml", "--audit-log-path=logs/audit.log", "--audit-log-mode=batch"];
  const server = await startApiserver(folder, [...neededFlags(folder), ...flags]);
  const headers = { accept: "application/json", "audit-id": "a-watch" };
  const path = "/api/v1/namespaces/default/configmaps";
  await call(server.admin, "POST", path, { metadata: { name: "a" } }, { headers: { "audit-id": "a-write" } });
  const watch = await server.admin.send({ method: "GET", path: `${path}?watch=true`, headers });
  const { code } = await server.stop();
  // The connection ends with the server.
  await watch.body[Symbol.asyncIterator]()
    .next()
    .catch(() => {});
  expect(code).toBe(0);
  const events = linesOf("logs/audit.log").map((line) => JSON.parse(line) as AuditEvent);
  const stagesOf = (id: string) => events.filter(({ auditID }) => auditID === id).map(({ stage }) => stage);
  expect(stagesOf("a-write")).toEqual(["RequestReceived", "ResponseComplete"]);
  expect(stagesOf("a-watch")).toEqual(["RequestReceived", "ResponseStarted", "ResponseComplete"]);
  // What the server asks itself is recorded, as kube-apiserver records it.
  expect(events.some(({ user }) => user.username === "system:apiserver")).toBe(true);
});

test("kubets apiserver does not start with an invalid audit policy, and names file and field", async () => {
  writeFileSync(join(folder.path, "wrong.yaml"), "apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: All}]\n");
  const [port] = await freePorts(1);
  const flags = [
    ...neededFlags(folder),
    "--audit-policy-file=wrong.yaml",
    "--audit-log-path=-",
    `--secure-port=${port}`,
  ];
  const { code, stderr } = await runCli(["apiserver", ...flags], { cwd: folder.path });
  expect(code).toBe(1);
  expect(stderr.replaceAll('\\"', '"')).toContain(
    `loading audit policy file: rules[0].level: Unsupported value: "All": supported values: "None", "Metadata", "Request", "RequestResponse": from file ${join(folder.path, "wrong.yaml")}`,
  );
});
