import type { CustomResourceDefinition } from "../api/types/apiextensions/v1.js";
import type { PolicyRule } from "../api/types/rbac/v1.js";
import { parseGroupVersion } from "../machinery/meta/gvk.js";
import { guessedPlural } from "../api/kinds/built-in-resource.js";
import { emitYaml } from "../machinery/text/yaml/emit.js";
import type { Webhooks } from "../client/index.js";
import type { ProjectFiles } from "./project-files.js";

/** What the code of a project declares. */
export interface DeclaredProject {
  /** Of the package, and so of its objects. */
  readonly name: string;
  readonly definitions: readonly CustomResourceDefinition[];
  readonly webhooks: Webhooks;
  readonly rights: readonly PolicyRule[];
  readonly rightsAtHome: readonly PolicyRule[];
}

/** Where the API server finds the webhooks: by a Service, or below a url. */
export type WebhookPlace = { readonly url: string } | { readonly namespace: string; readonly service: string };

const HEAD = "# Written from the code by `npm run manifests`: changes here are lost.\n";

/** The manifests that follow from the code, in files by their paths below config. The same code gives the same bytes. */
export function generatedManifests(project: DeclaredProject, place: WebhookPlace): ProjectFiles {
  const definitions = project.definitions.map((definition) => withConversion(definition, project.webhooks, place));
  const files = definitions.map((definition): [string, string] => {
    const { group, names } = definition.spec;
    return [`crd/${group}_${names.plural}.yaml`, documents([definition])];
  });
  const list = files.map(([path]) => `  - ${path.slice("crd/".length)}\n`).join("");
  return {
    ...Object.fromEntries(files),
    "crd/kustomization.yaml": `${HEAD}resources:\n${list}`,
    "rbac/role.yaml": documents(rolesOf(project)),
    "webhook/configurations.yaml": documents(configurationsOf(project, place)),
  };
}

const documents = (objects: readonly object[]): string =>
  HEAD + objects.map((object) => emitYaml(object, { inGivenOrder: true })).join("---\n");

/** A definition of several versions whose webhooks convert it says so. */
function withConversion(
  definition: CustomResourceDefinition,
  { handlers }: Webhooks,
  place: WebhookPlace,
): CustomResourceDefinition {
  const handler = handlers.get("/convert");
  const { group, names } = definition.spec;
  const converts =
    handler?.type === "conversion" && handler.kinds.some((one) => one.group === group && one.kind === names.kind);
  if (!converts) return definition;
  const webhook = { conversionReviewVersions: ["v1"], clientConfig: clientConfig(place, "/convert") };
  return { ...definition, spec: { ...definition.spec, conversion: { strategy: "Webhook", webhook } } };
}

function rolesOf({ name, rights, rightsAtHome }: DeclaredProject): readonly object[] {
  const apiVersion = "rbac.authorization.k8s.io/v1";
  return [
    { apiVersion, kind: "ClusterRole", metadata: { name }, rules: rights },
    { apiVersion, kind: "Role", metadata: { name, namespace: `${name}-system` }, rules: rightsAtHome },
  ];
}

const CONFIGURATIONS = {
  mutating: "MutatingWebhookConfiguration",
  validating: "ValidatingWebhookConfiguration",
} as const;

/** One configuration of each phase, with a webhook for each kind. Webhooks of paths without a rule are the person's to configure. */
function configurationsOf({ name, definitions, webhooks }: DeclaredProject, place: WebhookPlace): readonly object[] {
  return (["mutating", "validating"] as const).flatMap((phase) => {
    const entries = [...webhooks.handlers].flatMap(([path, handler]) => {
      if (handler.type !== "admission" || handler.rule?.phase !== phase) return [];
      const { apiVersion, kind, operations } = handler.rule;
      const { group, version } = parseGroupVersion(apiVersion);
      const resource = pluralIn(definitions, group, kind);
      return [
        {
          name: `${path.slice(1).split("-")[0] ?? ""}.${resource}.${version}.${group === "" ? "core" : group}`,
          admissionReviewVersions: ["v1"],
          sideEffects: "None",
          failurePolicy: "Fail",
          clientConfig: clientConfig(place, path),
          rules: [{ apiGroups: [group], apiVersions: [version], resources: [resource], operations }],
        },
      ];
    });
    if (entries.length === 0) return [];
    const head = { apiVersion: "admissionregistration.k8s.io/v1", kind: CONFIGURATIONS[phase], metadata: { name } };
    return [{ ...head, webhooks: entries }];
  });
}

/** A kind of the project knows its plural; of another one it is guessed as Kubernetes guesses it. */
function pluralIn(definitions: readonly CustomResourceDefinition[], group: string, kind: string): string {
  const own = definitions.find(({ spec }) => spec.group === group && spec.names.kind === kind);
  return own?.spec.names.plural ?? guessedPlural(kind);
}

const clientConfig = (place: WebhookPlace, path: string): object =>
  "url" in place
    ? { url: `${place.url.replace(/\/$/, "")}${path}` }
    : { service: { namespace: place.namespace, name: place.service, path } };
