import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { RunningServer } from "../../../src/cluster/running-server.js";
import { startServer } from "../../../src/cluster/start-server.js";
import { invalidValue } from "../../../src/machinery/errors/field-error.js";
import { list, string, struct } from "../../../src/machinery/schema/build-schema.js";
import type { ResourceDefinition, ResourceVersion } from "../../../src/server/api-registry/resource-definition.js";
import { type Answer, call } from "../../helpers/api-caller.js";

const GROUP = "wardle.example.com";
const FLUNDERS = `/apis/${GROUP}/v1alpha1/namespaces/default/flunders`;

const hooks: string[] = [];

const flunder: ResourceVersion = {
  version: "v1alpha1",
  schema: struct("Flunder", {
    spec: struct("FlunderSpec", { reference: string }),
    status: struct("FlunderStatus", { phase: string }),
  }),
  subresources: [{ name: "status" }],
};

/** The flunders of k8s.io/sample-apiserver, whose hooks note that they were called, and with which name. */
const flunders: ResourceDefinition = {
  group: GROUP,
  resource: "flunders",
  kind: "Flunder",
  namespaced: true,
  versions: [{ ...flunder, version: "v1", served: false }, { ...flunder, version: "v1beta1" }, flunder],
  storageVersion: "v1alpha1",
  strategy: {
    allowUnconditionalUpdate: false,
    prepareForCreate: ({ metadata }) => void hooks.push(`prepare ${metadata?.name === undefined ? "no" : "a"} name`),
    validate({ metadata, ...rest }) {
      hooks.push(`validate ${metadata?.name === undefined ? "no" : "a"} name`);
      const { reference } = (rest["spec"] ?? {}) as { reference?: string };
      return reference === "wrong" ? [invalidValue("spec.reference", reference, "cannot be wrong")] : [];
    },
    canonicalize(draft) {
      hooks.push("canonicalize");
      const { reference = "" } = (draft["spec"] ?? {}) as { reference?: string };
      draft["spec"] = { reference: reference.toLowerCase() };
    },
    prepareForStatusUpdate(draft, old) {
      const { managedFields } = draft.metadata ?? {};
      draft.metadata = { ...old.metadata, ...(managedFields && { managedFields }) };
    },
  },
};

const fischers: ResourceDefinition = {
  group: GROUP,
  resource: "fischers",
  kind: "Fischer",
  namespaced: false,
  versions: [{ version: "v1alpha1", schema: struct("Fischer", { disallowedFlunders: list(string) }) }],
};

let server: RunningServer;
beforeAll(async () => {
  server = await startServer({ port: false, resources: [flunders, fischers] });
});
afterAll(() => server.close());

const send = (method: string, path: string, body?: object): Promise<Answer> =>
  call(server.transport(), method, path, body);

const body = (name: string, rest: object = {}) => ({
  apiVersion: `${GROUP}/v1alpha1`,
  kind: "Flunder",
  metadata: { name },
  ...rest,
});

async function make(name: string, rest: object = {}): Promise<Answer> {
  const made = await send("POST", FLUNDERS, body(name, rest));
  expect(made.status, made.text).toBe(201);
  return made;
}

describe("an installed API group", () => {
  test("B-INS-01, B-INS-02: has in discovery the versions that serve resources, the preferred first", async () => {
    const group = await send("GET", `/apis/${GROUP}`);
    const versions = ["v1beta1", "v1alpha1"].map((version) => ({ groupVersion: `${GROUP}/${version}`, version }));
    expect([group.at("versions"), group.at("preferredVersion")]).toEqual([versions, versions[0]]);
    expect((await send("GET", `/apis/${GROUP}/v1`)).status).toBe(404);
  });

  test("B-INS-03: lists in each version its own resources, and in OpenAPI their paths, in order", async () => {
    const names = async (version: string) => {
      const { resources } = JSON.parse((await send("GET", `/apis/${GROUP}/${version}`)).text) as {
        resources: { name: string }[];
      };
      return resources.map(({ name }) => name);
    };
    expect(await names("v1alpha1")).toEqual(["fischers", "flunders", "flunders/status"]);
    expect(await names("v1beta1")).toEqual(["flunders", "flunders/status"]);
    const { paths } = JSON.parse((await send("GET", "/openapi/v2")).text) as { paths: object };
    expect(Object.keys(paths)).toEqual(Object.keys(paths).toSorted());
  });

  test("B-DIR-01, C-HND-02: is matched in paths by whole words only", async () => {
    const status = async (path: string) => (await send("GET", path)).status;
    expect([await status("/apis"), await status("/apis/")]).toEqual([200, 200]);
    for (const path of [
      "/apisx",
      `/apis/${GROUP}x`,
      `/apis/${GROUP}/v1alpha1x`,
      FLUNDERS.replace("v1alpha1", "v1alpha"),
    ])
      expect(await status(path)).toBe(404);
  });

  test("B-INS-05: documents a POST with its three answers, and with the parameter pretty", async () => {
    const { paths } = JSON.parse((await send("GET", `/openapi/v3/apis/${GROUP}/v1alpha1`)).text) as {
      paths: Record<string, { parameters: { name: string }[]; post: { responses: object } }>;
    };
    const { parameters, post } = paths[FLUNDERS.replace("default", "{namespace}")] ?? {};
    expect(Object.keys(post?.responses ?? {})).toEqual(expect.arrayContaining(["200", "201", "202"]));
    expect(parameters?.map(({ name }) => name)).toContain("pretty");
  });
});

