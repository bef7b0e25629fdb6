import { generateKeyPairSync } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTransport } from "../../../src/client/transport/create-transport.js";
import { type Answer, call } from "../../helpers/api-caller.js";
import { eventually } from "../../helpers/eventually.js";
import { freePorts } from "../../helpers/free-ports.js";
import { runCli } from "../../helpers/run-cli.js";

let cwd: string;

beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), "kubets-object-limit-"));
  const { privateKey } = generateKeyPairSync("ec", {
    namedCurve: "P-256",
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  await writeFile(join(cwd, "sa.key"), privateKey);
  await writeFile(join(cwd, "tokens.csv"), "secret,me,1,system:masters\n");
});

afterAll(() => rm(cwd, { recursive: true, force: true }));

/** What the programs answer to a ConfigMap of 60 kB. */
async function createMap(etcdFlags: readonly string[], apiServerFlags: readonly string[]): Promise<Answer> {
  const [etcd = 0, port = 0] = await freePorts(2);
  const stop = new AbortController();
  const ended = [
    runCli(["envtest", "etcd", `--listen-client-urls=http://127.0.0.1:${etcd}`, ...etcdFlags], { signal: stop.signal }),
  ];
  await eventually(async () => expect((await fetch(`http://127.0.0.1:${etcd}/health`)).status).toBe(200));
  const flags = [
    `--etcd-servers=http://127.0.0.1:${etcd}`,
    `--secure-port=${port}`,
    "--cert-dir=.",
    "--service-account-issuer=https://x",
    "--service-account-key-file=sa.key",
    "--service-account-signing-key-file=sa.key",
    "--token-auth-file=tokens.csv",
    ...apiServerFlags,
  ];
  ended.push(runCli(["envtest", "kube-apiserver", ...flags], { cwd, signal: stop.signal }));
  const transport = createTransport({ server: `https://127.0.0.1:${port}`, tls: { insecureSkipVerify: true } });
  const headers = { authorization: "Bearer secret" };
  const path = "/api/v1/namespaces/default/configmaps";
  try {
    await eventually(async () => {
      expect((await call(transport, "GET", path, undefined, { headers })).status).toBe(200);
    });
    return await call(
      transport,
      "POST",
      path,
      { metadata: { name: "a" }, data: { a: "x".repeat(60_000) } },
      { headers },
    );
  } finally {
    await transport.close();
    stop.abort();
    await Promise.all(ended);
  }
}

test("--max-request-bytes of envtest's etcd limits the objects of the kube-apiserver on it, unless that has the flag too", async () => {
  const limited = await createMap(["--max-request-bytes=50000"], []);
  expect([limited.status, limited.at("message")]).toEqual([500, "etcdserver: request is too large"]);
  expect((await createMap(["--max-request-bytes=50000"], ["--max-object-bytes=0"])).status).toBe(201);
});
