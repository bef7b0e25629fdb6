import { spawn, spawnSync } from "node:child_process";
import { randomBytes, X509Certificate } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { connect as connectHttp2 } from "node:http2";
import { Agent, request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect as connectTcp, type Socket } from "node:net";
import { connect as connectTls, type TLSSocket } from "node:tls";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { systemClock } from "../../src/base/time/clock.js";
import { systemRandom } from "../../src/base/numbers/random.js";
import { type Cluster, startCluster } from "../../src/cluster/index.js";
import { issueCertificate, issuerOf, type KeyPair } from "../../src/machinery/crypto/issue-certificate.js";
import { createClusterPki, type ClusterPki } from "../../src/cluster/pki/cluster-pki.js";
import { PATIENCE } from "../helpers/patience.js";

function works(command: string, ...args: readonly string[]): boolean {
  return spawnSync(command, args, { timeout: PATIENCE }).status === 0;
}

const noOpenssl = works("openssl", "version") ? undefined : "openssl is not installed";
const noPython = works("python3", "-c", "import ssl; ssl.VERIFY_X509_STRICT") ? undefined : "python3 has no ssl module";
for (const reason of [noOpenssl, noPython]) {
  if (reason !== undefined) process.stdout.write(`part of the TLS interop is skipped: ${reason}\n`);
}

let folder: string;
let cluster: Cluster;
/** What the cluster keeps in its data folder: its CA's key is there to sign with. */
let pki: ClusterPki;
let admin: Credentials;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "kubets-tls-"));
  cluster = await startCluster({ storage: "disk", dataDir: join(folder, "data") });
  pki = JSON.parse(await readFile(join(folder, "data", "pki.json"), "utf8")) as ClusterPki;
  admin = { cert: pki.admin.certificate, key: pki.admin.key };
  await Promise.all([
    writeFile(join(folder, "ca.pem"), pki.ca.certificate),
    writeFile(join(folder, "server.pem"), await shownCertificate()),
    writeFile(join(folder, "client.pem"), pki.admin.certificate),
    writeFile(join(folder, "client.key"), pki.admin.key),
  ]);
});
afterAll(async () => {
  await cluster.close();
  await rm(folder, { recursive: true, force: true });
});

/** The certificate the server shows in a handshake, as PEM. */
function shownCertificate(): Promise<string> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(cluster.url);
    const socket: TLSSocket = connectTls({ host: hostname, port: Number(port), ca: pki.ca.certificate }, () => {
      const { raw } = socket.getPeerCertificate();
      socket.end();
      resolve(new X509Certificate(raw).toString());
    });
    socket.on("error", reject);
  });
}

interface Credentials {
  readonly cert?: string;
  readonly key?: string;
  readonly ca?: string;
  readonly agent?: Agent;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Answer {
  readonly status: number;
  readonly type: string | undefined;
  readonly body: string;
}

const PATH = "/api/v1/namespaces";

/** What names no user at all may be an anonymous request, which has no rights here. */
const ANONYMOUS = [401, 403];

function overHttp1({ headers, ...tls }: Credentials, path = PATH): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      `${cluster.url}${path}`,
      { ca: pki.ca.certificate, agent: false, ...tls, headers },
      (answer) => {
        let body = "";
        answer.setEncoding("utf8").on("data", (text: string) => (body += text));
        answer.on("end", () => resolve({ status: answer.statusCode ?? 0, type: answer.headers["content-type"], body }));
      },
    );
    outgoing.on("error", reject).end();
  });
}

function overHttp2({ headers, cert, key, ca = pki.ca.certificate }: Credentials, path = PATH): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const session = connectHttp2(cluster.url, {
      ca,
      ...(cert !== undefined && { cert }),
      ...(key !== undefined && { key }),
    });
    session.on("error", reject);
    const stream = session.request({ ":path": path, ...headers });
    stream.on("error", reject);
    let [status, body] = [0, ""];
    let type: string | undefined;
    stream.on("response", (head) => {
      status = head[":status"] ?? 0;
      type = head["content-type"];
    });
    stream.setEncoding("utf8").on("data", (text: string) => (body += text));
    stream.on("end", () => {
      session.close();
      resolve({ status, type, body });
    });
  });
}

