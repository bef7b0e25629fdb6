import { PassThrough } from "node:stream";
import { describe, expect, test } from "vitest";
import { type ApiResourcesOptions, runApiResources } from "../../../src/commands/api-resources/api-resources.js";
import type { Discovery } from "../../../src/client/discovery/discovery.js";
import type { ApiResource } from "../../../src/machinery/rest-mapper.js";
import { plainLook } from "../../../src/printers/look.js";

const resource = (name: string, kind: string, own: Partial<ApiResource> = {}): ApiResource => ({
  group: "",
  version: "v1",
  name,
  singularName: kind.toLowerCase(),
  kind,
  namespaced: true,
  verbs: ["get", "list"],
  shortNames: [],
  categories: [],
  ...own,
});

const resources = [
  resource("pods", "Pod", { shortNames: ["po"], categories: ["all"] }),
  resource("nodes", "Node", { namespaced: false, shortNames: ["no", "nd"] }),
  resource("ghosts", "Ghost", { verbs: [] }),
  resource("deployments", "Deployment", { group: "apps", version: "v1beta1" }),
  resource("deployments", "Deployment", { group: "apps", shortNames: ["deploy"], categories: ["all", "api"] }),
  resource("olds", "Old", { group: "apps", version: "v1beta1" }),
];

async function run(options: Partial<ApiResourcesOptions>, failed = new Map<string, Error>()): Promise<string> {
  let invalidated = false;
  const discovery: Partial<Discovery> = {
    groups: () =>
      Promise.resolve([
        { name: "", versions: ["v1"], preferredVersion: "v1" },
        { name: "apps", versions: ["v1", "v1beta1"], preferredVersion: "v1" },
      ]),
    resources: () => Promise.resolve({ resources, failed }),
    invalidate: () => void (invalidated = true),
  };
  const out = new PassThrough();
  const all: ApiResourcesOptions = {
    format: "",
    noHeaders: false,
    sortBy: "",
    apiGroup: undefined,
    namespaced: undefined,
    verbs: [],
    categories: [],
    cached: false,
    discovery: discovery as Discovery,
    look: plainLook,
    ...options,
  };
  const failure: unknown = await runApiResources(all, { in: new PassThrough(), out, err: new PassThrough() }).catch(
    (error: unknown) => error,
  );
  expect(invalidated).toBe(!all.cached);
  const text = (out.read() as Buffer | null)?.toString() ?? "";
  return failure instanceof Error ? `${text}! ${failure.message}` : text;
}

describe("api-resources", () => {
  test.each<[string, Partial<ApiResourcesOptions>, string]>([
    [
      "each type once, in its preferred version, by group and name",
      {},
      `NAME          SHORTNAMES   APIVERSION     NAMESPACED   KIND
nodes         no,nd        v1             false        Node
pods          po           v1             true         Pod
deployments   deploy       apps/v1        true         Deployment
olds                       apps/v1beta1   true         Old
`,
    ],
    [
      "wide",
      { format: "wide", apiGroup: "" },
      `NAME    SHORTNAMES   APIVERSION   NAMESPACED   KIND   VERBS      CATEGORIES
nodes   no,nd        v1           false        Node   get,list   
pods    po           v1           true         Pod    get,list   all
`,
    ],
    ["names by kind", { format: "name", sortBy: "kind" }, "deployments.apps\nnodes\nolds.apps\npods\n"],
    ["those of all categories", { format: "name", categories: ["all", "api"], cached: true }, "deployments.apps\n"],
    ["those outside of namespaces", { noHeaders: true, namespaced: false }, "nodes   no,nd   v1    false   Node\n"],
    ["none with a verb nobody has", { verbs: ["fly"] }, "NAME   SHORTNAMES   APIVERSION   NAMESPACED   KIND\n"],
    [
      "none as JSON",
      { format: "json", verbs: ["fly"] },
      '{\n    "kind": "APIResourceList",\n    "apiVersion": "v1",\n    "groupVersion": "",\n    "resources": null\n}\n',
    ],
    [
      "YAML",
      { format: "yaml", namespaced: false },
      `apiVersion: v1
groupVersion: ""
kind: APIResourceList
resources:
- kind: Node
  name: nodes
  namespaced: false
  shortNames:
  - "no"
  - nd
  singularName: node
  verbs:
  - get
  - list
  version: v1
`,
    ],
  ])("%s", async (_, options, expected) => {
    expect(await run(options)).toBe(expected);
  });

  test("prints errors of groups that could not be read after the resources", async () => {
    const text = await run(
      { format: "name" },
      new Map([
        ["b.io/v1", new Error("gone")],
        ["a.io/v1", new Error("stale")],
      ]),
    );
    expect(text).toBe(
      "nodes\npods\ndeployments.apps\nolds.apps\n! unable to retrieve the complete list of server APIs: a.io/v1: stale, b.io/v1: gone",
    );
  });
});
