import { generate } from "../generators.js";
import { embedded, struct, named, text } from "../go-struct.js";
import type { GeneratorEntry } from "../kustomization.js";
import {
  configMapFields,
  metadataShape,
  secretFields,
  helmChartFields,
  helmGlobalsFields,
} from "../kustomization-shape.js";
import { configOf, type ConfigureGenerator } from "./plugin.js";
import { wrap } from "../field-spec.js";
import type { HelmChart, HelmGlobals } from "../helm-charts.js";
import { parseNode } from "../nodes/read-nodes.js";
import { Resource } from "../resource.js";

interface MapGeneratorConfig extends GeneratorEntry {
  readonly metadata?: { readonly name?: string; readonly namespace?: string };
}

const configMapShape = struct("builtins.ConfigMapGeneratorPlugin", {
  metadata: metadataShape,
  ...embedded("ConfigMapArgs", configMapFields),
});

const secretShape = struct("builtins.SecretGeneratorPlugin", {
  metadata: metadataShape,
  ...embedded("SecretArgs", secretFields),
});

/** Name and namespace may also stand in the metadata. */
const generator =
  (kind: "ConfigMap" | "Secret", shape: typeof configMapShape): ConfigureGenerator =>
  async (source) => {
    const { metadata = {}, ...args } = configOf<MapGeneratorConfig>(source, shape);
    const name = (args.name ?? "") === "" ? (metadata.name ?? "") : (args.name ?? "");
    const namespace = (args.namespace ?? "") === "" ? (metadata.namespace ?? "") : (args.namespace ?? "");
    return async () => [await generate(kind, { ...args, name, namespace }, source.loader)];
  };

export const configMapGenerator = generator("ConfigMap", configMapShape);
export const secretGenerator = generator("Secret", secretShape);

const CHARTS_REFUSED =
  "helmCharts are not rendered: render the chart with `helm template` into a file, and list that file in `resources`";

const helmChartShape = struct("builtins.HelmChartInflationGeneratorPlugin", {
  ...embedded("HelmGlobals", helmGlobalsFields),
  ...embedded("HelmChart", helmChartFields),
});

const MERGES = ["merge", "override", "replace"];

/** Validates the configuration of a chart as kustomize does. Rendering a valid chart then fails, because charts are not supported. */
export const helmChartInflationGenerator: ConfigureGenerator = async (source) => {
  const { helmCommand, loader } = source;
  if (helmCommand === undefined) throw new Error("must specify --enable-helm");
  if (helmCommand === "") throw new Error("must specify --helm-command");
  const {
    name = "",
    additionalValuesFiles = [],
    valuesMerge = "",
  } = configOf<HelmGlobals & HelmChart>(source, helmChartShape);
  if (name === "") throw new Error("chart name cannot be empty");
  for (const path of additionalValuesFiles) {
    await loader.load(path).catch((error: unknown) => {
      throw wrap(error, "could not load additionalValuesFile");
    });
  }
  if (valuesMerge !== "" && !MERGES.includes(valuesMerge)) {
    throw new Error(`valuesMerge must be one of [${MERGES.join(" ")}]`);
  }
  return async () => {
    throw new Error(CHARTS_REFUSED);
  };
};

interface IamPolicyConfig {
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

/** Generates a service account of the cluster that acts as one of a cloud provider. kustomize supports GKE only. */
export const iamPolicyGenerator: ConfigureGenerator = async (source) => {
  const { cloud = "", kubernetesService = {}, serviceAccount = {} } = configOf<IamPolicyConfig>(source, iamPolicyShape);
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
