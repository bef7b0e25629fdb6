import type { ProjectFiles } from "../project-files.js";
import { type ProjectNames, spellings } from "../project-names.js";

/** What a kind has in an operator: its declaration, controller, webhooks, test and sample. */
export function kindFiles(names: ProjectNames): ProjectFiles {
  const { file } = spellings(names.kind);
  return {
    [`src/api/${file}.ts`]: declaration(names),
    [`src/controllers/${file}.ts`]: controller(names),
    [`src/webhooks/${file}.ts`]: webhooks(names),
    [`test/${file}.test.ts`]: testOf(names),
    [`config/samples/${file}.yaml`]: sample(names),
  };
}

/** The name of the variable that holds the kind: the plural, as far as it is one in TypeScript. */
export const variableOf = ({ plural }: Pick<ProjectNames, "plural">): string =>
  plural.replaceAll(/-+(.)/g, (_, letter: string) => letter.toUpperCase());

const declaration = (names: ProjectNames): string => {
  const { group, version, kind, plural, namespaced } = names;
  const variable = variableOf(names);
  return `import { type ApiKindsOf, int32, kind, list, type ObjectOf, string, struct, time } from "kubets/kind";

/** The kind ${kind} of ${group}. \`npm run manifests\` writes its CustomResourceDefinition to config/crd. */
export const ${variable} = kind(
  "${group}",
  "${kind}",
  {
    ${version}: {
      schema: struct("${kind}", {
        spec: struct("${kind}Spec", {
          text: { schema: string, description: "What the ConfigMap of the object holds." },
          owner: { schema: string, description: "Whose it is. It stays as it was at the creation.", maxLength: 63 },
        }),
        status: struct("${kind}Status", {
          observedGeneration: int32,
          conditions: list(
            struct("Condition", {
              type: { schema: string, required: true },
              status: { schema: string, required: true, enum: ["True", "False", "Unknown"] },
              observedGeneration: int32,
              lastTransitionTime: { schema: time, required: true },
              reason: { schema: string, required: true },
              message: { schema: string, required: true },
            }),
            { listType: "map", keys: ["type"] },
          ),
        }),
      }),
      columns: [
        { name: "Ready", type: "string", jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
        { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
      ],
    },
  },
  { plural: "${plural}", namespaced: ${namespaced} },
);

export type ${kind} = ObjectOf<typeof ${variable}, "${version}">;

// By it, client.of("${group}/${version}", "${kind}") knows the type.
declare module "kubets" {
  interface ApiKinds extends ApiKindsOf<typeof ${variable}> {}
}
`;
};

const controller = ({ name, group, version, kind, namespaced }: ProjectNames): string => {
  const { camel } = spellings(kind);
  const place = namespaced ? "namespace" : `"default"`;
  const own = namespaced ? ".namespace(namespace)" : "";
  return `import { controllerReference, type Manager, setCondition } from "kubets";

/** Keeps a ConfigMap for each ${kind}, and says in the status whether it is there. */
export function add${kind}Controller(manager: Manager) {
  return manager
    .controllerFor("${group}/${version}", "${kind}")
    .owns("v1", "ConfigMap")
    .reconcile(async ({ ${namespaced ? "namespace, " : ""}name, object: ${camel}, signal }) => {
      // What it owns goes with it: there is nothing to do for a deleted one.
      if (${camel} === undefined || ${camel}.metadata.deletionTimestamp !== undefined) return;
      await manager.client
        .of("v1", "ConfigMap")
        .namespace(${place})
        .apply(
          {
            metadata: { name, ownerReferences: [controllerReference(${camel})] },
            data: { text: ${camel}.spec?.text ?? "" },
          },
          { fieldManager: "${name}", force: true, signal },
        );

      const observedGeneration = ${camel}.metadata.generation ?? 0;
      const conditions = setCondition(${camel}.status?.conditions, {
        type: "Ready",
        status: "True",
        reason: "Applied",
        message: \`ConfigMap \${name} is as the spec says\`,
        observedGeneration,
      });
      if (conditions === ${camel}.status?.conditions) return;
      await manager.client
        .of("${group}/${version}", "${kind}")${own}
        .patchStatus(name, { status: { observedGeneration, conditions } }, { type: "merge", signal });
    });
}
`;
};

const webhooks = ({ group, version, kind }: ProjectNames): string => {
  const { camel } = spellings(kind);
  return `import { AdmissionRefusal, type Manager } from "kubets";

/** Completes and judges each ${kind} before the API server stores it. */
export function add${kind}Webhooks(manager: Manager): void {
  manager
    .webhookFor("${group}/${version}", "${kind}")
    .defaults((${camel}) => {
      ${camel}.spec ??= {};
      ${camel}.spec.text ??= "hello";
    })
    .validates({
      create(${camel}, { warn }) {
        if (${camel}.spec?.text === "") warn("spec.text is empty: so will be the ConfigMap");
      },
      update(${camel}, before) {
        if (${camel}.spec?.owner !== before.spec?.owner) throw new AdmissionRefusal("spec.owner cannot be changed");
      },
    });
}
`;
};

const testOf = (names: ProjectNames): string => {
  const { group, version, kind, namespaced } = names;
  const own = namespaced ? `.namespace("default")` : "";
  return `import { expect, test } from "vitest";
import { isForbidden, waitFor } from "kubets";
import { client } from "./cluster.js";

const objects = () => client.of("${group}/${version}", "${kind}")${own};

test("gets a ConfigMap with its text, and is ready", async () => {
  await objects().create({ metadata: { name: "first" }, spec: { text: "good morning" } });
  await waitFor(objects(), "first", ({ status }) =>
    (status?.conditions ?? []).some(({ type, status: is }) => type === "Ready" && is === "True"),
  );
  const { data } = await client.of("v1", "ConfigMap").namespace("default").get("first");
  expect(data).toEqual({ text: "good morning" });
});

test("says hello where it has no text", async () => {
  const { spec } = await objects().create({ metadata: { name: "second" } });
  expect(spec?.text).toBe("hello");
});

test("keeps its owner", async () => {
  await objects().create({ metadata: { name: "third" }, spec: { owner: "jane" } });
  const change = objects().patch("third", { spec: { owner: "joe" } }, { type: "merge" });
  await expect(change).rejects.toSatisfy(isForbidden);
});
`;
};

const sample = ({ group, version, kind }: ProjectNames): string => `apiVersion: ${group}/${version}
kind: ${kind}
metadata:
  name: sample
spec:
  text: good morning
  owner: jane
`;
