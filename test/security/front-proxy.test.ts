import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { issueCertificate, issuerOf, type KeyPair } from "../../src/machinery/crypto/issue-certificate.js";
import { Arena, jewel } from "./arena.js";

const SECRET = "/api/v1/namespaces/default/secrets/jewel";
const DAY = 86_400_000;
const REFUSED = "403 Forbidden";
const UNKNOWN = "401 Unauthorized";

let folder: string;
let arena: Arena;
let proxies: KeyPair;
let clients: KeyPair;

const authority = (commonName: string): KeyPair =>
  issueCertificate({
    commonName,
    notBefore: Date.now() - DAY,
    notAfter: Date.now() + DAY,
    serial: Buffer.from([1]),
    usage: "ca",
  });
const certified = (by: KeyPair, issuer: string, commonName: string, more: object = {}): KeyPair =>
  issueCertificate(
    {
      commonName,
      notBefore: Date.now() - DAY,
      notAfter: Date.now() + DAY,
      serial: Buffer.from([5]),
      usage: "client",
      ...more,
    },
    issuerOf(by, issuer),
  );

/** A front proxy "aggregator" may name users. Its authority is another than that of clients. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "kubets-proxy-"));
  [proxies, clients] = [authority("proxies"), authority("clients")];
  await writeFile(join(folder, "proxies.pem"), proxies.certificate);
  await writeFile(join(folder, "clients.pem"), clients.certificate);
  arena = await Arena.open({
    authentication: {
      clientCaFiles: [join(folder, "clients.pem")],
      requestHeader: { clientCaFile: join(folder, "proxies.pem"), allowedNames: ["aggregator"] },
    },
  });
  await arena.create("/api/v1/namespaces/default/secrets", jewel("jewel"));
  await arena.allow("jane", "get secrets jewel");
});

afterAll(async () => {
  await arena[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

const AS_JANE = { "X-Remote-User": "jane" };
const AS_ROOT = { "X-Remote-User": "root", "X-Remote-Group": "system:masters" };

describe("front-proxy headers that name a user are ignored or refused", () => {
  type Row = readonly [
    title: string,
    who: () => string | KeyPair,
    headers: Readonly<Record<string, string | string[]>>,
    answer: string,
  ];
  const nobody = (): string => "nobody";
  const will = (): string => "will";
  const rows: readonly Row[] = [
    ["without a certificate", nobody, AS_JANE, REFUSED],
    ["without a certificate, of the administrators' group", nobody, AS_ROOT, REFUSED],
    [
      "without a certificate, in lower case",
      nobody,
      { "x-remote-user": "root", "x-remote-group": "system:masters" },
      REFUSED,
    ],
    ["without a certificate, and with a wrong token", () => "bearer wrong", AS_ROOT, UNKNOWN],
    ["with a user's certificate", will, AS_JANE, REFUSED],
    ["with a user's certificate, of the administrators' group", will, AS_ROOT, REFUSED],
    ["with a group alone beside a user's certificate", will, { "X-Remote-Group": "system:masters" }, REFUSED],
    [
      "with a uid and an extra beside a user's certificate",
      will,
      { "X-Remote-Uid": "0", "X-Remote-Extra-Scopes": "all" },
      REFUSED,
    ],
    ["with a user's certificate named as the proxy", () => "aggregator", AS_ROOT, REFUSED],
    [
      "with a certificate of clients' authority named as the proxy",
      () => certified(clients, "clients", "aggregator"),
      AS_ROOT,
      REFUSED,
    ],
    [
      "with a certificate of the proxies' authority and another name",
      () => certified(proxies, "proxies", "other"),
      AS_ROOT,
      UNKNOWN,
    ],
    ["with the name in other letters", () => certified(proxies, "proxies", "Aggregator"), AS_ROOT, UNKNOWN],
    ["with a name that begins like it", () => certified(proxies, "proxies", "aggregator.x"), AS_ROOT, UNKNOWN],
    ["with an empty name", () => certified(proxies, "proxies", ""), AS_ROOT, UNKNOWN],
    [
      "with the name as an organization",
      () => certified(proxies, "proxies", "x", { organizations: ["aggregator"] }),
      AS_ROOT,
      UNKNOWN,
    ],
    [
      "with the proxy's certificate, expired",
      () => certified(proxies, "proxies", "aggregator", { notAfter: Date.now() - 1000 }),
      AS_ROOT,
      UNKNOWN,
    ],
    [
      "with the proxy's certificate, for servers",
      () => certified(proxies, "proxies", "aggregator", { usage: "server", names: ["127.0.0.1"] }),
      AS_ROOT,
      UNKNOWN,
    ],
    [
      "with a certificate of an authority of the proxies' name",
      () => certified(authority("proxies"), "proxies", "aggregator"),
      AS_ROOT,
      UNKNOWN,
    ],
    [
      "with one that it signed itself",
      () =>
        issueCertificate({
          commonName: "aggregator",
          notBefore: Date.now() - DAY,
          notAfter: Date.now() + DAY,
          serial: Buffer.from([5]),
          usage: "client",
        }),
      AS_ROOT,
      UNKNOWN,
    ],
    [
      "with the proxy's certificate and no user",
      () => certified(proxies, "proxies", "aggregator"),
      { "X-Remote-Group": "system:masters" },
      UNKNOWN,
    ],
    [
      "with the proxy's certificate and an empty user",
      () => certified(proxies, "proxies", "aggregator"),
      { "X-Remote-User": "", "X-Remote-Group": "system:masters" },
      UNKNOWN,
    ],
    [
      "in other headers of proxies",
      nobody,
      { "X-Forwarded-User": "jane", "X-Auth-Request-User": "jane", "Remote-User": "jane", "X-Webauth-User": "jane" },
      REFUSED,
    ],
    ["with an underscore for a dash", nobody, { X_Remote_User: "jane" }, REFUSED],
    [
      "in headers of a proxied certificate",
      nobody,
      { "X-Client-Cert": "x", "X-SSL-Client-CN": "jane", "X-Forwarded-Client-Cert": "Subject=CN=jane" },
      REFUSED,
    ],
    ["as a local address", nobody, { "X-Forwarded-For": "127.0.0.1", "X-Real-Ip": "127.0.0.1" }, REFUSED],
  ];
  test.each(rows)("%s", async (title, who, headers, answer) => {
    await arena.attemptShot(title, who(), { method: "GET", path: SECRET, headers }, answer);
  });
});

test("the front proxy's certificate authenticates no user itself, and the named user has only its own rights", async () => {
  const proxy = certified(proxies, "proxies", "aggregator");
  expect((await arena.send(proxy, { method: "GET", path: SECRET, headers: AS_JANE })).status).toBe(200);
  await arena.attemptShot(
    "another",
    proxy,
    { method: "GET", path: SECRET, headers: { "X-Remote-User": "will" } },
    REFUSED,
  );
  await arena.attemptShot("none", proxy, { method: "GET", path: SECRET }, UNKNOWN);
  expect(arena.faults).toEqual([]);
});

test("a user named by a front proxy needs the right to impersonate", async () => {
  const proxy = certified(proxies, "proxies", "aggregator");
  const headers = { "X-Remote-User": "will", "Impersonate-User": "jane" };
  await arena.attemptShot("impersonation", proxy, { method: "GET", path: SECRET, headers }, REFUSED);
});
