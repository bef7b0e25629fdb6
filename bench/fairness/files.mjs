import { generateKeyPairSync } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { servingCertificate } from "../serving-certificate.mjs";

/** The users, each by its token. All have all rights, by their group. */
export const USERS = {
  flood: { name: "flood", groups: [] },
  admin: { name: "root", groups: ["system:masters"] },
  quiet: { name: "quiet", groups: [] },
  leader: { name: "system:kube-controller-manager", groups: [] },
  controller: {
    name: "system:serviceaccount:kube-system:reader",
    groups: ["system:serviceaccounts", "system:serviceaccounts:kube-system"],
  },
};

export const GROUP = "bench";
export const tokenOf = (user) => `token-of-${user}`;

/** What the servers need in a folder: a certificate, keys of service accounts, and tokens of users. */
export async function makeFiles(folder) {
  const certificate = await servingCertificate(folder);
  const { privateKey, publicKey } = generateKeyPairSync("rsa", {
    modulusLength: 2048,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  const lines = Object.entries(USERS).map(
    ([user, { name, groups }]) => `${tokenOf(user)},${name},${user},"${[GROUP, ...groups].join(",")}"\n`,
  );
  writeFileSync(join(folder, "sa.key"), privateKey, { mode: 0o600 });
  writeFileSync(join(folder, "sa.pub"), publicKey);
  writeFileSync(join(folder, "tokens.csv"), lines.join(""), { mode: 0o600 });
  return certificate;
}

/** A kubeconfig of the administrator. */
export function writeKubeconfig(folder, { port, ca }) {
  const cluster = {
    server: `https://127.0.0.1:${port}`,
    "certificate-authority-data": Buffer.from(ca).toString("base64"),
  };
  const kubeconfig = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "core", cluster }],
    users: [{ name: "admin", user: { token: tokenOf("admin") } }],
    contexts: [{ name: "core", context: { cluster: "core", user: "admin" } }],
    "current-context": "core",
  };
  const path = join(folder, "core.kubeconfig");
  writeFileSync(path, JSON.stringify(kubeconfig), { mode: 0o600 });
  return path;
}
