// A main server and, in a process of its own, a server of gadgets that stands behind it.
//   node serve.mjs main
//   node serve.mjs gadgets KUBECONFIG CERTIFICATE KEY
import { startCluster } from "../../dist/cluster.js";
import { startServer, string, struct } from "../../dist/server.js";

const gadgets = {
  group: "gadgets.example.com",
  resource: "gadgets",
  kind: "Gadget",
  namespaced: true,
  versions: [{ version: "v1", schema: struct("Gadget", { spec: struct("GadgetSpec", { text: string }) }) }],
};

const [what, kubeconfig, certFile, keyFile] = process.argv.slice(2);
const server =
  what === "main"
    ? await startCluster({ controllers: false, scheduler: false })
    : await startServer({
        resources: [gadgets],
        tls: { certificate: { certFile, keyFile } },
        authentication: { delegated: { kubeconfig } },
        authorization: { delegated: { kubeconfig } },
      });
process.on("message", ({ op }) => {
  if (op === "stop") void server.close().then(() => process.exit(0));
});
process.on("disconnect", () => process.exit(1));
process.send({ kubeconfig: server.kubeconfig(), port: Number(new URL(server.url).port) });
