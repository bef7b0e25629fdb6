import { constants, gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Answer, type CallOptions } from "../../helpers/api-caller.js";
import { type AuditedAnswer, type AuditedCluster, EVERYTHING, startAudited } from "../../helpers/audited-cluster.js";

const VERSIONS = ["1.36", "1.37"] as const;
type Version = (typeof VERSIONS)[number];

/** Servers of one process, each with its version of Kubernetes and every API version on. */
const servers = new Map<Version, AuditedCluster>();

beforeAll(async () => {
  for (const version of VERSIONS) {
    const runtimeConfig = { "api/all": true };
    servers.set(version, await startAudited(EVERYTHING, { kubernetesVersion: version, runtimeConfig }));
  }
});

afterAll(() => Promise.all([...servers.values()].map((server) => server[Symbol.asyncDispose]())));

const serverOf = (version: Version): AuditedCluster => servers.get(version) as AuditedCluster;

const sendTo = (
  version: Version,
  method: string,
  path: string,
  body?: unknown,
  options?: CallOptions,
): Promise<AuditedAnswer> => serverOf(version).send(method, path, body, options);

const ask = async (
  version: Version,
  method: string,
  path: string,
  body?: unknown,
  options?: CallOptions,
): Promise<Answer> => (await sendTo(version, method, path, body, options)).answer;

