import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startServer } from "../dist/server.js";

/** One for all servers, in files of the folder, with its authority: a server of ours keeps them in its data folder. */
export async function servingCertificate(folder) {
  const dataDir = join(folder, "authority");
  const server = await startServer({ storage: "disk", dataDir });
  await server.close();
  const pki = JSON.parse(readFileSync(join(dataDir, "pki.json"), "utf8"));
  const certFile = join(folder, "server.crt");
  const keyFile = join(folder, "server.key");
  writeFileSync(certFile, pki.server.certificate);
  writeFileSync(keyFile, pki.server.key, { mode: 0o600 });
  return { certFile, keyFile, ca: pki.ca.certificate };
}
