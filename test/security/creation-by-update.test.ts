import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { APPLY, Arena, MERGE, tryAll } from "./arena.js";

const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";
const LEASES = "/apis/coordination.k8s.io/v1/namespaces/default/leases";
const REFUSED = "403 Forbidden";

let arena: Arena;

/** pat may change config maps and leases, and create none; cora may create them too; una may create config maps of one name alone. */
beforeAll(async () => {
  arena = await Arena.open();
  for (const name of ["there", "una"]) await arena.create(CONFIG_MAPS, { metadata: { name } });
  await arena.allow("pat,cora,una", "get,update,patch configmaps");
  await arena.allow("pat,cora", "get,update,patch coordination.k8s.io:leases");
  await arena.allow("cora", "create configmaps");
  await arena.allow("cora", "create coordination.k8s.io:leases");
  await arena.allow("una", "create configmaps own");
});
afterAll(() => arena[Symbol.asyncDispose]());

const configMap = (name: string) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { a: "b" } });
const lease = (name: string) => ({ apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: { name } });
const apply = { type: APPLY };

describe("an update that would create its object needs the right to create it: it is refused for", () => {
  tryAll(
    [
      [
        "an apply by who may only patch",
        "pat",
        `PATCH ${CONFIG_MAPS}/new?fieldManager=f`,
        REFUSED,
        configMap("new"),
        apply,
      ],
      ["an update by who may only update", "pat", `PUT ${LEASES}/new`, REFUSED, lease("new")],
      ["a dry run", "pat", `PATCH ${CONFIG_MAPS}/dry?fieldManager=f&dryRun=All`, REFUSED, configMap("dry"), apply],
      [
        "a merge patch of what is not there",
        "pat",
        `PATCH ${CONFIG_MAPS}/gone`,
        "404 NotFound",
        { data: {} },
        { type: MERGE },
      ],
      [
        "an apply of another name than may be created",
        "una",
        `PATCH ${CONFIG_MAPS}/other?fieldManager=f`,
        REFUSED,
        configMap("other"),
        apply,
      ],
    ],
    () => arena,
  );

  test.each([
    [
      "an apply to what is there",
      "pat",
      "PATCH",
      `${CONFIG_MAPS}/there?fieldManager=f`,
      configMap("there"),
      APPLY,
      200,
    ],
    ["a merge patch of what is there", "pat", "PATCH", `${CONFIG_MAPS}/there`, { data: { c: "d" } }, MERGE, 200],
    [
      "an apply by who may create",
      "cora",
      "PATCH",
      `${CONFIG_MAPS}/cora?fieldManager=f`,
      configMap("cora"),
      APPLY,
      201,
    ],
    ["an update by who may create", "cora", "PUT", `${LEASES}/cora`, lease("cora"), "application/json", 201],
    [
      "an apply of the one name that may be created",
      "una",
      "PATCH",
      `${CONFIG_MAPS}/own?fieldManager=f`,
      configMap("own"),
      APPLY,
      201,
    ],
  ])("but not for %s", async (_, who, method, path, body, type, expected) => {
    expect((await arena.send(who, { method, path, body, type })).status).toBe(expected);
  });

  test("the refusal names the object, in kube-apiserver's words, and nothing was created", async () => {
    const path = `${CONFIG_MAPS}/named?fieldManager=f`;
    const { text } = await arena.send("pat", { method: "PATCH", path, body: configMap("named"), type: APPLY });
    expect(JSON.parse(text)).toMatchObject({ reason: "Forbidden", message: 'configmaps "named" is forbidden: ' });
    const { status } = await arena.send("pat", { method: "GET", path: `${CONFIG_MAPS}/named` });
    expect(status).toBe(404);
  });
});