const MAPS = "/api/v1/namespaces/default/configmaps";
const JSON_PATCH = { type: "application/json-patch+json" };
const MERGE = { type: "application/merge-patch+json" };
const APPLY = { type: "application/apply-patch+yaml" };
const TABLE = { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" };

describe("K37-100: the answer of a watch that begins with a list", () => {
  /** A stream that goes on is read up to its last flush. */
  const UNFINISHED = { finishFlush: constants.Z_SYNC_FLUSH };
  const LIST = "watch=true&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan";

  /** Opens a watch, reads it up to the end of its list, and then the event of a map that is made. */
  async function watch(
    version: Version,
    query: string,
    name: string,
  ): Promise<readonly [headers: unknown, text: string]> {
    const transport = serverOf(version).transport;
    const stop = new AbortController();
    const headers = { accept: "application/json", "accept-encoding": "gzip" };
    const answer = await transport.send({ method: "GET", path: `${MAPS}?${query}`, headers, signal: stop.signal });
    const isZipped = answer.headers["content-encoding"] === "gzip";
    const chunks: Uint8Array[] = [];
    const text = (): string => {
      const all = Buffer.concat(chunks);
      return (isZipped ? gunzipSync(all, UNFINISHED) : all).toString("utf8");
    };
    const isListed = (): boolean =>
      !query.includes("sendInitialEvents") || text().includes("k8s.io/initial-events-end");
    const made = isListed() ? ask(version, "POST", MAPS, { metadata: { name } }) : undefined;
    let asked = made;
    for await (const chunk of answer.body) {
      chunks.push(chunk);
      if (asked === undefined && isListed()) asked = ask(version, "POST", MAPS, { metadata: { name } });
      if (text().includes(`"name":"${name}"`)) break;
    }
    stop.abort();
    await asked;
    return [answer.headers, text()];
  }

  test("is compressed by a 1.37 server, so that each event can be read at once", async () => {
    const [headers, text] = await watch("1.37", LIST, "zipped");
    expect(headers).toMatchObject({ "content-encoding": "gzip", vary: ["Accept-Encoding"] });
    expect(text.trimEnd().split("\n").at(-1)).toContain('"name":"zipped"');
  });

  test.each([
    ["1.36", LIST, "plain-list"],
    ["1.37", "watch=true", "plain-watch"],
  ] as const)("is not compressed in %s with the query %s", async (version, query, name) => {
    const [headers] = await watch(version, query, name);
    expect(headers).not.toHaveProperty("content-encoding");
  });
});

test.each(VERSIONS)(
  "K37-101: an apply in %s that creates an object sets the system's fields as a POST does",
  async (version) => {
    const given = {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: {
        name: "made-by-apply",
        creationTimestamp: "2001-01-01T00:00:00Z",
        deletionTimestamp: "2001-01-01T00:00:00Z",
      },
    };
    const made = await ask(version, "PATCH", `${MAPS}/made-by-apply?fieldManager=me`, given, APPLY);
    expect(made.status, made.text).toBe(201);
    expect(made.at("metadata.uid")).toMatch(/^[0-9a-f-]{36}$/);
    expect(made.at("metadata.creationTimestamp")).not.toBe("2001-01-01T00:00:00Z");
    expect(made.at("metadata.deletionTimestamp")).toBeUndefined();
    const wanted = { ...given, metadata: { name: "of-another-uid", uid: "11111111-1111-1111-1111-111111111111" } };
    const refused = await ask(version, "PATCH", `${MAPS}/of-another-uid?fieldManager=me`, wanted, APPLY);
    expect(refused.status).toBe(409);
    expect(refused.at("message")).toContain("uid mismatch: the provided object specified uid");
  },
);

test.each(VERSIONS)("K37-102: a server of %s allows updates in a namespace that no longer exists", async (version) => {
  await ask(version, "POST", "/api/v1/namespaces", { metadata: { name: "gone" } });
  const maps = "/api/v1/namespaces/gone/configmaps";
  await ask(version, "POST", maps, { metadata: { name: "left", finalizers: ["example.com/stays"] } });
  await ask(version, "DELETE", "/api/v1/namespaces/gone");
  const namespace = JSON.parse((await ask(version, "GET", "/api/v1/namespaces/gone")).text);
  await ask(version, "PUT", "/api/v1/namespaces/gone/finalize", { ...namespace, spec: { finalizers: [] } });
  expect((await ask(version, "GET", "/api/v1/namespaces/gone")).status).toBe(404);
  const changed = await ask(version, "PATCH", `${maps}/left`, { data: { a: "b" } }, MERGE);
  expect(changed.status, changed.text).toBe(200);
});

describe("K37-106: a malformed patch is refused", () => {
  const BODIES = [
    [JSON_PATCH, "{a", "invalid JSON patch"],
    [MERGE, "{a", "invalid JSON patch"],
    [APPLY, "a: [", /^error encoding patch: yaml: /],
    [APPLY, "[]", "error decoding patch: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal array"],
    [
      APPLY,
      "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: kube-root}\ndata: {a: b, a: c}\n",
      "error strict decoding patch: error converting YAML to JSON: yaml: unmarshal errors:",
    ],
  ] as const;

  test.each(BODIES)("in 1.37 with the words for the type %o: %s", async (type, body, expected) => {
    const path = `${MAPS}/kube-root?fieldManager=me&fieldValidation=Strict&force=true`;
    const query = type === APPLY ? path : path.replace("&force=true", "");
    const { answer, last } = await sendTo("1.37", "PATCH", query, body, type);
    expect(answer.status).toBe(400);
    if (typeof expected === "string") expect(answer.at("message")).toContain(expected);
    else expect(answer.at("message")).toMatch(expected);
    if (body !== BODIES[4][1] && body !== "[]") expect(last.requestObject).toBeUndefined();
  });

  test("in 1.36 with the older words", async () => {
    const applied = await ask("1.36", "PATCH", `${MAPS}/kube-root?fieldManager=me`, "a: [", APPLY);
    expect(applied.at("message")).toMatch(/^error decoding YAML: error converting YAML to JSON: yaml: /);
    const merged = await ask("1.36", "PATCH", `${MAPS}/kube-root`, "{a", MERGE);
    expect(merged.at("message")).toMatch(/^error decoding patch: invalid character/);
  });
});

describe("K37-105: the audit annotation about failed validations of admission policies", () => {
  const REGISTRATION = "/apis/admissionregistration.k8s.io/v1";

  async function addPolicy(version: Version, name: string): Promise<void> {
    const rules = [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["secrets"] }];
    const spec = {
      matchConstraints: { resourceRules: rules },
      validations: [
        { expression: "false", message: `${name} one` },
        { expression: "false", message: `${name} two` },
      ],
    };
    const made = await ask(version, "POST", `${REGISTRATION}/validatingadmissionpolicies`, {
      metadata: { name },
      spec,
    });
    expect(made.status, made.text).toBe(201);
    await ask(version, "POST", `${REGISTRATION}/validatingadmissionpolicybindings`, {
      metadata: { name },
      spec: { policyName: name, validationActions: ["Audit"] },
    });
  }

  test.each([
    ["1.36", ["a one"]],
    ["1.37", ["a one", "a two", "b one", "b two"]],
  ] as const)("in %s holds %j together", async (version, expected) => {
    await addPolicy(version, "a");
    await addPolicy(version, "b");
    const secret = { metadata: { name: "s" } };
    const { answer, last } = await sendTo(version, "POST", "/api/v1/namespaces/default/secrets", secret);
    expect(answer.status).toBe(201);
    const told = last.annotations?.["validation.policy.admission.k8s.io/validation_failure"] ?? "[]";
    expect((JSON.parse(told) as { message: string }[]).map(({ message }) => message)).toEqual(expected);
  });
});