describe("strict TLS verifiers accept our certificates", () => {
  const verify = (...args: readonly string[]) => {
    const { status, stdout, stderr } = spawnSync("openssl", ["verify", "-x509_strict", ...args], {
      cwd: folder,
      encoding: "utf8",
    });
    return { status, said: stdout + stderr };
  };

  describe.skipIf(noOpenssl !== undefined)("with openssl", () => {
    test("as the server's and the client's, each only for its purpose", () => {
      const trusted = ["-CAfile", "ca.pem", "-purpose"];
      expect(verify(...trusted, "sslserver", "-verify_ip", "127.0.0.1", "server.pem")).toMatchObject({ status: 0 });
      expect(verify(...trusted, "sslserver", "-verify_hostname", "localhost", "server.pem")).toMatchObject({
        status: 0,
      });
      expect(verify(...trusted, "sslclient", "client.pem")).toMatchObject({ status: 0 });
      expect(verify(...trusted, "sslclient", "server.pem")).toMatchObject({ status: 2 });
      expect(verify(...trusted, "sslserver", "client.pem")).toMatchObject({ status: 2 });
      expect(verify(...trusted, "sslserver", "-verify_hostname", "example.com", "server.pem")).toMatchObject({
        status: 2,
      });
    });

    test("with the extensions that strict verifiers require", () => {
      const shown = (file: string) =>
        spawnSync("openssl", ["x509", "-noout", "-text", "-in", file], { cwd: folder, encoding: "utf8" }).stdout;
      const identifier = (text: string, name: string) =>
        new RegExp(`X509v3 ${name} Key Identifier: *\\n +(?:keyid:)?([0-9A-F:]+)`).exec(text)?.[1];
      const [ca, server, client] = ["ca.pem", "server.pem", "client.pem"].map((file) => shown(file));
      expect(ca).toMatch(/Basic Constraints: critical\n +CA:TRUE/);
      expect(ca).toMatch(/Key Usage: critical\n.*Certificate Sign/);
      for (const leaf of [server, client]) {
        expect(leaf).toMatch(/Basic Constraints: critical\n +CA:FALSE/);
        expect(identifier(leaf ?? "", "Authority")).toBe(identifier(ca ?? "", "Subject"));
        expect(identifier(leaf ?? "", "Subject")).toMatch(/^([0-9A-F]{2}:){19}[0-9A-F]{2}$/);
      }
      expect(server).toMatch(/IP Address:127\.0\.0\.1/);
    });
  });

  test.skipIf(noPython !== undefined)("with Python's ssl and the flags that are its default from 3.13 on", async () => {
    const script = `
import http.client, json, ssl, sys
context = ssl.create_default_context(cafile="ca.pem")
context.verify_flags |= ssl.VERIFY_X509_STRICT | getattr(ssl, "VERIFY_X509_PARTIAL_CHAIN", 0x80000)
context.load_cert_chain("client.pem", "client.key")
connection = http.client.HTTPSConnection("127.0.0.1", int(sys.argv[1]), context=context)
connection.request("GET", "/api/v1/namespaces/default")
answer = connection.getresponse()
print(answer.status, json.loads(answer.read())["metadata"]["name"])
`;
    await writeFile(join(folder, "ask.py"), script);
    const child = spawn("python3", ["ask.py", new URL(cluster.url).port], { cwd: folder });
    let said = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (data: Buffer) => (said += data.toString()));
    await new Promise((resolve) => child.on("close", resolve));
    expect(said).toBe("200 default\n");
  });

  test("a TLS client that trusts only another authority disconnects", async () => {
    const ca = createClusterPki(systemClock, systemRandom, systemClock).ca.certificate;
    await expect(overHttp1({ ca, ...admin })).rejects.toThrow(/certificate/);
    await expect(overHttp2({ ca, ...admin })).rejects.toThrow(/certificate/);
  });
});

describe.each([
  ["HTTP/1.1", overHttp1],
  ["HTTP/2", overHttp2],
] as const)("authentication over %s", (_, ask) => {
  const whoami = async (credentials: Credentials) => (await ask(credentials)).status;
  const bearer = (token: string): Credentials => ({ headers: { authorization: `Bearer ${token}` } });

  test("accepts the token and the admin's certificate", async () => {
    expect(await whoami(bearer(cluster.token))).toBe(200);
    expect(await whoami(admin)).toBe(200);
  });

  test("treats a request without credentials as anonymous: 403 with a Status", async () => {
    const answer = await ask({});
    expect([answer.status, answer.type]).toEqual([403, "application/json"]);
    expect(JSON.parse(answer.body)).toEqual({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message:
        'namespaces is forbidden: User "system:anonymous" cannot list resource "namespaces" in API group "" at the cluster scope',
      reason: "Forbidden",
      details: { kind: "namespaces" },
      code: 403,
    });
  });

  test.each([
    [[401], "a wrong token", () => bearer("nonsense")],
    [[401], "the token cut short", () => bearer(cluster.token.slice(0, -1))],
    [ANONYMOUS, "no token behind Bearer", () => ({ headers: { authorization: "Bearer " } })],
    [
      ANONYMOUS,
      "Basic instead of Bearer",
      () => ({ headers: { authorization: `Basic ${btoa(`admin:${cluster.token}`)}` } }),
    ],
    [
      ANONYMOUS,
      "names that only a proxy may set",
      () => ({ headers: { "x-remote-user": "admin", "x-remote-group": "system:masters" } }),
    ],
    [
      ANONYMOUS,
      "a certificate of another CA of the same name",
      () => foreign(createClusterPki(systemClock, systemRandom, systemClock).admin),
    ],
    [ANONYMOUS, "a certificate that signed itself", () => foreign(issueCertificate(subject({})))],
    [
      ANONYMOUS,
      "a certificate of ours that has expired",
      () => foreign(issueCertificate(subject({ notAfter: -1 }), ours())),
    ],
    [ANONYMOUS, "a certificate of ours that is for servers", () => foreign(pki.server)],
  ] satisfies readonly (readonly [readonly number[], string, () => Credentials])[])(
    "answers %j for %s",
    async (statuses, _name, credentials) => {
      expect(statuses).toContain((await ask(credentials())).status);
    },
  );

  test("takes the user from a certificate of the cluster, whom authorization then refuses", async () => {
    const jane = issueCertificate({ ...subject({}), commonName: "jane", organizations: ["dev", "ops"] }, ours());
    expect((await ask(foreign(jane))).body).toContain('User \\"jane\\" cannot list resource \\"namespaces\\"');
  });
});

