import { describe, expect, test } from "vitest";
import type { Service } from "../../../src/api/types/core/v1.js";
import type { Endpoint, EndpointSlice } from "../../../src/api/types/discovery/v1.js";
import { systemRandom } from "../../../src/base/numbers/random.js";
import { ServiceRoutes } from "../../../src/node/network/service-routes.js";

const PORT = { name: "http", port: 80 };
const CLIENT = { ip: "10.244.0.9", node: "node-1" };
const endpoint = (address: string, more: Partial<Endpoint> = {}): Endpoint => ({ addresses: [address], ...more });
const slices = (endpoints: readonly Endpoint[]): readonly EndpointSlice[] => [
  {
    addressType: "IPv4",
    metadata: {},
    endpoints: [...endpoints],
    ports: [{ name: "http", port: 8080, protocol: "TCP" }],
  } as EndpointSlice,
];
const service = (spec: Service["spec"] = {}): Service => ({ metadata: { uid: "u" }, spec });

function routes() {
  let now = 0;
  const made = new ServiceRoutes({ now: () => now }, systemRandom);
  return { made, pass: (seconds: number) => void (now += seconds * 1000) };
}

/** All that many connections are led to. */
function chosen(given: Service, endpoints: readonly Endpoint[], client = CLIENT): ReadonlySet<unknown> {
  const { made } = routes();
  return new Set(
    Array.from({ length: 200 }, () => {
      const route = made.choose(given, PORT, slices(endpoints), client);
      return typeof route === "string" ? route : `${route.address}:${route.port}`;
    }),
  );
}

describe("a connection from a pod to a Service", () => {
  test("goes to any ready endpoint, at the port of its slice", () => {
    const endpoints = [
      endpoint("10.244.0.2"),
      endpoint("10.244.0.3"),
      endpoint("10.244.0.4", { conditions: { ready: false } }),
    ];
    expect(chosen(service(), endpoints)).toEqual(new Set(["10.244.0.2:8080", "10.244.0.3:8080"]));
  });

  test("goes to terminating endpoints that still serve while none is ready", () => {
    const ending = { ready: false, serving: true, terminating: true };
    const endpoints = [
      endpoint("10.244.0.2", { conditions: ending }),
      endpoint("10.244.0.3", { conditions: { ready: false } }),
    ];
    expect(chosen(service(), endpoints)).toEqual(new Set(["10.244.0.2:8080"]));
  });

  test("is refused without endpoints", () => expect(chosen(service(), [])).toEqual(new Set(["refused"])));

  test("stays on the client's node with internalTrafficPolicy Local, and is dropped when that node has no endpoint", () => {
    const endpoints = [endpoint("10.244.0.2", { nodeName: "node-1" }), endpoint("10.244.1.2", { nodeName: "node-2" })];
    const local = service({ internalTrafficPolicy: "Local" });
    expect(chosen(local, endpoints)).toEqual(new Set(["10.244.0.2:8080"]));
    expect(chosen(local, endpoints, { ...CLIENT, node: "node-3" })).toEqual(new Set(["dropped"]));
  });

  test("goes with sessionAffinity to the same endpoint, until the client has been silent for too long", () => {
    const { made, pass } = routes();
    const endpoints = slices(Array.from({ length: 50 }, (_, index) => endpoint(`10.244.0.${index + 2}`)));
    const sticky = service({
      sessionAffinity: "ClientIP",
      sessionAffinityConfig: { clientIP: { timeoutSeconds: 10 } },
    });
    const choose = () => JSON.stringify(made.choose(sticky, PORT, endpoints, CLIENT));
    const first = choose();
    const repeated = Array.from({ length: 50 }, () => {
      pass(9);
      return choose();
    });
    expect(new Set(repeated)).toEqual(new Set([first]));
    const later = Array.from({ length: 50 }, () => {
      pass(11);
      return choose();
    });
    expect(new Set(later).size).toBeGreaterThan(1);
  });
});
