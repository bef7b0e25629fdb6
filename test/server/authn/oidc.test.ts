import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/machinery/meta/json.js";
import { SIGNATURE_ALGORITHMS, type SignatureAlgorithm } from "../../../src/machinery/crypto/jwt/jws.js";
import type { JwtAuthenticatorConfiguration } from "../../../src/server/authn/configuration/authentication-configuration.js";
import { validateAuthenticationConfiguration } from "../../../src/server/authn/configuration/validate.js";
import { JwtAuthenticator } from "../../../src/server/authn/oidc/jwt-authenticator.js";
import { InvalidTokenError } from "../../../src/server/request/user.js";
import { ManualTime } from "../../helpers/manual-time.js";
import { compactToken, newKey, type OidcIssuer, startOidcIssuer } from "../../helpers/oidc-issuer.js";

// The certificates of the issuer are valid by the machine's time, and tokens by this.
let now = Date.now();
const clock = { now: () => now };
let issuer: OidcIssuer;

beforeAll(async () => {
  issuer = await startOidcIssuer(() => now);
});
afterAll(() => issuer[Symbol.asyncDispose]());
beforeEach(() => {
  now = Date.now();
  issuer.keyHeaders = {};
  issuer.discovery = {};
  issuer.asked.length = 0;
  issuer.more.clear();
});

const reports: string[] = [];

async function authenticator(
  config: Partial<JwtAuthenticatorConfiguration> = {},
  algorithms: readonly SignatureAlgorithm[] = SIGNATURE_ALGORITHMS,
  timers = new ManualTime(),
): Promise<JwtAuthenticator> {
  const jwt: JwtAuthenticatorConfiguration = {
    issuer: { url: issuer.url, audiences: ["kubets"], certificateAuthority: issuer.certificateAuthority },
    claimMappings: { username: { claim: "sub", prefix: "oidc:" } },
    ...config,
  };
  const { errors, authenticators } = validateAuthenticationConfiguration({ jwt: [jwt] }, []);
  expect(errors).toEqual([]);
  const [compiled] = authenticators;
  if (compiled === undefined) throw new Error("no authenticator");
  const report = (error: unknown) => void reports.push(String(error));
  const made = new JwtAuthenticator(compiled, { clock, env: {}, timers, report, algorithms });
  await made.start();
  return made;
}

const reasonOf = async (running: Promise<unknown>): Promise<string> =>
  running.then(
    () => "no error",
    (error: unknown) => (error instanceof InvalidTokenError ? error.message : `not a token's fault: ${String(error)}`),
  );

