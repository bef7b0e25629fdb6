import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { endpointSliceController } from "../../../src/controllers/endpoint-slice/endpoint-slice-controller.js";
import { mirroringController } from "../../../src/controllers/endpoint-slice-mirroring/mirroring-controller.js";
import { endpointsController } from "../../../src/controllers/endpoints/endpoints-controller.js";
import { object, objects, text } from "../../../src/machinery/meta/access.js";
import type { JsonObject } from "../../../src/machinery/meta/json.js";
import { call } from "../../helpers/api-caller.js";
import { eventually } from "../../helpers/eventually.js";
import { type ManualControllers, manualControllers } from "../../helpers/manual-controllers.js";

let run: ManualControllers;

const CORE = "/api/v1/namespaces/default";
const SLICES = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices";

const create = async (path: string, body: JsonObject) => {
  const answer = await call(run.api, "POST", path, body);
  expect(answer.status, answer.text).toBe(201);
};
const patch = async (path: string, body: JsonObject) => {
  const answer = await call(run.api, "PATCH", path, body, { type: "application/merge-patch+json" });
  expect(answer.status, answer.text).toBe(200);
};
const slicesOf = async (service: string) =>
  objects(
    (await call(run.api, "GET", `${SLICES}?labelSelector=kubernetes.io%2Fservice-name%3D${service}`)).at("items"),
  );
const addressesIn = async (service: string) =>
  (await slicesOf(service)).flatMap(({ endpoints }) =>
    objects(endpoints).map(
      (one) => `${String((one["addresses"] as string[])[0])} ${String(object(one["conditions"])["ready"])}`,
    ),
  );
const subsetsIn = async (service: string) =>
  objects((await call(run.api, "GET", `${CORE}/endpoints/${service}`)).at("subsets")).map(
    ({ addresses, notReadyAddresses }) =>
      [addresses, notReadyAddresses].map((list) =>
        objects(list)
          .map(({ ip }) => text(ip))
          .join(),
      ),
  );
const podStatus = (ip: string, ready: boolean) => ({
  status: {
    phase: "Running",
    podIP: ip,
    podIPs: [{ ip }],
    conditions: [{ type: "Ready", status: ready ? "True" : "False", lastTransitionTime: "2026-01-01T00:00:00Z" }],
  },
});
const pod = async (name: string, ip: string) => {
  const spec = { nodeName: "one", containers: [{ name: "c", image: "i" }] };
  await create(`${CORE}/pods`, { metadata: { name, labels: { app: "web" } }, spec });
  await patch(`${CORE}/pods/${name}/status`, podStatus(ip, true));
};

beforeAll(async () => {
  run = await manualControllers(endpointsController, endpointSliceController, mirroringController);
  await create("/api/v1/nodes", { metadata: { name: "one", labels: { "topology.kubernetes.io/zone": "east" } } });
});

afterAll(() => run.close());

/** Checks until it holds. Time passes meanwhile: what met a change of another is tried again later. */
const settled = (check: () => Promise<void>): Promise<void> =>
  eventually(async () => {
    await run.pass(1000);
    await check();
  });

describe("Endpoints on a server with controllers", () => {
  test("follow the pods that a service selects", async () => {
    await create(`${CORE}/services`, {
      metadata: { name: "web" },
      spec: { selector: { app: "web" }, ports: [{ port: 80 }] },
    });
    await settled(async () => expect(await slicesOf("web")).toMatchObject([{ endpoints: [], addressType: "IPv4" }]));
    expect(await subsetsIn("web")).toEqual([]);
    await pod("a", "10.0.0.1");
    await pod("b", "10.0.0.2");
    await settled(async () => {
      expect(await addressesIn("web")).toEqual(["10.0.0.1 true", "10.0.0.2 true"]);
      expect(await subsetsIn("web")).toEqual([["10.0.0.1,10.0.0.2", ""]]);
    });
    await patch(`${CORE}/pods/a/status`, podStatus("10.0.0.1", false));
    await settled(async () => {
      expect(await addressesIn("web")).toEqual(["10.0.0.1 false", "10.0.0.2 true"]);
      expect(await subsetsIn("web")).toEqual([["10.0.0.2", "10.0.0.1"]]);
    });
    await patch(`${CORE}/pods/a`, { metadata: { labels: { app: "other" } } });
    await settled(async () => expect(await addressesIn("web")).toEqual(["10.0.0.2 true"]));
    const [slice] = await slicesOf("web");
    expect(object(slice?.["metadata"])["generateName"]).toBe("web-");
    expect(objects(slice?.["endpoints"])[0]).toMatchObject({
      zone: "east",
      nodeName: "one",
      targetRef: { kind: "Pod", name: "b" },
    });
  });

  test("are restored when another client changes or deletes them", async () => {
    const [slice] = await slicesOf("web");
    const name = text(object(slice?.["metadata"])["name"]);
    await patch(`${SLICES}/${name}`, { endpoints: [] });
    await settled(async () => expect(await addressesIn("web")).toEqual(["10.0.0.2 true"]));
    await call(run.api, "DELETE", `${SLICES}/${name}`);
    await call(run.api, "DELETE", `${CORE}/endpoints/web`);
    await settled(async () => {
      expect(await addressesIn("web")).toEqual(["10.0.0.2 true"]);
      expect(await subsetsIn("web")).toEqual([["10.0.0.2", ""]]);
    });
  });

  test("that a user writes are left alone, mirrored into slices, and deleted with their service", async () => {
    const subsets = [{ addresses: [{ ip: "192.0.2.1" }], ports: [{ port: 5432 }] }];
    await create(`${CORE}/endpoints`, { metadata: { name: "db", labels: { a: "b" } }, subsets });
    await create(`${CORE}/services`, { metadata: { name: "db" }, spec: { ports: [{ port: 5432 }] } });
    await settled(async () => expect(await addressesIn("db")).toEqual(["192.0.2.1 true"]));
    await patch(`${CORE}/endpoints/db`, { subsets: [{ addresses: [{ ip: "192.0.2.2" }], ports: [{ port: 5432 }] }] });
    await settled(async () => expect(await addressesIn("db")).toEqual(["192.0.2.2 true"]));
    expect(object((await slicesOf("db"))[0]?.["metadata"])["labels"]).toMatchObject({ a: "b" });
    await call(run.api, "DELETE", `${CORE}/services/db`);
    await settled(async () => {
      expect((await call(run.api, "GET", `${CORE}/endpoints/db`)).status).toBe(404);
      expect(await slicesOf("db")).toEqual([]);
    });
  });

  test("of the Service kubernetes are left alone", async () => {
    const { labels } = object((await slicesOf("kubernetes"))[0]?.["metadata"]);
    expect(object(labels)["endpointslice.kubernetes.io/managed-by"]).toBeUndefined();
    expect(await slicesOf("kubernetes")).toHaveLength(1);
    expect(run.problems).toEqual([]);
  });
});
