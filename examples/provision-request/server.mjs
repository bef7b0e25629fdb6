// The aggregated API server of ProvisionRequests, with its controller in the same process. README.md has the flags.
import { kubernetesClient } from "kubets";
import { recommendedOptions, serverCommand } from "kubets/server";
import { GROUP, oneRequest, provisionRequests } from "./api.mjs";
import { provisioning } from "./controller.mjs";

await serverCommand({
  name: "provision-apiserver",
  description: "Serves requests to provision customers.",
  version: "v1.0",
  recommended: recommendedOptions("/registry/provision-apiserver.mydomain.com"),
  flags: [
    {
      name: "controller",
      type: "bool",
      default: "true",
      usage: "Run the controller in this process. Without it, manager.mjs runs the controller.",
    },
  ],
  options: {
    title: { title: GROUP, version: "v1.0" },
    resources: [provisionRequests],
    admission: { plugins: [{ plugin: oneRequest }] },
  },
  extend(server, flags) {
    if (!flags.bool("controller")) return;
    const stop = new AbortController();
    let running, own;
    server.addPostStartHook({
      name: "aapiserver-controller",
      run({ transport, coreApi }) {
        own = kubernetesClient({ transport: () => transport });
        running = provisioning(own, coreApi.client).run(stop.signal);
      },
    });
    server.addPreShutdownHook({
      name: "aapiserver-controller",
      async run() {
        stop.abort();
        await running;
        await own?.close();
      },
    });
  },
}).main();