describe("the user of an OpenID Connect token", () => {
  const mapped = (claimMappings: JwtAuthenticatorConfiguration["claimMappings"]) => ({
    ...(claimMappings && { claimMappings }),
  });
  const sub = { claim: "sub", prefix: "" };
  test.each<[string, Partial<JwtAuthenticatorConfiguration>, JsonObject, object]>([
    ["has the claim's name and prefix", {}, {}, { name: "oidc:alice", groups: [] }],
    [
      "is told by the token's id",
      {},
      { jti: "j1" },
      { name: "oidc:alice", groups: [], extra: { "authentication.kubernetes.io/credential-id": ["JTI=j1"] } },
    ],
    [
      "has groups of a list",
      mapped({ username: sub, groups: { claim: "roles", prefix: "g:" } }),
      { roles: ["a", "b"] },
      { name: "alice", groups: ["g:a", "g:b"] },
    ],
    [
      "has a group of a text",
      mapped({ username: sub, groups: { claim: "roles", prefix: "" } }),
      { roles: "a" },
      { name: "alice", groups: ["a"] },
    ],
    [
      "has no groups without the claim",
      mapped({ username: sub, groups: { claim: "roles", prefix: "" } }),
      {},
      { name: "alice", groups: [] },
    ],
    [
      "has the uid of a claim",
      mapped({ username: sub, uid: { claim: "id" } }),
      { id: "7" },
      { name: "alice", uid: "7", groups: [] },
    ],
    [
      "has the name of an expression",
      mapped({ username: { expression: "claims.sub + '@' + claims.org.name" } }),
      { org: { name: "x" } },
      { name: "alice@x", groups: [] },
    ],
    [
      "has the groups of an expression",
      mapped({ username: sub, groups: { expression: "claims.roles.map(r, 'r/' + r)" } }),
      { roles: ["a", ""] },
      { name: "alice", groups: ["r/a", "r/"] },
    ],
    [
      "has no empty groups",
      mapped({ username: sub, groups: { expression: "claims.roles" } }),
      { roles: ["", "a"] },
      { name: "alice", groups: ["a"] },
    ],
    [
      "has no groups of null",
      mapped({ username: sub, groups: { expression: "claims.?roles.orValue(null)" } }),
      {},
      { name: "alice", groups: [] },
    ],
    [
      "has the uid of an expression",
      mapped({ username: sub, uid: { expression: "string(claims.n)" } }),
      { n: 1.5 },
      { name: "alice", uid: "1.5", groups: [] },
    ],
    [
      "has extra of expressions",
      mapped({
        username: sub,
        extra: [
          { key: "e.org/a", valueExpression: "claims.team" },
          { key: "e.org/b", valueExpression: "''" },
        ],
      }),
      { team: ["x", "y"] },
      { name: "alice", groups: [], extra: { "e.org/a": ["x", "y"] } },
    ],
    [
      "is found under names with dots",
      mapped({ username: { expression: "claims.a__dot__b.c__dash__d" } }),
      { "a.b": { "c-d": "deep" } },
      { name: "deep", groups: [] },
    ],
    [
      "is an e-mail address that was verified",
      mapped({ username: { claim: "email", prefix: "" } }),
      { email: "a@x", email_verified: true },
      { name: "a@x", groups: [] },
    ],
    [
      "is an e-mail address that nobody speaks of verifying",
      mapped({ username: { claim: "email", prefix: "" } }),
      { email: "a@x" },
      { name: "a@x", groups: [] },
    ],
    [
      "fulfils rules",
      {
        claimValidationRules: [
          { claim: "hd", requiredValue: "x" },
          { expression: "claims.exp > 1", message: "m" },
        ],
        userValidationRules: [{ expression: "!user.username.startsWith('system:')", message: "m" }],
      },
      { hd: "x" },
      { name: "oidc:alice", groups: [] },
    ],
    ["may be for several audiences", {}, { aud: ["other", "kubets"] }, { name: "oidc:alice", groups: [] }],
  ])("%s", async (_, config, claims, expected) => {
    const running = await authenticator(config);
    expect(await running.lookup(issuer.token(claims))).toEqual(expected);
  });
});

