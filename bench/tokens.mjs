// What it costs to know the user of a service account's token, in this process and without HTTP, so that no client is measured: tokens
// that are seen for the first time, and tokens that were seen within the last seconds. Must: 10,000 per second. Beside them the floors:
// the bare check of a signature by node:crypto, with each type of key that Kubernetes signs by. Rates are per second of CPU time, which is
// what a core that does nothing else makes of them; the rates by the clock, which tell of the rest of the machine too, stand in brackets.
//   node bench/tokens.mjs      (ACCOUNTS=2000, ROUNDS=5)
import { generateKeyPairSync, sign, verify } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { build } from "esbuild";
import { median } from "./server/statistics.mjs";
import { tableText } from "./table.mjs";

const accounts = Number(process.env.ACCOUNTS ?? 2000);
const rounds = Number(process.env.ROUNDS ?? 5);
const MUST = 10_000;
const ISSUER = "https://kubernetes.default.svc.cluster.local";
const KEYS = {
  "ES256 (an embedded cluster's)": () => generateKeyPairSync("ec", { namedCurve: "P-256" }),
  "RS256 (kubeadm's)": () => generateKeyPairSync("rsa", { modulusLength: 2048 }),
};

const { serviceAccountTokens, signingKey, signToken, remove } = await bundled();
try {
  const rows = [["", "first use", "again", "bare signature", "must"]];
  for (const [name, makeKeys] of Object.entries(KEYS)) rows.push([name, ...(await measure(makeKeys()))]);
  process.stdout.write(
    `node ${process.version}, ${accounts} accounts, ${rounds} rounds, medians, per second of CPU time (per second)\n\n`,
  );
  process.stdout.write(tableText(rows));
} finally {
  remove();
}

async function measure({ privateKey, publicKey }) {
  const key = signingKey(privateKey);
  const objects = new Map();
  const tokens = Array.from({ length: accounts }, (_, index) => {
    const name = `account-${index}`;
    const uid = crypto.randomUUID();
    objects.set(name, { apiVersion: "v1", kind: "ServiceAccount", metadata: { name, namespace: "default", uid } });
    return signToken(claimsOf(name, uid), key);
  });
  const samples = { first: [], again: [], bare: [] };
  const find = (_resource, _namespace, name) => Promise.resolve(objects.get(name));
  for (let round = -1; round < rounds; round++) {
    const lookup = serviceAccountTokens({ url: ISSUER, audiences: [ISSUER], key }, find, () => Date.now());
    const ask = async () => {
      for (const token of tokens) await lookup(token);
    };
    const first = await perSecond(ask);
    const again = await perSecond(ask);
    const bare = await perSecond(bareCheck(privateKey, publicKey));
    if (round >= 0) for (const [name, value] of Object.entries({ first, again, bare })) samples[name].push(value);
  }
  const of = (figure) => Object.values(samples).map((own) => median(own.map((sample) => sample[figure])));
  const [byCpu, byClock] = [of("byCpu"), of("byClock")];
  const verdict = Math.min(...byCpu.slice(0, 2)) >= MUST ? "met" : "MISSED";
  return [...byCpu.map((value, index) => `${value.toFixed(0)} (${byClock[index].toFixed(0)})`), `${MUST}: ${verdict}`];
}

async function perSecond(work) {
  const cpu = process.cpuUsage();
  const started = performance.now();
  await work();
  const byClock = (accounts * 1000) / (performance.now() - started);
  const { user, system } = process.cpuUsage(cpu);
  return { byClock, byCpu: (accounts * 1e6) / (user + system) };
}

function bareCheck(privateKey, publicKey) {
  const data = Buffer.alloc(700, 97);
  const input = (key) => ({ key, dsaEncoding: "ieee-p1363" });
  const signature = sign("sha256", data, input(privateKey));
  return () => {
    for (let count = 0; count < accounts; count++) verify("sha256", data, input(publicKey), signature);
  };
}

function claimsOf(name, uid) {
  const now = Math.floor(Date.now() / 1000);
  return {
    aud: [ISSUER],
    exp: now + 3600,
    iat: now,
    iss: ISSUER,
    jti: crypto.randomUUID(),
    "kubernetes.io": { namespace: "default", serviceaccount: { name, uid } },
    nbf: now,
    sub: `system:serviceaccount:default:${name}`,
  };
}

/** The authenticator, built from the sources as a build does. */
async function bundled() {
  const root = resolve(import.meta.dirname, "..");
  const cache = join(root, "node_modules/.cache");
  mkdirSync(cache, { recursive: true });
  const outdir = mkdtempSync(join(cache, "kubets-tokens-bench-"));
  const contents = `export { serviceAccountTokens } from "./src/server/authn/service-account-token.ts";
    export { signingKey, signToken } from "./src/machinery/crypto/jwt/jws.ts";`;
  const outfile = join(outdir, "tokens.mjs");
  await build({
    stdin: { contents, resolveDir: root },
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
  });
  return { ...(await import(outfile)), remove: () => rmSync(outdir, { recursive: true, force: true }) };
}
