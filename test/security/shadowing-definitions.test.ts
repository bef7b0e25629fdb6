import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { JsonObject } from "../../src/machinery/meta/json.js";
import { call } from "../helpers/api-caller.js";
import { established } from "../helpers/custom-definitions.js";
import { eventually } from "../helpers/eventually.js";
import { answerOf, Arena, bindingOf, jewel, MERGE, RBAC, RBAC_GROUP } from "./arena.js";

// carl may do everything with definitions, and with custom and built-in resources of these groups what an administrator of the
// namespace "default" may. What he tries: to take a built-in resource's place.

const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const SERVICES = "/apis/apiregistration.k8s.io/v1/apiservices";
const DISCOVERY = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

/** "clusterrolebindings.rbac.authorization.k8s.io" with its versions, the first of which is stored, and its kind. */
type Shadow = readonly [name: string, versions: string, kind: string, more?: JsonObject];

/** Definitions with the names of built-in resources, at versions that are served and at others. */
const BY_NAME: readonly Shadow[] = [
  ["rolebindings.rbac.authorization.k8s.io", "v2", "RoleBinding"],
  ["clusterrolebindings.rbac.authorization.k8s.io", "v2,v1", "Binding"],
  ["clusterroles.rbac.authorization.k8s.io", "v1beta1", "ClusterRole"],
  ["roles.rbac.authorization.k8s.io", "v1", "Rolle"],
  ["validatingwebhookconfigurations.admissionregistration.k8s.io", "v2", "Hook"],
  ["mutatingwebhookconfigurations.admissionregistration.k8s.io", "v1beta1", "MutatingWebhookConfiguration"],
  ["validatingadmissionpolicies.admissionregistration.k8s.io", "v2", "ValidatingAdmissionPolicy"],
  ["validatingadmissionpolicybindings.admissionregistration.k8s.io", "v2,v1", "PolicyBinding"],
  ["customresourcedefinitions.apiextensions.k8s.io", "v2", "CustomResourceDefinition"],
  ["apiservices.apiregistration.k8s.io", "v2", "APIService"],
  ["events.events.k8s.io", "v2", "Event"],
  ["leases.coordination.k8s.io", "v2", "Lease"],
  ["tokenreviews.authentication.k8s.io", "v2", "TokenReview"],
  ["subjectaccessreviews.authorization.k8s.io", "v2", "SubjectAccessReview"],
  ["certificatesigningrequests.certificates.k8s.io", "v2", "CertificateSigningRequest"],
  ["storageclasses.storage.k8s.io", "v2", "StorageClass"],
  ["networkpolicies.networking.k8s.io", "v1", "Policy"],
  ["endpointslices.discovery.k8s.io", "v1beta1", "EndpointSlice"],
  ["priorityclasses.scheduling.k8s.io", "v2", "PriorityClass"],
  ["flowschemas.flowcontrol.apiserver.k8s.io", "v2", "FlowSchema"],
  ["runtimeclasses.node.k8s.io", "v2", "RuntimeClass"],
  // Turned off unless runtimeConfig names it: its controller would read it as real.
  ["storageversionmigrations.storagemigration.k8s.io", "v1alpha1,v2", "Migration"],
];

/** New names in a built-in group version, and a built-in kind under another name. */
const BESIDE: readonly Shadow[] = [
  ["foos.networking.k8s.io", "v1", "Foo", { shortNames: ["netpol"], singular: "networkpolicy" }],
  ["secrets.rbac.authorization.k8s.io", "v1", "Secret"],
  ["claimz.resource.k8s.io", "v9", "ResourceClaim", { singular: "resourceclaim" }],
];

let arena: Arena;
let discovery: string;
let services: string;
const warnings = new Map<string, string>();
const carl = "carl";