describe("the columns of tables", () => {
  interface Shown {
    readonly columnDefinitions: readonly { name: string; type: string; priority: number }[];
    readonly rows: readonly { cells: readonly unknown[] }[];
  }
  const tableOf = async (version: Version, path: string): Promise<Shown> =>
    JSON.parse((await ask(version, "GET", path, undefined, TABLE)).text) as Shown;

  const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  const definition = (plural: string, properties = {}) => ({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.example.com` },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural, kind: "Lamp", shortNames: ["la", "lp"] },
      versions: ["v2", "v1", "v1alpha1"].map((name) => ({
        name,
        served: name !== "v1alpha1",
        storage: name === "v1",
        schema: { openAPIV3Schema: { type: "object", properties } },
      })),
    },
  });

  test("K37-118: of CustomResourceDefinitions show more in 1.37", async () => {
    for (const version of VERSIONS) await ask(version, "POST", DEFINITIONS, definition("lamps"));
    const { columnDefinitions, rows } = await tableOf("1.37", DEFINITIONS);
    expect(columnDefinitions.map(({ name, type, priority }) => `${name}:${type}:${priority}`)).toEqual([
      "Name:string:0",
      "Scope:string:0",
      "Versions:string:0",
      "Created At:date:0",
      "Group:string:1",
      "Kind:string:1",
      "ShortNames:string:1",
      "Established:boolean:1",
    ]);
    const created = (await ask("1.37", "GET", `${DEFINITIONS}/lamps.example.com`)).at("metadata.creationTimestamp");
    const cells = ["lamps.example.com", "Namespaced", "v1(storage),v2", created, "example.com", "Lamp", "la,lp"];
    expect(rows[0]?.cells.slice(0, 7)).toEqual(cells);
    expect(typeof rows[0]?.cells[7]).toBe("boolean");
    const before = await tableOf("1.36", DEFINITIONS);
    expect(before.columnDefinitions.map(({ name }) => name)).toEqual(["Name", "Created At"]);
  });

  test("K37-119: of StorageClasses mark in 1.37 only the default class that is in effect", async () => {
    const CLASSES = "/apis/storage.k8s.io/v1/storageclasses";
    const annotations = { "storageclass.kubernetes.io/is-default-class": "true" };
    const names = async (version: Version, path: string) =>
      (await tableOf(version, path)).rows.map(({ cells }) => cells[0]);
    for (const version of VERSIONS) {
      for (const name of ["b", "a"]) {
        await ask(version, "POST", CLASSES, { metadata: { name, annotations }, provisioner: "example.com/p" });
      }
    }
    expect(await names("1.36", CLASSES)).toEqual(["a (default)", "b (default)"]);
    const created = JSON.parse((await ask("1.37", "GET", CLASSES)).text) as {
      items: readonly { metadata: { name: string; creationTimestamp: string } }[];
    };
    const newest = created.items
      .map(({ metadata }) => metadata)
      .toSorted((x, y) => y.creationTimestamp.localeCompare(x.creationTimestamp) || x.name.localeCompare(y.name))[0];
    const expected = ["a", "b"].map((name) => (name === newest?.name ? `${name} (default)` : name));
    expect(await names("1.37", CLASSES)).toEqual(expected);
    expect(await names("1.37", `${CLASSES}/a`)).toEqual([expected[0]]);
    expect(await names("1.37", `${CLASSES}/b`)).toEqual([expected[1]]);
  });

  test("K37-122: a 1.37 server warns once about a new definition with a set of non-scalar items", async () => {
    const sets = (type: string, plural: string) =>
      definition(plural, {
        s: {
          type: "array",
          "x-kubernetes-list-type": "set",
          items:
            type === "object"
              ? { type, "x-kubernetes-map-type": "atomic" }
              : { type, items: { type: "string" }, "x-kubernetes-list-type": "atomic" },
        },
      });
    const text = (type: string) =>
      `299 - "x-kubernetes-list-type: set for items of type \\"${type}\\" is not supported by server-side apply or CEL validation rules"`;
    const made = await ask("1.37", "POST", DEFINITIONS, sets("object", "sets"));
    expect(made.status, made.text).toBe(201);
    expect([made.headers["warning"]].flat()).toEqual([text("object")]);
    const labels = { labels: { a: "b" } };
    const relabelled = await ask("1.37", "PATCH", `${DEFINITIONS}/sets.example.com`, { metadata: labels }, MERGE);
    expect(relabelled.headers["warning"]).toBeUndefined();
    const changed = await ask(
      "1.37",
      "PATCH",
      `${DEFINITIONS}/sets.example.com`,
      { spec: sets("array", "sets").spec },
      MERGE,
    );
    expect(changed.status, changed.text).toBe(200);
    expect([changed.headers["warning"]].flat()).toEqual([text("array")]);
    expect((await ask("1.36", "POST", DEFINITIONS, sets("object", "sets"))).headers["warning"]).toBeUndefined();
  });

  test.each([
    ["1.36", "Precondition failed: UID in precondition: other"],
    ["1.37", "precondition failed: UID in precondition: other"],
  ] as const)(
    "K37-123: a server of %s refuses to delete a definition by another uid with: %s",
    async (version, expected) => {
      await ask(version, "POST", DEFINITIONS, definition("conditions"));
      const preconditions = { preconditions: { uid: "other" } };
      const answer = await ask(version, "DELETE", `${DEFINITIONS}/conditions.example.com`, preconditions);
      expect(answer.status).toBe(409);
      expect(answer.at("message")).toContain(expected);
      await ask(version, "POST", "/api/v1/namespaces", { metadata: { name: "kept" } });
      const namespace = await ask(version, "DELETE", "/api/v1/namespaces/kept", preconditions);
      expect(namespace.at("message")).toContain("Precondition failed: UID in precondition: other");
    },
  );
});

test("K37-116: a write of a pod's status in 1.37 keeps the claim statuses that it leaves out", async () => {
  const expected = { "1.36": undefined, "1.37": [{ name: "c", resourceClaimName: "of-c" }] };
  for (const version of VERSIONS) {
    const path = "/api/v1/namespaces/default/pods/p";
    const containers = [{ name: "c", image: "i" }];
    const resourceClaims = [{ name: "c", resourceClaimTemplateName: "t" }];
    await ask(version, "POST", "/api/v1/namespaces/default/serviceaccounts", { metadata: { name: "default" } });
    const made = await ask(version, "POST", "/api/v1/namespaces/default/pods", {
      metadata: { name: "p" },
      spec: { containers, resourceClaims, automountServiceAccountToken: false },
    });
    expect(made.status, made.text).toBe(201);
    const statuses = { status: { resourceClaimStatuses: [{ name: "c", resourceClaimName: "of-c" }] } };
    expect(
      (await ask(version, "PATCH", `${path}/status`, statuses, MERGE)).at("status.resourceClaimStatuses.0.name"),
    ).toBe("c");
    const pod = JSON.parse((await ask(version, "GET", path)).text);
    delete pod.status.resourceClaimStatuses;
    const written = await ask(version, "PUT", `${path}/status`, pod);
    expect(written.status, written.text).toBe(200);
    expect(written.at("status.resourceClaimStatuses"), version).toEqual(expected[version]);
  }
});

test("K37-117: an apply of a PodGroup or a PodCertificateRequest in 1.37 does not own its status", async () => {
  const group = {
    apiVersion: "scheduling.k8s.io/v1beta1",
    kind: "PodGroup",
    metadata: { name: "g" },
    spec: { schedulingPolicy: { basic: {} } },
    status: { conditions: [] },
  };
  const path = "/apis/scheduling.k8s.io/v1beta1/namespaces/default/podgroups/g?fieldManager=me";
  const applied = await ask("1.37", "PATCH", path, group, APPLY);
  expect(applied.status, applied.text).toBe(201);
  expect(JSON.stringify(applied.at("metadata.managedFields"))).not.toContain("f:status");
});

test.each([
  ["1.36", "v1.36", false],
  ["1.36", "latest", false],
  ["1.37", "v1.36", false],
  ["1.37", "v1.37", true],
  ["1.37", "latest", true],
] as const)(
  "K37-126: a server of %s, for a baseline:%s namespace, allows a pod to set net.ipv4.tcp_notsent_lowat: %s",
  async (version, standard, isLet) => {
    const name = `sysctls-${standard.replace(".", "-")}`;
    const labels = {
      "pod-security.kubernetes.io/enforce": "baseline",
      "pod-security.kubernetes.io/enforce-version": standard,
    };
    await ask(version, "POST", "/api/v1/namespaces", { metadata: { name, labels } });
    await ask(version, "POST", `/api/v1/namespaces/${name}/serviceaccounts`, { metadata: { name: "default" } });
    const sysctls = [{ name: "net.ipv4.tcp_notsent_lowat", value: "1" }];
    const spec = {
      containers: [{ name: "c", image: "i" }],
      securityContext: { sysctls },
      automountServiceAccountToken: false,
    };
    const made = await ask(version, "POST", `/api/v1/namespaces/${name}/pods`, { metadata: { name: "p" }, spec });
    expect(made.status, made.text).toBe(isLet ? 201 : 403);
  },
);
