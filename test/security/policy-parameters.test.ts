import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isJsonObject, type JsonObject } from "../../src/machinery/meta/json.js";
import { bindingWith, MAPS_RULE, mutatingPolicy, type PolicyKind, validatingPolicy } from "../helpers/policies.js";
import { APPLY, Arena, jewel, JSON_PATCH, MERGE, type Received, STRATEGIC, type Try } from "./arena.js";

const API = "/apis/admissionregistration.k8s.io/v1";
const GROUP = "admissionregistration.k8s.io";
const SECRET = { apiVersion: "v1", kind: "Secret" };
const MAP = { apiVersion: "v1", kind: "ConfigMap" };
const UNSERVED = { apiVersion: "later.example.com/v1", kind: "Later" };
const KINDS: readonly PolicyKind[] = ["validating", "mutating"];

let arena: Arena;

/** A policy; one with parameters tells whoever writes a config map what they hold. */
function policy(kind: PolicyKind, name: string, paramKind?: object): JsonObject {
  const told = paramKind === undefined ? "string(object.metadata.name)" : "string(params.data.password)";
  const patch = `[JSONPatch{op: "add", path: "/data", value: {"told": ${told}}}]`;
  const spec =
    kind === "validating"
      ? { paramKind, validations: [{ expression: "false", messageExpression: told }] }
      : { paramKind, mutations: [{ patchType: "JSONPatch", jsonPatch: { expression: patch } }] };
  return (kind === "validating" ? validatingPolicy(spec, name) : mutatingPolicy(spec, name)) as JsonObject;
}

const binding = (kind: PolicyKind, name: string, policyName: string, paramRef?: object): JsonObject =>
  bindingWith(
    kind,
    { policyName, ...(paramRef && { paramRef: { parameterNotFoundAction: "Allow", ...paramRef } }) },
    name,
  ) as JsonObject;

const BY_NAME = { name: "jewel", namespace: "vault" };
const BY_NAME_ALONE = { name: "jewel" };
const BY_SELECTOR = { selector: {}, namespace: "vault" };
const BY_SELECTOR_ALONE = { selector: { matchLabels: { a: "b" } } };

const policies = (kind: PolicyKind): string => `${API}/${kind}admissionpolicies`;
const bindings = (kind: PolicyKind): string => `${API}/${kind}admissionpolicybindings`;

/**
 * pat may write policies and bindings and nothing else. vic may also get secrets of the namespace "vault" alone, gwen those of all
 * namespaces, lil may list secrets, nan may get one by its name, all may get what every resource of every group holds.
 */
beforeAll(async () => {
  arena = await Arena.open();
  const every = KINDS.flatMap((kind) => [`${kind}admissionpolicies`, `${kind}admissionpolicybindings`]).join(",");
  await arena.allow("pat,vic,gwen,lil,nan,all", `create,get,list,update,patch,delete ${GROUP}:${every}`);
  await arena.create("/api/v1/namespaces", { metadata: { name: "vault" } });
  await arena.create("/api/v1/namespaces/vault/secrets", jewel("jewel"));
  await arena.create("/api/v1/namespaces/default/secrets", jewel("jewel"));
  await arena.allowIn("vault", "vic", "get,list secrets");
  await arena.allow("gwen", "get secrets");
  await arena.allow("lil", "list secrets");
  await arena.allow("nan", "get secrets jewel");
  await arena.allow("all", "get,list *:*");
  for (const kind of KINDS) {
    await arena.create(policies(kind), policy(kind, "of-secrets", SECRET));
    await arena.create(policies(kind), policy(kind, "of-maps", MAP));
    await arena.create(policies(kind), policy(kind, "of-later", UNSERVED));
    await arena.create(policies(kind), policy(kind, "plain"));
    await arena.create(bindings(kind), binding(kind, "bound", "of-secrets", { name: "none", namespace: "vault" }));
    await arena.create(bindings(kind), binding(kind, "unbound", "of-secrets"));
  }
});

afterAll(() => arena[Symbol.asyncDispose]());

interface Cause {
  readonly reason: string;
  readonly field: string;
  readonly message: string;
}