describe("an OpenID Connect token is refused", () => {
  const expression = (text: string) => ({ claimMappings: { username: { expression: text } } });
  const second = (): number => Math.floor(now / 1000);
  test.each<[string, Partial<JwtAuthenticatorConfiguration>, () => JsonObject, string | RegExp]>([
    [
      "for another audience",
      {},
      () => ({ aud: "x" }),
      'oidc: verify token: oidc: expected audience "kubets" got ["x"]',
    ],
    ["for no audience", {}, () => ({ aud: [] }), 'oidc: verify token: oidc: expected audience "kubets" got []'],
    [
      "that has expired",
      {},
      () => ({ exp: second() - 5 }),
      /^oidc: verify token: oidc: token is expired \(Token Expiry: 20\d\d-\d\d-\d\d \d\d:\d\d:\d\d \+0000 UTC\)$/,
    ],
    [
      "without an end",
      {},
      () => ({ exp: null }),
      "oidc: verify token: oidc: token is expired (Token Expiry: 1970-01-01 00:00:00 +0000 UTC)",
    ],
    [
      "that is not valid yet",
      {},
      () => ({ nbf: second() + 90 }),
      /^oidc: verify token: oidc: current time .* before the nbf \(not before\) time: /,
    ],
    ["without the name's claim", {}, () => ({ sub: null, x: 1 }), "no error"],
    [
      "whose name is a number",
      {},
      () => ({ sub: 7 }),
      'oidc: parse username claims "sub": json: cannot unmarshal number into Go value of type string',
    ],
    [
      "with an address that was not verified",
      { claimMappings: { username: { claim: "email", prefix: "" } } },
      () => ({ email: "a@x", email_verified: false }),
      "oidc: email not verified",
    ],
    [
      "with an address whose verification is a text",
      { claimMappings: { username: { claim: "email", prefix: "" } } },
      () => ({ email: "a@x", email_verified: "true" }),
      "oidc: parse 'email_verified' claim: json: cannot unmarshal string into Go value of type bool",
    ],
    [
      "without an address",
      { claimMappings: { username: { claim: "email", prefix: "" } } },
      () => ({}),
      'oidc: parse username claims "email": claim not present',
    ],
    [
      "with groups that are numbers",
      { claimMappings: { username: { claim: "sub", prefix: "" }, groups: { claim: "g", prefix: "" } } },
      () => ({ g: [1] }),
      'oidc: parse groups claim "g": json: cannot unmarshal array into Go value of type string',
    ],
    [
      "without a uid",
      { claimMappings: { username: { claim: "sub", prefix: "" }, uid: { claim: "id" } } },
      () => ({}),
      'oidc: parse uid claim "id": claim not present',
    ],
    [
      "without a required claim",
      { claimValidationRules: [{ claim: "hd", requiredValue: "x" }] },
      () => ({}),
      "oidc: required claim hd not present in ID token",
    ],
    [
      "with another value of a required claim",
      { claimValidationRules: [{ claim: "hd", requiredValue: "x" }] },
      () => ({ hd: "y" }),
      "oidc: required claim hd value does not match. Got = y, want = x",
    ],
    [
      "whose claims break a rule",
      { claimValidationRules: [{ expression: "claims.hd == 'x'", message: "wrong domain" }] },
      () => ({ hd: "y" }),
      "oidc: error evaluating claim validation expression: validation expression 'claims.hd == 'x'' failed: wrong domain",
    ],
    [
      "whose claims a rule cannot read",
      { claimValidationRules: [{ expression: "claims.hd == 'x'" }] },
      () => ({}),
      "oidc: error evaluating claim validation expression: expression 'claims.hd == 'x'' resulted in error: no such key: hd",
    ],
    [
      "whose user breaks a rule",
      { userValidationRules: [{ expression: "user.username != 'oidc:alice'", message: "not her" }] },
      () => ({}),
      "oidc: error evaluating user info validation rule: validation expression 'user.username != 'oidc:alice'' failed: not her",
    ],
    ["with an empty name", expression("''"), () => ({}), "oidc: empty username via CEL expression is not allowed"],
    [
      "with a name that is a list",
      expression("[claims.sub]"),
      () => ({}),
      "oidc: error evaluating username claim expression: username claim expression must return a string",
    ],
    [
      "with groups that are a number",
      { claimMappings: { username: { claim: "sub", prefix: "" }, groups: { expression: "claims.exp" } } },
      () => ({}),
      "oidc: error evaluating group claim expression: expression must return a string or a list of strings",
    ],
    [
      "with extra that is a number",
      {
        claimMappings: {
          username: { claim: "sub", prefix: "" },
          extra: [{ key: "e.org/a", valueExpression: "claims.exp" }],
        },
      },
      () => ({}),
      "oidc: error evaluating extra claim expression: claims.exp: expression must return a string or a list of strings",
    ],
  ])("%s", async (_, config, claims, expected) => {
    const running = await authenticator(config);
    const reason = await reasonOf(running.lookup(issuer.token(claims())));
    if (typeof expected === "string") expect(reason).toBe(expected);
    else expect(reason).toMatch(expected);
  });
});

