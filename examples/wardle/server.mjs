// Wardle, the sample API server of Kubernetes, with nothing generated: flunders in two versions, fischers that forbid names of
// flunders, an admission plugin, a status, and the program around it.
//
//     node examples/wardle/server.mjs --http-port=6080
//     kubectl --server=http://127.0.0.1:6080 get flunders,fischers
//
// README.md has the flags by which it serves behind a main server.
import {
  conversion,
  forbidden,
  invalidValue,
  kind,
  list,
  recommendedOptions,
  serverCommand,
  string,
  struct,
} from "kubets/server";

const GROUP = "wardle.example.com";

const status = struct("FlunderStatus", { phase: string });
const v1beta1 = struct("Flunder", {
  spec: struct("FlunderSpec", { flunderReference: string, fischerReference: string, referenceType: string }),
  status,
});
const v1alpha1 = struct("Flunder", {
  spec: struct("FlunderSpec", { reference: string, referenceType: { schema: string, default: "Flunder" } }),
  status,
});

/** A flunder refers to another flunder or to a fischer. The older version has one field for both, and says which it is. */
const flunders = kind(
  GROUP,
  "Flunder",
  {
    v1beta1,
    v1alpha1: {
      schema: v1alpha1,
      conversion: conversion(v1alpha1, v1beta1, {
        toHub({ spec, status }) {
          const { reference, referenceType } = spec ?? {};
          const field = referenceType === "Fischer" ? "fischerReference" : "flunderReference";
          return { spec: spec && { [field]: reference, referenceType }, status };
        },
        fromHub({ spec, status }) {
          const { flunderReference, fischerReference, referenceType } = spec ?? {};
          return { spec: spec && { reference: fischerReference ?? flunderReference, referenceType }, status };
        },
      }),
    },
  },
  { storageVersion: "v1beta1", shortNames: ["fl"], validate: problems },
);

function problems({ spec: { flunderReference = "", fischerReference = "" } = {} }) {
  if (flunderReference === "" || fischerReference === "") return [];
  return [
    invalidValue("spec.fischerReference", fischerReference, "cannot be set with flunderReference at the same time"),
  ];
}

const fischers = kind(
  GROUP,
  "Fischer",
  { v1alpha1: struct("Fischer", { disallowedFlunders: list(string) }) },
  { namespaced: false },
);

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

// A port without credentials is for a server that stands alone. Behind a main server that server knows who asks, and what they may do.
const standsAlone = process.argv.some((argument) => argument.startsWith("--http-"));

await serverCommand({
  name: "wardle-server",
  description: "Serves flunders and fischers.",
  version: "v1.0.0",
  ...(!standsAlone && { recommended: recommendedOptions(`/registry/${GROUP}`) }),
  options: {
    title: { title: "Wardle", version: "v1.0.0" },
    resources: [flunders, fischers],
    admission: { plugins: [{ plugin: banFlunder }] },
  },
}).main();
