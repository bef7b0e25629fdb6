import { expect, test } from "vitest";
import { volumeExpander } from "../../../src/controllers/volume-expander/volume-expander.js";
import { objects } from "../../../src/machinery/meta/access.js";
import type { JsonObject } from "../../../src/machinery/meta/json.js";
import { call } from "../../helpers/api-caller.js";
import { eventually } from "../../helpers/eventually.js";
import { manualControllers } from "../../helpers/manual-controllers.js";

test("the volume expander expands a claim although its informer shows the volume's change after the claim's", async () => {
  const { api, pass, close } = await manualControllers(volumeExpander);
  const claims = "/api/v1/namespaces/default/persistentvolumeclaims";
  const spec = { accessModes: ["ReadWriteOnce"], volumeName: "own", storageClassName: "" };
  const asks = { resources: { requests: { storage: "3Gi" } } };
  const created = await call(api, "POST", claims, { metadata: { name: "stays" }, spec: { ...spec, ...asks } });
  const bound = {
    ...(JSON.parse(created.text) as JsonObject),
    status: { phase: "Bound", capacity: { storage: "2Gi" } },
  };
  expect((await call(api, "PUT", `${claims}/stays/status`, bound)).status).toBe(200);
  await pass(1000);
  await call(api, "POST", "/api/v1/persistentvolumes", {
    metadata: { name: "own" },
    spec: {
      accessModes: ["ReadWriteOnce"],
      capacity: { storage: "2Gi" },
      hostPath: { path: "/tmp/own" },
      claimRef: { namespace: "default", name: "stays", uid: created.at("metadata.uid") ?? null },
    },
  });
  await eventually(async () => {
    await pass(100);
    const events = await call(api, "GET", "/api/v1/namespaces/default/events");
    expect(objects(events.at("items")).map(({ reason }) => reason)).toEqual(["ExternalExpanding"]);
  });
  await close();
});