describe("the signature of an OpenID Connect token", () => {
  test("by an unknown key makes the server fetch the issuer's keys again", async () => {
    const running = await authenticator();
    expect((await running.lookup(issuer.token()))?.name).toBe("oidc:alice");
    issuer.keys = [newKey("second"), ...issuer.keys];
    expect((await running.lookup(issuer.token()))?.name).toBe("oidc:alice");
    expect(issuer.asked.filter((path) => path === "/keys")).toHaveLength(2);
  });

  test("by a known key needs no fetch", async () => {
    const running = await authenticator();
    for (let turn = 0; turn < 3; turn++) await running.lookup(issuer.token({ turn }));
    expect(issuer.asked.filter((path) => path === "/keys")).toHaveLength(1);
  });

  test("that is wrong causes no fetch while the keys are fresh", async () => {
    issuer.keyHeaders = { "cache-control": "public, max-age=3600" };
    const running = await authenticator();
    await running.lookup(issuer.token());
    const [key] = issuer.keys;
    const forged = compactToken(
      { alg: "ES256", kid: key?.id ?? "" },
      { iss: issuer.url, aud: "kubets", exp: 9e9 },
      newKey("x"),
    );
    expect(await reasonOf(running.lookup(forged))).toBe(
      "oidc: verify token: failed to verify signature: failed to verify id token signature",
    );
    expect(issuer.asked.filter((path) => path === "/keys")).toHaveLength(1);
    now += 3600_000;
    await reasonOf(
      running.lookup(
        compactToken({ alg: "ES256", kid: key?.id ?? "" }, { iss: issuer.url, aud: "kubets", exp: 9e9 }, newKey("x")),
      ),
    );
    expect(issuer.asked.filter((path) => path === "/keys")).toHaveLength(2);
  });

  test("by a withdrawn key is refused once the server has fetched the keys again", async () => {
    const running = await authenticator();
    const old = issuer.token();
    await running.lookup(old);
    issuer.keys = [newKey("third")];
    await running.lookup(issuer.token());
    expect(await reasonOf(running.lookup(old))).toBe(
      "oidc: verify token: failed to verify signature: failed to verify id token signature",
    );
  });

  test.each(["RS256", "PS512", "ES384"] as const)("by %s is accepted", async (algorithm) => {
    issuer.keys = [newKey(algorithm, algorithm)];
    expect((await (await authenticator()).lookup(issuer.token()))?.name).toBe("oidc:alice");
    issuer.keys = [newKey("first")];
  });

  test("by an algorithm that is not allowed is refused", async () => {
    expect(await reasonOf((await authenticator({}, ["RS256"])).lookup(issuer.token()))).toBe(
      'oidc: verify token: oidc: id token signed with unsupported algorithm, expected ["RS256"] got "ES256"',
    );
  });

  test("cannot be checked while the keys are unavailable, and the error does not contain the token", async () => {
    const running = await authenticator();
    issuer.more.set("/keys", [500, "down"]);
    expect(await reasonOf(running.lookup(issuer.token()))).toBe(
      "oidc: verify token: failed to verify signature: fetching keys oidc: get keys failed: 500 Internal Server Error down",
    );
  });
});

