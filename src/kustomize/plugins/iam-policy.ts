import { embedded, named, struct, text } from "../go-struct.js";
import { parseNode } from "../nodes/read-nodes.js";
import { Resource } from "../resource.js";
import { configOf, type ConfigureGenerator } from "./plugin.js";

interface Config {
  readonly cloud?: string;
  readonly kubernetesService?: { readonly name?: string; readonly namespace?: string };
  readonly serviceAccount?: { readonly name?: string; readonly projectId?: string };
}

const iamPolicyShape = struct(
  "builtins.IAMPolicyGeneratorPlugin",
  embedded("IAMPolicyGeneratorArgs", {
    cloud: named("types.Cloud"),
    kubernetesService: struct("types.KubernetesService", { name: text, namespace: text }),
    serviceAccount: struct("types.ServiceAccount", { name: text, projectId: text }),
  }),
);

/** A service account of the cluster that acts as one of the cloud. GKE is the only cloud that kustomize knows. */
export const iamPolicyGenerator: ConfigureGenerator = async (source) => {
  const { cloud = "", kubernetesService = {}, serviceAccount = {} } = configOf<Config>(source, iamPolicyShape);
  return async () => {
    if (cloud !== "gke") throw new Error(`cloud provider ${cloud} not supported yet`);
    const { name = "", namespace = "" } = kubernetesService;
    const account = `${serviceAccount.name ?? ""}@${serviceAccount.projectId ?? ""}.iam.gserviceaccount.com`;
    const lines = [
      "",
      "apiVersion: v1",
      "kind: ServiceAccount",
      "metadata:",
      "  annotations:",
      `    iam.gke.io/gcp-service-account: ${account}`,
      `  name: ${name}`,
      "",
      ...(namespace === "" ? [] : [`  namespace: ${namespace}`]),
    ];
    // The values are put into YAML unquoted, so that a number becomes a number as it does in kustomize.
    return [new Resource(parseNode(lines.join("\n")))];
  };
};