/** The field and the text of the one cause of an answer. */
function causeOf({
  text,
}: Received): readonly [reason: string | undefined, field: string | undefined, message: string] {
  const { details } = JSON.parse(text) as { details?: { causes?: readonly Cause[] } };
  const causes = details?.causes ?? [];
  expect(causes, text).toHaveLength(1);
  // The digest of the user's certificate is another one in each run.
  const message = String(causes[0]?.message).replace(/map\[authentication\S+\]\]/, "map[...]");
  return [causes[0]?.reason, causes[0]?.field, message];
}

const who = (name: string): string => `user &{${name}  [system:authenticated] map[...]}`;
const KIND_REFUSED = (name: string, { kind, apiVersion }: { kind: string; apiVersion: string }): string =>
  `Forbidden: ${who(name)} must have "get" permission on all objects of the referenced paramKind (kind=${kind}, apiVersion=${apiVersion})`;
const REF_REFUSED = (name: string, verb: string): string =>
  `Forbidden: ${who(name)} does not have "${verb}" permission on the object referenced by paramRef`;
const UNKNOWN = (why: string, name: string, verb: string): string =>
  `Forbidden: unable to ${why} to determine minimum required permissions and ${who(name)} does not have "${verb}" permission for all groups, versions and resources`;

const typed = (kind: PolicyKind, what: "Policy" | "PolicyBinding", object: JsonObject): JsonObject => ({
  apiVersion: `${GROUP}/v1`,
  kind: `${kind === "validating" ? "Validating" : "Mutating"}Admission${what}`,
  ...object,
});

describe.each(KINDS)("only a user who may read the paramKind may write a %s policy", (kind) => {
  const path = policies(kind);
  const secret = (name: string): string => KIND_REFUSED(name, SECRET);
  const rows: readonly (readonly [...Try, string])[] = [
    ["created", "pat", `POST ${path}`, "422 Invalid", policy(kind, "p", SECRET), {}, secret("pat")],
    ["in dry run", "pat", `POST ${path}?dryRun=All`, "422 Invalid", policy(kind, "p", SECRET), {}, secret("pat")],
    [
      "by one that may read a namespace",
      "vic",
      `POST ${path}`,
      "422 Invalid",
      policy(kind, "p", SECRET),
      {},
      secret("vic"),
    ],
    ["by one that may list", "lil", `POST ${path}`, "422 Invalid", policy(kind, "p", SECRET), {}, secret("lil")],
    [
      "by one that may get one by its name",
      "nan",
      `POST ${path}`,
      "422 Invalid",
      policy(kind, "p", SECRET),
      {},
      secret("nan"),
    ],
    [
      "of a kind that is not served yet",
      "gwen",
      `POST ${path}`,
      "422 Invalid",
      policy(kind, "p", UNSERVED),
      {},
      KIND_REFUSED("gwen", UNSERVED),
    ],
    [
      "of a generated name",
      "pat",
      `POST ${path}`,
      "422 Invalid",
      { ...policy(kind, "", SECRET), metadata: { generateName: "p-" } },
      {},
      secret("pat"),
    ],
    [
      "created by an apply",
      "pat",
      `PATCH ${path}/p?fieldManager=m`,
      "422 Invalid",
      typed(kind, "Policy", policy(kind, "p", SECRET)),
      { type: APPLY },
      secret("pat"),
    ],
    [
      "changed to by an apply",
      "pat",
      `PATCH ${path}/of-maps?fieldManager=m&force=true`,
      "422 Invalid",
      typed(kind, "Policy", policy(kind, "of-maps", SECRET)),
      { type: APPLY },
      secret("pat"),
    ],
    [
      "changed to by a merge patch",
      "pat",
      `PATCH ${path}/of-maps`,
      "422 Invalid",
      { spec: { paramKind: SECRET } },
      { type: MERGE },
      secret("pat"),
    ],
    [
      "given to a policy that had none",
      "pat",
      `PATCH ${path}/plain`,
      "422 Invalid",
      { spec: { paramKind: SECRET } },
      { type: STRATEGIC },
      secret("pat"),
    ],
    [
      "changed to by a JSON patch",
      "pat",
      `PATCH ${path}/of-maps`,
      "422 Invalid",
      [{ op: "replace", path: "/spec/paramKind/kind", value: "Secret" }],
      { type: JSON_PATCH },
      secret("pat"),
    ],
    [
      "changed from one that is not served",
      "pat",
      `PATCH ${path}/of-later`,
      "422 Invalid",
      { spec: { paramKind: SECRET } },
      { type: MERGE },
      secret("pat"),
    ],
  ];
  test.each(rows.map((row) => ({ title: row[0], row })))("$title", async ({ row }) => {
    const answer = await arena.attempt([row[0], row[1], row[2], row[3], row[4], row[5] ?? {}]);
    expect(causeOf(answer)).toEqual(["FieldValueForbidden", "spec.paramKind", row[6]]);
  });

  test("by such a user, by the administrator, or by any user who changes something else", async () => {
    const at = { method: "POST", path: `${path}?dryRun=All`, body: policy(kind, "p", SECRET) };
    expect((await arena.send("gwen", at)).status).toBe(201);
    expect((await arena.send("lord,system:masters", at)).status).toBe(201);
    expect((await arena.send("all", { ...at, body: policy(kind, "p", UNSERVED) })).status).toBe(201);
    for (const body of [{ metadata: { labels: { a: "b" } } }, { spec: { failurePolicy: "Ignore" } }]) {
      const changed = { method: "PATCH", path: `${path}/of-secrets?dryRun=All`, body, type: MERGE };
      expect((await arena.send("pat", changed)).status).toBe(200);
    }
    const without = { method: "POST", path: `${path}?dryRun=All`, body: policy(kind, "p") };
    expect((await arena.send("pat", without)).status).toBe(201);
  });

  test("and an invalid policy is refused for its faults, without a word about rights", async () => {
    const body = policy(kind, "p", SECRET);
    const spec = { ...(isJsonObject(body["spec"]) ? body["spec"] : {}), failurePolicy: "Perhaps" };
    const answer = await arena.send("pat", { method: "POST", path, body: { ...body, spec } });
    expect(causeOf(answer).slice(0, 2)).toEqual(["FieldValueNotSupported", "spec.failurePolicy"]);
  });
});