describe("an OpenID Connect issuer", () => {
  test("does not authenticate a token of another issuer", async () => {
    expect(await (await authenticator()).lookup(issuer.token({ iss: "https://elsewhere" }))).toBeUndefined();
  });

  test("is refused while its discovery document names another issuer", async () => {
    issuer.discovery = { issuer: "https://other" };
    const timers = new ManualTime();
    const running = await authenticator({}, SIGNATURE_ALGORITHMS, timers);
    expect(running.fault).toBe(
      `oidc: authenticator for issuer "${issuer.url}" is not healthy: oidc: issuer did not match the issuer returned by provider, expected "${issuer.url}" got "https://other"`,
    );
    expect(await reasonOf(running.lookup(issuer.token()))).toBe("oidc: authenticator not initialized");
    issuer.discovery = {};
    timers.pass(10_000);
    await expect.poll(() => running.fault).toBeUndefined();
    expect((await running.lookup(issuer.token()))?.name).toBe("oidc:alice");
  });

  test.each<[string, readonly [number, string], string]>([
    ["without a document", [404, "none"], "404 Not Found: none"],
    [
      "whose document is no JSON",
      [200, "<html>"],
      "oidc: failed to decode provider discovery object: invalid character '<' looking for beginning of value",
    ],
    ["whose document names no keys", [200, ""], "provider did not return JWKS URL"],
  ])("is unhealthy %s", async (_, answer, fault) => {
    const [status, text] = answer;
    issuer.more.set("/.well-known/openid-configuration", [
      status,
      text === "" ? JSON.stringify({ issuer: issuer.url }) : text,
    ]);
    const running = await authenticator();
    expect(running.fault).toContain(`is not healthy: ${fault}`);
    running.close();
  });

  test("may have its discovery document at another URL", async () => {
    issuer.more.set("/there", [200, JSON.stringify({ issuer: issuer.url, jwks_uri: `${issuer.url}/keys` })]);
    const config = {
      url: issuer.url,
      audiences: ["kubets"],
      certificateAuthority: issuer.certificateAuthority,
      discoveryURL: `${issuer.url}/there`,
    };
    expect((await (await authenticator({ issuer: config })).lookup(issuer.token()))?.name).toBe("oidc:alice");
    expect(issuer.asked[0]).toBe("/there");
  });

  test("with a certificate of an unknown authority is unhealthy", async () => {
    const running = await authenticator({ issuer: { url: issuer.url, audiences: ["kubets"] } });
    expect(running.fault).toMatch(/is not healthy: .*(certificate|x509)/);
    running.close();
  });
});

describe("groups that the server fetches from another endpoint (distributed claims)", () => {
  const config = { claimMappings: { username: { claim: "sub", prefix: "" }, groups: { claim: "groups", prefix: "" } } };
  const elsewhere = (more: JsonObject = {}): JsonObject => ({
    _claim_names: { groups: "src1" },
    _claim_sources: { src1: { endpoint: `${issuer.url}/groups`, access_token: "t", ...more } },
  });

  test("are fetched for a token without groups", async () => {
    const running = await authenticator(config);
    issuer.more.set("/groups", [200, issuer.token({ groups: ["far", "away"] })]);
    expect((await running.lookup(issuer.token(elsewhere())))?.groups).toEqual(["far", "away"]);
  });
  test("are not fetched when the token has groups", async () => {
    const running = await authenticator(config);
    expect((await running.lookup(issuer.token({ ...elsewhere(), groups: ["near"] })))?.groups).toEqual(["near"]);
  });
  test("must be signed", async () => {
    const running = await authenticator(config);
    issuer.more.set("/groups", [200, issuer.token({ groups: ["x"] }, newKey("forger"))]);
    expect(await reasonOf(running.lookup(issuer.token(elsewhere())))).toBe(
      "oidc: could not expand distributed claims: verify distributed claim token: failed to verify signature: failed to verify id token signature",
    );
  });
  test("that cannot be fetched make the server refuse the token", async () => {
    const running = await authenticator(config);
    issuer.more.set("/groups", [403, "no"]);
    expect(await reasonOf(running.lookup(issuer.token(elsewhere())))).toBe(
      'oidc: could not expand distributed claims: while getting distributed claim "groups": error while getting distributed claim JWT: 403 Forbidden',
    );
  });
  test("are fetched over https only", async () => {
    const running = await authenticator(config);
    expect(await reasonOf(running.lookup(issuer.token(elsewhere({ endpoint: "http://169.254.169.254/" }))))).toContain(
      "an endpoint of claims must be an https URL",
    );
  });
});
