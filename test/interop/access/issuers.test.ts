import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { OAuth2Server } from "oauth2-mock-server";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import { type OidcIssuer, startOidcIssuer } from "../../helpers/oidc-issuer.js";
import { rawRequest } from "../../helpers/raw-request.js";
import { realTool } from "../../helpers/real-tools.js";
import { type RealKubectl, realKubectl } from "../../helpers/run-real-kubectl.js";
import { certificates } from "../../helpers/webhook-server.js";

const { missing } = realTool("kubectl");
if (missing !== undefined) process.stdout.write(`issuers with kubectl are skipped: ${missing}\n`);

// Two issuers of identities for one cluster: the small one of these tests, and oauth2-mock-server as npm has it.
describe.skipIf(missing !== undefined)("kubectl 1.37.1 is authenticated by a token of", () => {
  let folder: string;
  let small: OidcIssuer;
  let other: OAuth2Server;
  let cluster: Cluster;
  let kubectl: RealKubectl;

  beforeAll(async () => {
    small = await startOidcIssuer();
    const { authority, leaf } = certificates(["localhost"]);
    folder = await mkdtemp(join(tmpdir(), "kubets-issuer-"));
    await writeFile(join(folder, "issuer.key"), leaf.key);
    await writeFile(join(folder, "issuer.crt"), leaf.certificate);
    other = new OAuth2Server(join(folder, "issuer.key"), join(folder, "issuer.crt"));
    await other.issuer.keys.generate("RS256", { kid: "first" });
    await other.start(0, "127.0.0.1");
    const issuer = (url: string, certificateAuthority: string) => ({
      url,
      audiences: ["kubets"],
      certificateAuthority,
    });
    cluster = await startCluster({
      authentication: {
        configuration: {
          jwt: [
            {
              issuer: issuer(small.url, small.certificateAuthority),
              claimMappings: {
                username: { claim: "sub", prefix: "small:" },
                groups: { claim: "groups", prefix: "small:" },
              },
            },
            {
              issuer: issuer(other.issuer.url ?? "", authority.certificate),
              claimMappings: {
                username: { expression: '"other:" + claims.nickname' },
                groups: { claim: "roles", prefix: "other:" },
                extra: [{ key: "example.com/tenant", valueExpression: "claims.tenant" }],
              },
            },
          ],
        },
      },
    });
    kubectl = await realKubectl(cluster);
    await writeFile(join(kubectl.folder, "ca.pem"), cluster.caCertificate);
    for (const group of ["small:developers", "other:developers"]) {
      await kubectl.ok(["create", "rolebinding", group.replace(":", "-"), "--clusterrole=view", `--group=${group}`]);
    }
  });
  afterAll(async () => {
    await kubectl?.[Symbol.asyncDispose]();
    await cluster?.close();
    await other?.stop();
    await small?.[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  /** With a kubeconfig that has a token in place of a certificate. */
  async function asToken(token: string, ...argv: readonly string[]) {
    const config = {
      apiVersion: "v1",
      kind: "Config",
      clusters: [
        { name: "k", cluster: { server: cluster.url, "certificate-authority": join(kubectl.folder, "ca.pem") } },
      ],
      users: [{ name: "k", user: { token } }],
      contexts: [{ name: "k", context: { cluster: "k", user: "k" } }],
      "current-context": "k",
    };
    const path = join(kubectl.folder, "token-kubeconfig");
    await writeFile(path, JSON.stringify(config), { mode: 0o600 });
    return kubectl.run(["--kubeconfig", path, ...argv]);
  }

  const WHO = ["auth", "whoami", "-o", "json"];
  const userIn = (stdout: string): unknown => (JSON.parse(stdout) as { status: { userInfo: unknown } }).status.userInfo;

  const tokenOfOther = (claims: object, expiresIn = 3600): Promise<string> =>
    other.issuer.buildToken({
      expiresIn,
      scopesOrTransform: (_header, payload) => {
        Object.assign(payload, {
          aud: "kubets",
          nickname: "bob@example.com",
          roles: ["developers"],
          tenant: "t1",
          ...claims,
        });
      },
    });

  test("the small issuer", async () => {
    const { stdout } = await asToken(small.token({ groups: ["developers"] }), ...WHO);
    expect(userIn(stdout)).toMatchObject({
      username: "small:alice",
      groups: ["small:developers", "system:authenticated"],
    });
    expect(await asToken(small.token({ groups: ["developers"] }), "get", "configmaps")).toMatchObject({ code: 0 });
    expect(await asToken(small.token(), "get", "configmaps")).toEqual({
      code: 1,
      stdout: "",
      stderr:
        'Error from server (Forbidden): configmaps is forbidden: User "small:alice" cannot list resource "configmaps" in API group "" in the namespace "default"\n',
    });
  });

  test("oauth2-mock-server, whose discovery document and keys the server reads over TLS", async () => {
    const token = await tokenOfOther({});
    expect(userIn((await asToken(token, ...WHO)).stdout)).toMatchObject({
      username: "other:bob@example.com",
      groups: ["other:developers", "system:authenticated"],
      extra: { "example.com/tenant": ["t1"] },
    });
    expect(await asToken(token, "get", "configmaps")).toMatchObject({ code: 0 });
    expect(await asToken(token, "get", "secrets")).toMatchObject({ code: 1 });
    expect(await rawRequest(cluster, "/api/v1/namespaces/default/configmaps", { token })).toMatchObject({
      status: 200,
    });
  });

  test("oauth2-mock-server with a new key, which the server fetches when a token names it", async () => {
    await other.issuer.keys.generate("ES256", { kid: "second" });
    const token = await other.issuer.buildToken({
      kid: "second",
      scopesOrTransform: (_header, payload) => {
        Object.assign(payload, { aud: ["kubets"], nickname: "eve@example.com", roles: [], tenant: "t2" });
      },
    });
    expect(userIn((await asToken(token, ...WHO)).stdout)).toMatchObject({ username: "other:eve@example.com" });
  });

  test.each<[string, () => Promise<string>]>([
    ["another audience", () => tokenOfOther({ aud: "somebody-else" })],
    ["a time that is over", () => tokenOfOther({}, -600)],
    ["another issuer's name", () => tokenOfOther({ iss: small.url })],
    ["a name that its expression does not find", () => tokenOfOther({ nickname: undefined })],
    [
      "a changed claim under the same signature",
      async () => {
        const [head, body = "", signature] = (await tokenOfOther({})).split(".");
        const claims = JSON.parse(Buffer.from(body, "base64url").toString()) as object;
        const changed = Buffer.from(JSON.stringify({ ...claims, roles: ["system:masters"] })).toString("base64url");
        return `${head}.${changed}.${signature}`;
      },
    ],
  ])("oauth2-mock-server, but not with %s", async (_, token) => {
    expect(await asToken(await token(), "get", "configmaps")).toEqual({
      code: 1,
      stdout: "",
      stderr: "error: You must be logged in to the server (Unauthorized)\n",
    });
  });
});