describe("the kinds of an installed API group", () => {
  test("B-SCH-02, B-SCH-03: are read in each version by the definition", async () => {
    await make("both", { spec: { reference: "a" } });
    const newer = await send("GET", `${FLUNDERS.replace("v1alpha1", "v1beta1")}/both`);
    expect([newer.at("apiVersion"), newer.at("kind"), newer.at("spec")]).toEqual([
      `${GROUP}/v1beta1`,
      "Flunder",
      { reference: "a" },
    ]);
  });

  test("B-SCH-05: accept options of requests in the group's versions too", async () => {
    await make("gone");
    const options = { apiVersion: `${GROUP}/v1alpha1`, kind: "DeleteOptions", propagationPolicy: "Background" };
    expect((await send("DELETE", `${FLUNDERS}/gone`, options)).status).toBe(200);
    await make("kept");
    expect((await send("DELETE", `${FLUNDERS}/kept`, body("kept"))).status).toBe(400);
  });

  test("B-STR-04: are the only ones that a resource accepts", async () => {
    const fischer = { ...body("f"), kind: "Fischer" };
    const refused = await send("POST", FLUNDERS, fischer);
    expect([refused.status, refused.at("reason")]).toEqual([400, "BadRequest"]);
  });
});

describe("the strategy of an installed resource", () => {
  test("B-STR-01: prepares, names, validates and canonicalizes, in this order", async () => {
    hooks.length = 0;
    const { metadata: _, ...rest } = body("");
    const made = await send("POST", FLUNDERS, {
      ...rest,
      metadata: { generateName: "f-" },
      spec: { reference: "POND" },
    });
    expect(made.at("spec.reference")).toBe("pond");
    expect(hooks.map((hook) => hook.split(" ")[0])).toEqual(["prepare", "validate", "canonicalize"]);
    expect(hooks).toContain("validate a name");
    const namespaced = await send("POST", FLUNDERS, { ...rest, metadata: { name: "f", namespace: "other" } });
    expect([namespaced.status, namespaced.at("message")]).toEqual([
      400,
      "the namespace of the provided object does not match the namespace sent on the request",
    ]);
    expect((await send("POST", FLUNDERS, body("w", { spec: { reference: "wrong" } }))).at("message")).toBe(
      'Flunder.wardle.example.com "w" is invalid: spec.reference: Invalid value: "wrong": cannot be wrong',
    );
  });

  test("B-STR-02: refuses a PUT that creates, one without a resourceVersion, and an outdated one", async () => {
    expect((await send("PUT", `${FLUNDERS}/none`, body("none"))).status).toBe(404);
    const made = JSON.parse((await make("changing")).text) as { metadata: object };
    const blind = await send("PUT", `${FLUNDERS}/changing`, body("changing"));
    expect([blind.status, blind.at("message")]).toEqual([
      422,
      'flunders.wardle.example.com "changing" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update',
    ]);
    const changed = { ...made, spec: { reference: "b" } };
    expect((await send("PUT", `${FLUNDERS}/changing`, changed)).status).toBe(200);
    const stale = await send("PUT", `${FLUNDERS}/changing`, { ...made, spec: { reference: "c" } });
    expect([stale.status, stale.at("reason")]).toEqual([409, "Conflict"]);
  });

  test("B-STR-03: generates a name from at most 58 characters of the base and five random ones", async () => {
    const generateName = "f".repeat(80);
    const { name } = JSON.parse((await send("POST", FLUNDERS, { ...body(""), metadata: { generateName } })).text)
      .metadata as { name: string };
    expect(name).toMatch(/^f{58}[a-z0-9]{5}$/);
  });
});

describe("the status subresource of an installed resource", () => {
  test("B-SUB-01, B-SUB-02, B-SUB-03, B-SUB-04, B-SUB-05: has its own path, whose writes change only the status", async () => {
    const { metadata } = JSON.parse(
      (await make("sample", { spec: { reference: "a" }, status: { phase: "Early" } })).text,
    ) as { metadata: { resourceVersion: string } };
    const labelled = { ...metadata, labels: { a: "b" }, annotations: { a: "b" } };
    const put = await send(
      "PUT",
      `${FLUNDERS}/sample/status`,
      body("sample", { metadata: labelled, spec: { reference: "b" }, status: { phase: "Fed" } }),
    );
    expect(put.status, put.text).toBe(200);
    const stored = await send("GET", `${FLUNDERS}/sample`);
    expect([stored.at("spec"), stored.at("status"), stored.at("metadata.labels")]).toEqual([
      { reference: "a" },
      { phase: "Fed" },
      undefined,
    ]);
    expect(stored.at("metadata.annotations")).toBeUndefined();
    expect((await send("POST", `${FLUNDERS}/sample/status`, body("sample"))).status).toBe(405);
  });

  test("B-SUB-06: is not changed by writes to the object itself", async () => {
    const { metadata } = JSON.parse((await make("main")).text) as { metadata: object };
    const status = { phase: "Fed" };
    const { metadata: fed } = JSON.parse(
      (await send("PUT", `${FLUNDERS}/main/status`, body("main", { metadata, status }))).text,
    ) as { metadata: object };
    const changed = { metadata: { ...fed, labels: { a: "b" } }, spec: { reference: "b" }, status: { phase: "Lost" } };
    const put = await send("PUT", `${FLUNDERS}/main`, body("main", changed));
    expect([put.at("spec.reference"), put.at("metadata.labels"), put.at("status")]).toEqual(["b", { a: "b" }, status]);
  });
});