beforeAll(async () => {
  arena = await Arena.open();
  await arena.create("/api/v1/namespaces/default/secrets", jewel("jewel"));
  await arena.allow(carl, "* apiextensions.k8s.io:customresourcedefinitions,customresourcedefinitions/status");
  await arena.allowIn("default", carl, `* ${RBAC_GROUP}:roles,rolebindings,secrets`, "* networking.k8s.io:*");
  await arena.allow("vera", "get,list secrets");
  await arena.create("/apis/networking.k8s.io/v1/namespaces/default/networkpolicies", {
    metadata: { name: "kept" },
    spec: { podSelector: {} },
  });
  const policies = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies";
  const rule = { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] };
  await arena.create(policies, {
    metadata: { name: "refuses" },
    spec: {
      matchConstraints: { resourceRules: [rule] },
      validations: [{ expression: "object.metadata.name != 'refused'" }],
    },
  });
  await arena.create(policies.replace("policies", "policybindings"), {
    metadata: { name: "refuses" },
    spec: { policyName: "refuses", validationActions: ["Deny"] },
  });
  discovery = (await arena.make("GET", "/apis")).text;
  services = await apiServices();
  for (const shadow of [...BY_NAME, ...BESIDE]) warnings.set(shadow[0], await carlDefines(shadow));
}, 60_000);
afterAll(() => arena[Symbol.asyncDispose]());

async function apiServices(): Promise<string> {
  return (await arena.make("GET", SERVICES)).text.replace(/"resourceVersion":"\d+"/, "");
}

/** Answers the warnings that carl gets. */
async function carlDefines(shadow: Shadow): Promise<string> {
  const answer = await arena.send(carl, { method: "POST", path: DEFINITIONS, body: definitionOf(shadow) });
  expect(answer.status, answer.text).toBe(201);
  await established(arena.admin, shadow[0]);
  return String(answer.headers["warning"] ?? "");
}

function definitionOf([name, versions, kind, names = {}]: Shadow): JsonObject {
  const [plural = "", ...group] = name.split(".");
  const any = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  return {
    metadata: { name, annotations: { "api-approved.kubernetes.io": "unapproved, as a test" } },
    spec: {
      group: group.join("."),
      scope: "Namespaced",
      names: { plural, kind, ...names },
      versions: versions.split(",").map((version, index) => ({
        name: version,
        served: true,
        storage: index === 0,
        schema: { openAPIV3Schema: { ...any, properties: { spec: any, status: any } } },
        subresources: { status: {}, scale: { specReplicasPath: ".spec.n", statusReplicasPath: ".status.n" } },
      })),
    },
  };
}

/** Nothing is seen of the definitions, and what is built in is whole. */
async function allIsWhole(): Promise<void> {
  expect((await arena.make("GET", "/apis")).text).toBe(discovery);
  expect(await apiServices()).toBe(services);
  const asked = (who: string) => arena.send(who, { method: "GET", path: "/api/v1/namespaces/default/secrets/jewel" });
  expect([(await asked("vera")).status, answerOf(await asked(carl))]).toEqual([200, "403 Forbidden"]);
  const refused = { metadata: { name: "refused" } };
  expect((await call(arena.admin, "POST", "/api/v1/namespaces/default/configmaps", refused)).status).toBe(422);
  expect((await call(arena.admin, "GET", "/readyz")).text).toBe("ok");
  expect(arena.faults).toEqual([]);
}