test("a resumed TLS session keeps the client certificate of its first handshake", async () => {
  const agent = new Agent({ keepAlive: false, ca: pki.ca.certificate, ...admin });
  const asked = () =>
    new Promise<{ status: number | undefined; resumed: boolean }>((resolve, reject) => {
      const outgoing = request(`${cluster.url}${PATH}`, { agent }, (answer) => {
        const resumed = (answer.socket as TLSSocket).isSessionReused();
        answer.resume().on("end", () => resolve({ status: answer.statusCode, resumed }));
      });
      outgoing.on("error", reject).end();
    });
  expect(await asked()).toEqual({ status: 200, resumed: false });
  expect(await asked()).toEqual({ status: 200, resumed: true });
  agent.destroy();
});

/**
 * Sends text on a connection and reads it to its end; the server is to end it. A reset behind an answer is an end too: the server waits only so long
 * for the rest of a request that it has refused.
 */
function conversation(socket: Socket, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const received: Buffer[] = [];
    socket.on("data", (chunk: Buffer) => received.push(chunk));
    socket.on("error", (error) => void (received.length === 0 && reject(error)));
    socket.on("close", () => resolve(Buffer.concat(received).toString("latin1")));
    socket.write(text);
  });
}

describe("the server refuses, as Go's HTTP server does,", () => {
  const address = () => {
    const { hostname, port } = new URL(cluster.url);
    return { host: hostname, port: Number(port) };
  };

  test.each(["GET", "HEAD", "POST", "PUT"])("a %s without TLS", async (method) => {
    const answer = await conversation(
      connectTcp(address()),
      `${method} / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n${"x".repeat(100_000)}`,
    );
    expect(answer).toBe("HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n");
  });

  const overTls = (text: string) =>
    conversation(connectTls({ ...address(), ca: pki.ca.certificate, ALPNProtocols: ["http/1.1"] }), text);

  test.each(["", "Connection: Upgrade\r\nUpgrade: websocket\r\n"])("HTTP/1.1 without a Host: %j", async (headers) => {
    const [head, body] = (await overTls(`GET /version HTTP/1.1\r\n${headers}\r\n`)).split("\r\n\r\n");
    expect(head?.split("\r\n")[0]).toBe("HTTP/1.1 400 Bad Request: missing required Host header");
    expect(head?.toLowerCase()).toContain("content-type: text/plain; charset=utf-8");
    expect(head?.toLowerCase()).toContain("connection: close");
    expect(body).toBe("400 Bad Request: missing required Host header");
  });

  test.each(["GET /version HTTP/1.0\r\n\r\n", "GET /version HTTP/1.1\r\nHost:\r\nConnection: close\r\n\r\n"])(
    "but accepts %j",
    async (text) => {
      expect(await overTls(text)).toMatch(/^HTTP\/1\.[01] 200 /);
    },
  );
});

const DAY = 86_400_000;

const foreign = ({ certificate, key }: KeyPair): Credentials => ({ cert: certificate, key });
const ours = () => issuerOf(pki.ca, "kubernetes");

function subject({ notAfter = 1 }: { notAfter?: number }) {
  return {
    commonName: "kubernetes-admin",
    organizations: ["system:masters"],
    notBefore: Date.now() - 2 * DAY,
    notAfter: Date.now() + notAfter * DAY,
    serial: randomBytes(16),
    usage: "client",
  } as const;
}
