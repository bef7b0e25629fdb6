import { startCluster } from "../../../src/cluster/index.js";
import type { AdmissionPlugin } from "../../../src/server/admission/plugin.js";
import { done } from "../../helpers/admitting-server.js";

// A server that is killed when it has charged a quota for a secret and not stored the secret. The argument is its folder.

const [dataDir = ""] = process.argv.slice(2);

const killer: AdmissionPlugin = {
  name: "Killer",
  validate({ name, resource }) {
    if (resource.resource === "secrets" && name === "last") process.kill(process.pid, "SIGKILL");
  },
};

const cluster = await startCluster({
  port: false,
  storage: "disk",
  dataDir,
  controllers: ["resourcequota-controller"],
  scheduler: false,
  admission: { plugins: [{ plugin: killer, after: "ResourceQuota" }] },
});
const api = cluster.transport();
const space = "/api/v1/namespaces/space";
await done(api, "POST", "/api/v1/namespaces", { metadata: { name: "space" } });
await done(api, "POST", `${space}/resourcequotas`, { metadata: { name: "q" }, spec: { hard: { secrets: "2" } } });
for (;;) {
  const quota = await done(api, "GET", `${space}/resourcequotas/q`);
  if (quota.at("status.used.secrets") === "0") break;
  await new Promise((resolve) => setTimeout(resolve, 20));
}
await done(api, "POST", `${space}/secrets`, { metadata: { name: "first" } });
await done(api, "POST", `${space}/secrets`, { metadata: { name: "last" } });