describe("a definition with a built-in resource's name, kind or version is established and serves nothing", () => {
  test.each([...BY_NAME, ...BESIDE].map((row) => ({ title: `${row[0]} at ${row[1]}`, row })))(
    "$title",
    async ({ row }) => {
      const [name, versions, kind] = row;
      const [plural = "", ...rest] = name.split(".");
      const group = rest.join(".");
      const before = (await arena.make("GET", "/apis", undefined)).text;
      for (const version of versions.split(",")) {
        const path = `/apis/${group}/${version}`;
        const isServed = before.includes(`"${group}/${version}"`);
        const list = await call(arena.admin, "GET", path);
        expect(list.status, path).toBe(isServed ? 200 : 404);
        expect(list.text).not.toContain(`"kind":"${kind}","verbs":["delete"`);
        const isBuiltIn = isServed && list.text.includes(`"name":"${plural}"`);
        const objects = await call(arena.admin, "GET", `${path}/${plural}`);
        expect([objects.status, objects.text.includes(`"kind":"${kind}List"`)]).toEqual([
          isBuiltIn ? 200 : 404,
          isBuiltIn && objects.text.includes(`"kind":"${kind}List"`),
        ]);
        for (const subresource of ["status", "scale"]) {
          const part = await call(arena.admin, "GET", `${path}/namespaces/default/${plural}/x/${subresource}`);
          expect(part.status).toBe(404);
        }
      }
    },
  );

  test("and its author, carl, gets a warning", () => {
    for (const [name, warning] of warnings) {
      expect(warning, name).toMatch(/is a built-in resource: nothing of|has built-in resources: where/);
    }
  });

  test("and discovery, APIServices, rights, policies and health stay unchanged", allIsWhole);

  test("and OpenAPI has no document and no path of it", async () => {
    const index = (await arena.make("GET", "/openapi/v3")).text;
    expect(index).toContain(`apis/${RBAC_GROUP}/v1`);
    expect(index).not.toMatch(new RegExp(`apis/${RBAC_GROUP.replaceAll(".", "\\.")}/(v2|v1beta1)`));
    const rbac = (await arena.make("GET", `/openapi/v3/apis/${RBAC_GROUP}/v1`)).text;
    expect(rbac).not.toContain("/secrets");
    const aggregated = await call(arena.admin, "GET", "/apis", undefined, { accept: DISCOVERY });
    expect(aggregated.text).not.toContain("Rolle");
    expect(aggregated.text).not.toContain("claimz");
  });

  test("and carl can store no object through it, and no binding that the escalation check refuses", async () => {
    const binding = bindingOf("mine", "ClusterRole/cluster-admin", carl);
    for (const version of ["v1", "v2", "v3", "v1beta1"]) {
      const path = `/apis/${RBAC_GROUP}/${version}/namespaces/default/rolebindings`;
      const body = { apiVersion: `${RBAC_GROUP}/${version}`, kind: "RoleBinding", ...binding };
      const answer = await arena.send(carl, { method: "POST", path, body });
      expect(answerOf(answer), path).toBe(version === "v1" ? "403 Forbidden" : "404 NotFound");
    }
  });

  test("and objects owned by such a version, and webhook rules about it, are not affected", async () => {
    const owner = { apiVersion: `${RBAC_GROUP}/v2`, kind: "RoleBinding", name: "x", uid: "1" };
    await arena.create("/api/v1/namespaces/default/configmaps", {
      metadata: { name: "owned", ownerReferences: [owner] },
    });
    expect((await arena.make("GET", "/api/v1/namespaces/default/configmaps/owned")).status).toBe(200);
    const rules = [{ operations: ["*"], apiGroups: [RBAC_GROUP], apiVersions: ["v2"], resources: ["rolebindings"] }];
    const webhook = {
      name: "a.example.com",
      rules,
      clientConfig: { url: "https://127.0.0.1:1/" },
      sideEffects: "None",
      admissionReviewVersions: ["v1"],
      matchPolicy: "Exact",
    };
    const path = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";
    await arena.create(path, { metadata: { name: "shadowed" }, webhooks: [webhook] });
    const made = await arena.create(`${RBAC}/namespaces/default/roles`, { metadata: { name: "unhooked" }, rules: [] });
    expect(made.status).toBe(201);
    await arena.make("DELETE", `${path}/shadowed`);
  });

  test("and a status that carl writes neither serves nor deletes others' objects", async () => {
    const bars = definitionOf(["bars.example.com", "v1", "Bar"]);
    await arena.create(DEFINITIONS, bars);
    await established(arena.admin, "bars.example.com");
    const objects = "/apis/example.com/v1/namespaces/default/bars";
    await eventually(async () => expect((await call(arena.admin, "GET", objects)).status).toBe(200));
    await arena.create(objects, { apiVersion: "example.com/v1", kind: "Bar", metadata: { name: "kept" } });
    await carlDefines(["thieves.example.com", "v1", "Thief"]);
    await carlDefines(["thieves.rbac.authorization.k8s.io", "v9", "Thief"]);
    for (const [name, plural] of [
      ["thieves.example.com", "bars"],
      ["thieves.rbac.authorization.k8s.io", "rolebindings"],
    ]) {
      const body = { status: { acceptedNames: { plural, kind: "Thief" } } };
      const forged = { method: "PATCH", path: `${DEFINITIONS}/${name}/status`, body, type: MERGE };
      expect((await arena.send(carl, forged)).status).toBe(200);
      expect((await arena.send(carl, { method: "DELETE", path: `${DEFINITIONS}/${name}` })).status).toBe(200);
      await gone(name ?? "");
    }
    expect((await arena.make("GET", `${objects}/kept`)).status).toBe(200);
    await arena.make("DELETE", `${DEFINITIONS}/bars.example.com`);
    await gone("bars.example.com");
    await allIsWhole();
  });

  test.each(["RoleBindings", "rolebindings/status", "rolebindings.", "../rolebindings"])(
    "and the plural %s is refused",
    async (plural) => {
      const body = definitionOf([`${plural}.${RBAC_GROUP}`, "v2", "Other"]) as { readonly spec: JsonObject };
      const names = { plural, kind: "Other" };
      await arena.attemptShot(
        plural,
        carl,
        { method: "POST", path: DEFINITIONS, body: { ...body, spec: { ...body.spec, names } } },
        "422 Invalid",
      );
    },
  );

  test("and deleting it keeps every built-in object", async () => {
    const bindings = (await arena.make("GET", `${RBAC}/clusterrolebindings`)).at("items") as readonly unknown[];
    for (const [name] of [...BY_NAME, ...BESIDE]) {
      const answer = await arena.send(carl, { method: "DELETE", path: `${DEFINITIONS}/${name}` });
      expect(answer.status, answer.text).toBe(200);
    }
    for (const [name] of [...BY_NAME, ...BESIDE]) await gone(name);
    await allIsWhole();
    expect((await arena.make("GET", `${RBAC}/clusterrolebindings`)).at("items")).toEqual(bindings);
    const kept = "/apis/networking.k8s.io/v1/namespaces/default/networkpolicies/kept";
    expect((await arena.make("GET", kept)).status).toBe(200);
  });
});

