import { describe, expect, test } from "vitest";
import { forbidden } from "../../../src/machinery/errors/status-error.js";
import type { AdmissionAttributes } from "../../../src/server/admission/attributes.js";
import type { AdmissionPlugin } from "../../../src/server/admission/plugin.js";
import { builtinRecords } from "../../../src/server/builtin/index.js";
import { recordId } from "../../../src/server/endpoints/resource-record.js";
import type { Connecter } from "../../../src/server/registry/resource.js";
import { respondText } from "../../../src/server/request/respond.js";
import { call } from "../../helpers/api-caller.js";
import { admittingServer } from "../../helpers/admitting-server.js";

/** An exec that says it was reached. */
const exec: Connecter = {
  connectMethods: ["GET", "POST"],
  hasSubpath: false,
  connect: () => Promise.resolve((request) => respondText(request, 200, "connected")),
};

const records = builtinRecords.map((record) =>
  recordId(record) === "/pods" ? { ...record, subresources: { exec: { connecter: () => exec } } } : record,
);

async function connect(plugins: readonly AdmissionPlugin[]): Promise<{ status: number; text: string }> {
  await using server = await admittingServer({ plugins: plugins.map((plugin) => ({ plugin })) }, undefined, records);
  return await call(
    server.api,
    "POST",
    "/api/v1/namespaces/default/pods/web/exec?command=sh&command=-l&tty=true&container=c",
  );
}

describe("a connection (exec, attach, proxy)", () => {
  test("passes both admission phases, with its options as the object", async () => {
    const seen: string[] = [];
    const record = (phase: string) => (attributes: AdmissionAttributes) => {
      const { operation, kind, resource, subresource, namespace, name, object, options } = attributes;
      const where = `${resource.resource}/${subresource} ${namespace}/${name}`;
      seen.push(`${phase} ${operation} ${kind.kind} ${where} ${JSON.stringify(object)} ${JSON.stringify(options)}`);
    };
    const recorder = { name: "Recorder", admit: record("admit"), validate: record("validate") };
    expect(await connect([recorder])).toMatchObject({ status: 200, text: "connected" });
    const sent = {
      kind: "PodExecOptions",
      apiVersion: "v1",
      tty: true,
      container: "c",
      command: ["sh", "-l"],
    };
    expect(seen).toEqual(
      ["admit", "validate"].map(
        (phase) => `${phase} CONNECT PodExecOptions pods/exec default/web ${JSON.stringify(sent)} undefined`,
      ),
    );
  });

  test("is refused when a plugin of either phase refuses it", async () => {
    const refuse = (): never => {
      throw forbidden({ group: "", resource: "pods" }, "web", "no");
    };
    for (const phases of [{ admit: refuse }, { validate: refuse }]) {
      const { status, text } = await connect([{ name: "Refuses", ...phases }]);
      expect(status).toBe(403);
      expect(JSON.parse(text)).toMatchObject({ message: 'pods "web" is forbidden: no' });
    }
  });
});
