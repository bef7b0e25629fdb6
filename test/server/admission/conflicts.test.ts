import { describe, expect, test } from "vitest";
import { object, text } from "../../../src/machinery/meta/access.js";
import type { KubeObject } from "../../../src/machinery/meta/object.js";
import type { AdmissionPlugin } from "../../../src/server/admission/plugin.js";
import { openMemoryKv } from "../../../src/server/storage/memory/memory-kv.js";
import { admittingServer, done } from "../../helpers/admitting-server.js";

const theirs = (found: KubeObject | undefined): string => text(object(found?.["data"])["theirs"]);

const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";
const APPLIED = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c" }, data: { mine: "1" } };

const writes: readonly (readonly [
  what: string,
  method: string,
  query: string,
  body: object | undefined,
  type: string,
])[] = [
  ["a PUT", "PUT", "", { metadata: { name: "c" }, data: { mine: "1" } }, "application/json"],
  ["a JSON patch", "PATCH", "", [{ op: "add", path: "/data/mine", value: "1" }], "application/json-patch+json"],
  ["a merge patch", "PATCH", "", { data: { mine: "1" } }, "application/merge-patch+json"],
  ["a strategic patch", "PATCH", "", { data: { mine: "1" } }, "application/strategic-merge-patch+json"],
  ["an apply", "PATCH", "?fieldManager=f", APPLIED, "application/apply-patch+yaml"],
  ["a delete", "DELETE", "", undefined, "application/json"],
];

describe("when another server changes the object during a request's admission,", () => {
  test.each(writes)("%s runs both admission phases again on the new object", async (_, method, query, body, type) => {
    const kv = openMemoryKv();
    await using other = await admittingServer({}, kv);
    const calls: string[] = [];
    let disturbed = 0;
    const seen: AdmissionPlugin = {
      name: "Seen",
      handles: (operation, { resource }) => operation !== "CREATE" && resource === "configmaps",
      admit({ oldObject }) {
        calls.push(`admit ${theirs(oldObject)}`);
      },
      async validate({ oldObject }) {
        calls.push(`validate ${theirs(oldObject)}`);
        if (disturbed++ > 0) return;
        const merge = "application/merge-patch+json";
        await done(other.api, "PATCH", `${CONFIG_MAPS}/c`, { data: { theirs: "2" } }, merge);
      },
    };
    await using server = await admittingServer({ plugins: [{ plugin: seen }] }, kv);
    await done(server.api, "POST", CONFIG_MAPS, { metadata: { name: "c" }, data: { theirs: "1" } });
    await done(server.api, method, `${CONFIG_MAPS}/c${query}`, body, type);
    expect(calls).toEqual(["admit 1", "validate 1", "admit 2", "validate 2"]);
    expect(server.faults).toEqual([]);
  });
});
