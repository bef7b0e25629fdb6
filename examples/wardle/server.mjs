// Wardle, the sample API server of Kubernetes, with nothing generated: flunders in two versions, fischers that forbid names of
// flunders, an admission plugin, a status, and the program around it.
//
//     node examples/wardle/server.mjs --http-port=6080
//     kubectl --server=http://127.0.0.1:6080 get flunders,fischers
import { forbidden, invalidValue, list, serverCommand, string, struct } from "kubets/server";

const GROUP = "wardle.example.com";

/** A flunder refers to another flunder or to a fischer. The older version has one field for both, and says which it is. */
const flunders = {
  group: GROUP,
  resource: "flunders",
  kind: "Flunder",
  namespaced: true,
  shortNames: ["fl"],
  strategy: { validate: problems, validateUpdate: problems },
  versions: [
    {
      version: "v1beta1",
      schema: struct("Flunder", {
        spec: struct("FlunderSpec", { flunderReference: string, fischerReference: string, referenceType: string }),
        status: struct("FlunderStatus", { phase: string }),
      }),
      subresources: [{ name: "status" }],
    },
    {
      version: "v1alpha1",
      schema: struct("Flunder", {
        spec: struct("FlunderSpec", { reference: string, referenceType: { schema: string, default: "Flunder" } }),
        status: struct("FlunderStatus", { phase: string }),
      }),
      subresources: [{ name: "status" }],
      conversion: { toHub: toBeta, fromHub: toAlpha },
    },
  ],
};

function problems({ spec: { flunderReference = "", fischerReference = "" } = {} }) {
  if (flunderReference === "" || fischerReference === "") return [];
  return [
    invalidValue("spec.fischerReference", fischerReference, "cannot be set with flunderReference at the same time"),
  ];
}

function toBeta({ spec: { reference, referenceType } = {}, ...flunder }) {
  const field = referenceType === "Fischer" ? "fischerReference" : "flunderReference";
  return { ...flunder, spec: { ...(reference && { [field]: reference }), ...(referenceType && { referenceType }) } };
}

function toAlpha({ spec: { flunderReference, fischerReference, referenceType } = {}, ...flunder }) {
  const reference = fischerReference ?? flunderReference;
  return { ...flunder, spec: { ...(reference && { reference }), ...(referenceType && { referenceType }) } };
}

const fischers = {
  group: GROUP,
  resource: "fischers",
  kind: "Fischer",
  namespaced: false,
  versions: [{ version: "v1alpha1", schema: struct("Fischer", { disallowedFlunders: list(string) }) }],
};

/** Refuses flunders of names that a fischer forbids. */
const banFlunder = {
  name: "BanFlunder",
  handles: (operation, { resource }) => operation === "CREATE" && resource === "flunders",
  async validate({ object, resource }, { objects }) {
    const { name } = object.metadata;
    for (const { disallowedFlunders = [] } of await objects.list(GROUP, "fischers")) {
      if (!disallowedFlunders.includes(name)) continue;
      throw forbidden(resource, name, "this name may not be used, please change the resource name");
    }
  },
};

await serverCommand({
  name: "wardle-server",
  description: "Serves flunders and fischers.",
  version: "v1.0.0",
  options: {
    title: { title: "Wardle", version: "v1.0.0" },
    resources: [flunders, fischers],
    admission: { plugins: [{ plugin: banFlunder }] },
  },
}).main();
