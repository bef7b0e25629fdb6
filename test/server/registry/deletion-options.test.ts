import { describe, expect, test } from "vitest";
import { deferred } from "../../../src/base/async/deferred.js";
import { startServer } from "../../../src/cluster/start-server.js";
import { call } from "../../helpers/api-caller.js";
import { COLLECTION, widgets } from "../api-registry/widgets.js";

const widget = (name: string) => ({ apiVersion: "stable.example.com/v1", kind: "Widget", metadata: { name } });

describe("deleting a collection", () => {
  test("deletes as many objects at once as it has workers", async () => {
    let open = 0;
    let most = 0;
    const together = deferred<void>();
    const server = await startServer({
      port: false,
      resources: [widgets],
      deletion: { collectionWorkers: 3 },
      admission: {
        plugins: [
          {
            plugin: {
              name: "Gate",
              handles: (operation) => operation === "DELETE",
              async validate() {
                most = Math.max(most, ++open);
                if (open === 3) together.resolve();
                await together.promise;
                open -= 1;
              },
            },
          },
        ],
      },
    });
    const api = server.transport();
    for (const name of ["a", "b", "c", "d", "e"]) await call(api, "POST", COLLECTION, widget(name));
    expect((await call(api, "DELETE", COLLECTION)).status).toBe(200);
    expect(most).toBe(3);
    expect((await call(api, "GET", COLLECTION)).at("items")).toEqual([]);
    await server.close();
  });

  test("ends at the first failure, and leaves objects that no worker has begun", async () => {
    const server = await startServer({
      port: false,
      resources: [widgets],
      deletion: { collectionWorkers: 2 },
      admission: {
        plugins: [
          {
            plugin: {
              name: "Gate",
              handles: (operation) => operation === "DELETE",
              validate() {
                throw new Error("nothing is deleted here");
              },
            },
          },
        ],
      },
    });
    const api = server.transport();
    for (const name of ["a", "b", "c"]) await call(api, "POST", COLLECTION, widget(name));
    expect((await call(api, "DELETE", COLLECTION)).status).toBe(500);
    const left = (await call(api, "GET", COLLECTION)).at("items") as readonly unknown[];
    expect(left).toHaveLength(3);
    await server.close();
  });
});

describe("deleting an object with foreground propagation", () => {
  test.each([
    [true, 200, ["foregroundDeletion"]],
    [false, 404, undefined],
  ])("on a server with a garbage collector: %s", async (garbageCollector, status, finalizers) => {
    const server = await startServer({ port: false, resources: [widgets], deletion: { garbageCollector } });
    const api = server.transport();
    await call(api, "POST", COLLECTION, widget("a"));
    await call(api, "DELETE", `${COLLECTION}/a?propagationPolicy=Foreground`);
    const after = await call(api, "GET", `${COLLECTION}/a`);
    expect(after.status).toBe(status);
    expect(after.at("metadata.finalizers")).toEqual(finalizers);
    await server.close();
  });
});