async function gone(name: string): Promise<void> {
  await eventually(async () => expect((await call(arena.admin, "GET", `${DEFINITIONS}/${name}`)).status).toBe(404));
}

describe("a definition that only resembles a built-in resource is served", () => {
  test("in a version that no built-in resource has, with short names of built-in ones", async () => {
    const [plural, group] = ["foos", RBAC_GROUP];
    const names = { shortNames: ["po", "rolebinding"] };
    expect(await carlDefines([`${plural}.${group}`, "v9", "Foo", names])).toBe("");
    const path = `/apis/${group}/v9/namespaces/default/${plural}`;
    await eventually(async () => expect((await call(arena.admin, "GET", path)).status).toBe(200));
    await arena.create(path, { apiVersion: `${group}/v9`, kind: "Foo", metadata: { name: "a" } });
    const service = `${SERVICES}/v9.${group}`;
    await eventually(async () => expect((await call(arena.admin, "GET", service)).status).toBe(200));
    expect((await call(arena.admin, "GET", `${RBAC}/rolebindings`)).status).toBe(200);
    await arena.make("DELETE", `${DEFINITIONS}/${plural}.${group}`);
    await gone(`${plural}.${group}`);
    await eventually(async () => expect((await call(arena.admin, "GET", service)).status).toBe(404));
    await eventually(allIsWhole);
  });

  test("in a group of its own with a built-in kind's names, whose OpenAPI name differs", async () => {
    const group = "core.api.k8s.io";
    await carlDefines([`pods.${group}`, "v1", "Pod", { shortNames: ["po"] }]);
    const path = `/apis/${group}/v1/namespaces/default/pods`;
    await eventually(async () => expect((await call(arena.admin, "GET", path)).status).toBe(200));
    await arena.create(path, { apiVersion: `${group}/v1`, kind: "Pod", metadata: { name: "a" } });
    expect((await arena.make("GET", "/api/v1/namespaces/default/pods")).at("items")).toEqual([]);
    const { definitions } = JSON.parse((await arena.make("GET", "/openapi/v2")).text) as {
      readonly definitions: Readonly<Record<string, JsonObject>>;
    };
    const kindsOf = (name: string) => definitions[name]?.["x-kubernetes-group-version-kind"];
    expect(kindsOf("io.k8s.api.core.v1.Pod")).toEqual([{ group: "", version: "v1", kind: "Pod" }]);
    expect(kindsOf("io.k8s.api.core.v1.Pod_v2")).toEqual([{ group, version: "v1", kind: "Pod" }]);
    await arena.make("DELETE", `${DEFINITIONS}/pods.${group}`);
    await gone(`pods.${group}`);
  });
});
