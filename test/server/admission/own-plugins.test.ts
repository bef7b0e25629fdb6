import { afterAll, beforeAll, expect, test } from "vitest";
import type { RunningServer } from "../../../src/cluster/running-server.js";
import { startServer } from "../../../src/cluster/start-server.js";
import { forbidden } from "../../../src/machinery/errors/status-error.js";
import type { AdmissionPlugin } from "../../../src/server/admission/plugin.js";
import { call } from "../../helpers/api-caller.js";
import { COLLECTION, GROUP, widgets } from "../api-registry/widgets.js";

const asked: string[] = [];

const setsOwner: AdmissionPlugin = {
  name: "SetsOwner",
  handles: (_, { resource }) => resource === "widgets",
  admit({ object }) {
    if (object?.metadata !== undefined) object.metadata.labels = { ...object.metadata.labels, owner: "house" };
  },
  validate({ object, name, resource }) {
    if (object?.metadata?.labels?.["owner"] !== "house") throw forbidden(resource, name, "the owner was changed");
  },
};

const forgets: AdmissionPlugin = {
  name: "Forgets",
  handles: (_, { resource }) => resource === "widgets",
  admit({ object }) {
    if (object?.metadata?.name === "forgotten") object.metadata.labels = {};
  },
};

const toppingsAlone: AdmissionPlugin = {
  name: "ToppingsAlone",
  validate({ kind, name, resource }) {
    asked.push(`${kind.group} ${kind.kind}`);
    if (kind.group === "gadgets.example.com" && name === "bad") throw forbidden(resource, name, "not this one");
  },
};

const gadgets = {
  ...widgets,
  group: "gadgets.example.com",
  resource: "gadgets",
  kind: "Gadget",
  listKind: "GadgetList",
  singular: "gadget",
};

let server: RunningServer;
beforeAll(async () => {
  server = await startServer({
    port: false,
    resources: [widgets, gadgets],
    admission: { plugins: [{ plugin: setsOwner }, { plugin: forgets }, { plugin: toppingsAlone }] },
  });
});
afterAll(() => server.close());

const create = (path: string, apiVersion: string, kind: string, name: string) =>
  call(server.transport(), "POST", path, { apiVersion, kind, metadata: { name } });

test("A-ADM-07: an admission plugin can check in its validating phase that no later plugin has undone its change", async () => {
  const good = await create(COLLECTION, `${GROUP}/v1`, "Widget", "good");
  expect(good.at("metadata.labels")).toEqual({ owner: "house" });
  const undone = await create(COLLECTION, `${GROUP}/v1`, "Widget", "forgotten");
  expect([undone.status, undone.at("message")]).toEqual([
    403,
    'widgets.stable.example.com "forgotten" is forbidden: the owner was changed',
  ]);
});

test("A-ADM-08: an admission plugin that names no resources is called for all kinds, and may check the kind itself", async () => {
  asked.length = 0;
  const path = "/apis/gadgets.example.com/v1/namespaces/default/gadgets";
  expect((await create(COLLECTION, `${GROUP}/v1`, "Widget", "bad")).status).toBe(201);
  expect((await create(path, "gadgets.example.com/v1", "Gadget", "bad")).status).toBe(403);
  expect((await create(path, "gadgets.example.com/v1", "Gadget", "good")).status).toBe(201);
  expect(asked).toEqual([`${GROUP} Widget`, "gadgets.example.com Gadget", "gadgets.example.com Gadget"]);
});
