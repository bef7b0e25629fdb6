// Compiled beside what generate.mjs wrote. SERVER and TOKEN come from the environment, and the certificate authority by
// NODE_EXTRA_CA_CERTS. Prints a JSON line for each client: what it saw of a ConfigMap and of a Deployment.
import type { components, operations, paths } from "./types.js";
import { Api as ApiOfV2 } from "./v2/api.js";
import { Api as ApiOfV3 } from "./v3/api.js";

type Schemas = components["schemas"];
type Deployment = Schemas["io.k8s.api.apps.v1.Deployment"];

/** What the types of openapi-typescript say of operations, at the addresses where its users look. */
type Listed =
  paths["/apis/apps/v1/namespaces/{namespace}/deployments"]["get"]["responses"]["200"]["content"]["application/json"];
type ListQuery = NonNullable<operations["listAppsV1NamespacedDeployment"]["parameters"]["query"]>;

const config = {
  baseUrl: process.env["SERVER"] ?? "",
  baseApiParams: { headers: { authorization: `Bearer ${process.env["TOKEN"]}` } },
};
const query: ListQuery = { labelSelector: "made-by=program", limit: 10 };
const namespace = "default";
const strict = { fieldValidation: "Strict" };

/** The documents let a body be of any type, and a patch be of four: a user of the client says which. */
const contentType = (type: string) => ({ type: undefined, headers: { "content-type": type } });
const json = contentType("application/json");
const merge = contentType("application/merge-patch+json");
const strategic = contentType("application/strategic-merge-patch+json");
const apply = contentType("application/apply-patch+yaml");

/** Types without a client: openapi-typescript leaves the request to its users. */
async function listDeployments(parameters: ListQuery): Promise<Listed> {
  const address: keyof paths = "/apis/apps/v1/namespaces/{namespace}/deployments";
  const search = Object.entries(parameters).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  const url = `${config.baseUrl}${address.replace("{namespace}", namespace)}?${search.join("&")}`;
  const response = await fetch(url, config.baseApiParams);
  return (await response.json()) as Listed;
}

const replicasOf = ({ spec }: Deployment): number | undefined => spec?.replicas;

/** The clients of both versions have the same methods with the same parameters. */
async function use(name: string, { api, apis }: ApiOfV2<unknown> | ApiOfV3<unknown>): Promise<void> {
  const labels = { "made-by": "program" };
  const configMap = { metadata: { name, labels }, data: { colour: "red" } };
  const created = await api.createCoreV1NamespacedConfigMap(namespace, configMap, strict, json);
  const maps = await api.listCoreV1NamespacedConfigMap(namespace, query);
  const patched = await api.patchCoreV1NamespacedConfigMap(name, namespace, { data: { size: "xl" } }, {}, merge);
  const gone = await api.deleteCoreV1NamespacedConfigMap(name, namespace, {}, {}, json);

  const deployment = {
    metadata: { name, labels },
    spec: {
      replicas: 2,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "web", image: "nginx:1" }] } },
    },
  };
  await apis.createAppsV1NamespacedDeployment(namespace, deployment, strict, json);
  const image = { spec: { template: { spec: { containers: [{ name: "web", image: "nginx:2" }] } } } };
  await apis.patchAppsV1NamespacedDeployment(name, namespace, image, {}, strategic);
  const applied = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name }, spec: { replicas: 3 } };
  const options = { fieldManager: "program", force: true };
  await apis.patchAppsV1NamespacedDeployment(name, namespace, applied, options, apply);
  const { items } = await apis.listAppsV1NamespacedDeployment(namespace, query);
  const replicas = (await listDeployments(query)).items.map(replicasOf);
  const background = { propagationPolicy: "Background" };
  const ended = await apis.deleteAppsV1NamespacedDeployment(name, namespace, background, {}, json);
  const left = await apis.listAppsV1NamespacedDeployment(namespace, query);

  const seen = {
    client: name,
    configMap: {
      created: created.data,
      listed: maps.items.map(({ metadata }) => metadata?.name),
      patched: patched.data,
      deleted: gone.status,
    },
    replicas,
    deployment: {
      listed: items.map(({ metadata, spec }) => [
        metadata?.name,
        spec?.replicas,
        spec?.template.spec?.containers[0]?.image,
      ]),
      deleted: ended.status,
      left: left.items.length,
    },
  };
  process.stdout.write(`${JSON.stringify(seen)}\n`);
}

await use("v2", new ApiOfV2(config));
await use("v3", new ApiOfV3(config));