describe.each(KINDS)("only a user who may read its parameters may bind a %s policy", (kind) => {
  const path = bindings(kind);
  const to = (paramRef: object, policyName = "of-secrets"): JsonObject => binding(kind, "b", policyName, paramRef);
  const named = (name: string): string => REF_REFUSED(name, "get");
  const selected = (name: string): string => REF_REFUSED(name, "list");
  const rows: readonly (readonly [...Try, string])[] = [
    ["by name", "pat", `POST ${path}`, "422 Invalid", to(BY_NAME), {}, named("pat")],
    ["by name in the request's namespace", "pat", `POST ${path}`, "422 Invalid", to(BY_NAME_ALONE), {}, named("pat")],
    ["by selector", "pat", `POST ${path}`, "422 Invalid", to(BY_SELECTOR), {}, selected("pat")],
    ["by selector in all namespaces", "pat", `POST ${path}`, "422 Invalid", to(BY_SELECTOR_ALONE), {}, selected("pat")],
    ["in dry run", "pat", `POST ${path}?dryRun=All`, "422 Invalid", to(BY_NAME), {}, named("pat")],
    [
      "by one that may read its namespace, in another",
      "vic",
      `POST ${path}`,
      "422 Invalid",
      to({ ...BY_NAME, namespace: "default" }),
      {},
      named("vic"),
    ],
    [
      "by one that may read one namespace, in all",
      "vic",
      `POST ${path}`,
      "422 Invalid",
      to(BY_NAME_ALONE),
      {},
      named("vic"),
    ],
    ["by one that may get, by selector", "gwen", `POST ${path}`, "422 Invalid", to(BY_SELECTOR), {}, selected("gwen")],
    ["by one that may list, by name", "lil", `POST ${path}`, "422 Invalid", to(BY_NAME), {}, named("lil")],
    [
      "by one that may get one by its name, another",
      "nan",
      `POST ${path}`,
      "422 Invalid",
      to({ name: "other", namespace: "vault" }),
      {},
      named("nan"),
    ],
    [
      "of a policy that is not there yet",
      "gwen",
      `POST ${path}`,
      "422 Invalid",
      to(BY_NAME, "later"),
      {},
      UNKNOWN("get policy later", "gwen", "get"),
    ],
    ["of a policy without parameters", "gwen", `POST ${path}`, "422 Invalid", to(BY_NAME, "plain"), {}, named("gwen")],
    [
      "of a policy whose kind is not served",
      "gwen",
      `POST ${path}`,
      "422 Invalid",
      to(BY_SELECTOR, "of-later"),
      {},
      UNKNOWN("resolve paramKind &{later.example.com/v1 Later}", "gwen", "list"),
    ],
    [
      "of the namesake policy of the other type",
      "pat",
      `POST ${path}`,
      "422 Invalid",
      to(BY_NAME, "of-maps"),
      {},
      named("pat"),
    ],
    [
      "created by an apply",
      "pat",
      `PATCH ${path}/b?fieldManager=m`,
      "422 Invalid",
      typed(kind, "PolicyBinding", to(BY_NAME)),
      { type: APPLY },
      named("pat"),
    ],
    [
      "given to a binding that had none",
      "pat",
      `PATCH ${path}/unbound`,
      "422 Invalid",
      { spec: { paramRef: { ...BY_NAME, parameterNotFoundAction: "Deny" } } },
      { type: MERGE },
      named("pat"),
    ],
    [
      "another name by a JSON patch",
      "pat",
      `PATCH ${path}/bound`,
      "422 Invalid",
      [{ op: "replace", path: "/spec/paramRef/name", value: "jewel" }],
      { type: JSON_PATCH },
      named("pat"),
    ],
    [
      "another namespace",
      "pat",
      `PATCH ${path}/bound`,
      "422 Invalid",
      { spec: { paramRef: { namespace: "default" } } },
      { type: STRATEGIC },
      named("pat"),
    ],
    [
      "a selector instead of the name",
      "pat",
      `PATCH ${path}/bound`,
      "422 Invalid",
      { spec: { paramRef: { name: null, selector: {} } } },
      { type: MERGE },
      selected("pat"),
    ],
    [
      "another policy",
      "pat",
      `PATCH ${path}/bound`,
      "422 Invalid",
      { spec: { policyName: "of-maps" } },
      { type: MERGE },
      named("pat"),
    ],
  ];
  test.each(rows.map((row) => ({ title: row[0], row })))("$title", async ({ row }) => {
    const answer = await arena.attempt([row[0], row[1], row[2], row[3], row[4], row[5] ?? {}]);
    expect(causeOf(answer)).toEqual(["FieldValueForbidden", "spec.paramRef", row[6]]);
  });

  test("by such a user, by the administrator, or by any user who changes something else", async () => {
    const create = (who: string, body: JsonObject): Promise<Received> =>
      arena.send(who, { method: "POST", path: `${path}?dryRun=All`, body });
    for (const [user, body] of [
      ["vic", to(BY_NAME)],
      ["vic", to(BY_SELECTOR)],
      ["nan", to(BY_NAME_ALONE)],
      ["gwen", to(BY_NAME_ALONE)],
      ["lil", to(BY_SELECTOR_ALONE)],
      ["all", to(BY_NAME, "later")],
      ["all", to(BY_SELECTOR, "plain")],
      ["lord,system:masters", to(BY_NAME, "later")],
      ["pat", binding(kind, "b", "of-secrets")],
    ] as const) {
      const { status, text } = await create(user, body);
      expect(status, `${user}: ${text}`).toBe(201);
    }
    for (const body of [
      { metadata: { labels: { a: "b" } } },
      { spec: { matchResources: { resourceRules: [MAPS_RULE] } } },
      { spec: { paramRef: null } },
    ]) {
      const changed = { method: "PATCH", path: `${path}/bound?dryRun=All`, body, type: MERGE };
      const { status, text } = await arena.send("pat", changed);
      expect(status, text).toBe(200);
    }
  });
});

test("the tests of policy parameters in this file caused no reported error", () => {
  expect(arena.faults).toEqual([]);
});
