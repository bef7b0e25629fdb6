import { createPrivateKey } from "node:crypto";
import { link, readFile, rename, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { keepPrivate, makeOwnFolder } from "../../base/files/private-files.js";
import { type KeyPair, sec1Pem } from "../../machinery/crypto/issue-certificate.js";
import type { ClusterPki } from "./cluster-pki.js";

const FILE = "pki.json";
/** Of this process: servers of one process may start at once in one folder. */
let attempts = 0;

/**
 * Loads the secrets in a data folder; `create` makes them at the first start. Several servers that start at once in one folder all
 * get the same. `renew` returns a replacement for stored secrets, undefined where they are valid. Throws when the stored secrets
 * cannot be read.
 */
export async function loadOrCreatePki(
  folder: string,
  create: () => ClusterPki,
  renew: (kept: ClusterPki) => ClusterPki | undefined = () => undefined,
): Promise<ClusterPki> {
  const path = join(folder, FILE);
  const kept = await read(path);
  if (kept !== undefined) {
    const renewed = renew(kept);
    if (renewed === undefined) return kept;
    const next = `${path}.${process.pid}-${++attempts}.new`;
    await writeFile(next, JSON.stringify(renewed), { mode: 0o600 });
    await rename(next, path);
    return renewed;
  }
  const pki = create();
  // Whole or not at all: half a file would lock all users out.
  const whole = `${path}.${process.pid}-${++attempts}.new`;
  makeOwnFolder(folder);
  await writeFile(whole, JSON.stringify(pki), { mode: 0o600 });
  try {
    await link(whole, path);
    return pki;
  } catch (error) {
    const other = await read(path);
    if (other === undefined) throw error;
    return other;
  } finally {
    await unlink(whole);
  }
}

/** Undefined when there is no such file. */
async function read(path: string): Promise<ClusterPki | undefined> {
  let text: string;
  try {
    keepPrivate(path);
    text = await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  try {
    const kept = JSON.parse(text) as ClusterPki & { readonly serviceAccountKey?: string };
    // What was kept before there were such tokens has no key of their own: the server's, as kube-apiserver does.
    return { ...kept, admin: inSec1(kept.admin), serviceAccountKey: kept.serviceAccountKey ?? kept.server.key };
  } catch {
    throw new Error(`${path} is damaged; remove it to have new certificates made, then merge the kubeconfig again`);
  }
}

/** Earlier versions kept keys in PKCS #8. The administrator's is the one that leaves this folder, in a kubeconfig. */
function inSec1({ certificate, key }: KeyPair): KeyPair {
  return { certificate, key: sec1Pem(createPrivateKey(key)) };
}
