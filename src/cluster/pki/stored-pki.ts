import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../../base/clock.js";
import type { Random } from "../../base/random.js";
import { type ClusterPki, createClusterPki } from "./cluster-pki.js";

const FILE = "pki.json";

/** The secrets kept in a data folder; made and kept at the first start. Throws when what is kept cannot be read. */
export async function loadOrCreatePki(folder: string, clock: Clock, random: Random): Promise<ClusterPki> {
  const path = join(folder, FILE);
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    const pki = createClusterPki(clock, random);
    // Whole or not at all: half a file would lock everybody out.
    await writeFile(`${path}.new`, JSON.stringify(pki), { mode: 0o600 });
    await rename(`${path}.new`, path);
    return pki;
  }
  try {
    return JSON.parse(text) as ClusterPki;
  } catch {
    throw new Error(`${path} is damaged; remove it to have new certificates made, then merge the kubeconfig again`);
  }
}
