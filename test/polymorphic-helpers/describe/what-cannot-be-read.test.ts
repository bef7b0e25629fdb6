import { describe, expect, test } from "vitest";
import {
  type DescribeReader,
  type Describer,
  Description,
  describerOf,
} from "../../../src/polymorphic-helpers/describe/index.js";
import type { BuiltInKinds } from "../../../src/api/kinds/built-in-kinds.js";
import { forbidden, notFound } from "../../../src/machinery/errors/status-error.js";
import type { KubeObject } from "../../../src/machinery/meta/object.js";
import type { ReceivedObject } from "../../../src/machinery/meta/received.js";

/**
 * Holds a few objects by "Kind" or "group/version/Kind"; what it does not hold cannot be read, and a list that
 * nobody expected fails the test.
 */
function reader(held: Readonly<Record<string, KubeObject | readonly KubeObject[] | Error>>): DescribeReader {
  const find = (kind: string) => {
    const found = held[kind] ?? held[kind.slice(kind.lastIndexOf("/") + 1)];
    if (found === undefined) throw new Error(`nobody expected ${kind}`);
    if (found instanceof Error) throw found;
    return found;
  };
  return {
    get: async <Kind extends keyof BuiltInKinds>(kind: Kind) => find(kind) as ReceivedObject<BuiltInKinds[Kind]>,
    getAny: async ({ version, resource }) => find(`${version}/${resource}`) as KubeObject,
    list: async <Kind extends keyof BuiltInKinds>(kind: Kind) =>
      find(kind) as readonly ReceivedObject<BuiltInKinds[Kind]>[],
  };
}

async function described(kind: string, group: string, from: DescribeReader): Promise<string> {
  const describer: Describer | undefined = await describerOf({ group, kind });
  const description = new Description();
  await describer?.("default", "x", description, { reader: from, showEvents: true, now: 0, zoneName: () => "UTC" });
  return description.parts().join("");
}

const metadata = { name: "x", namespace: "default" };
const template = { metadata: {}, spec: { containers: [{ name: "c", image: "c" }] } };
const denied = forbidden({ group: "", resource: "pods" }, "", "no");

describe("when the server refuses related objects, describe prints", () => {
  test("for events, that there are none", async () => {
    const text = await described("Pod", "", reader({ Pod: { metadata }, Event: denied }));
    expect(text).toMatch(/Events:\t<none>\n$/);
  });

  test("for pods of a ReplicaSet, the reason", async () => {
    const replicaSet = { metadata, spec: { selector: { matchLabels: { a: "b" } }, template } };
    const text = await described("ReplicaSet", "apps", reader({ ReplicaSet: replicaSet, Pod: denied, Event: [] }));
    expect(text).toContain(`Pods Status:\terror in fetching pods: ${denied.message}\n`);
  });

  test("for pods of a StatefulSet, nothing", async () => {
    const set = { metadata, spec: { selector: { matchLabels: { a: "b" } }, template } };
    await expect(described("StatefulSet", "apps", reader({ StatefulSet: set, Pod: denied }))).rejects.toBe(denied);
  });

  test("for ReplicaSets of a Deployment, as if there were none", async () => {
    const deployment = { metadata, spec: { selector: { matchLabels: { a: "b" } }, template } };
    const from = reader({ Deployment: deployment, ReplicaSet: denied, Event: [] });
    expect(await described("Deployment", "apps", from)).not.toContain("ReplicaSet:");
  });

  test("for pods on a node, that the user may not see them", async () => {
    const from = reader({
      Node: { metadata: { name: "x" } },
      Pod: denied,
      Event: [],
      ResourceSlice: denied,
      Lease: notFound({ group: "coordination.k8s.io", resource: "leases" }, "x"),
    });
    const text = await described("Node", "", from);
    expect(text).toContain('Lease:\tFailed to get lease: leases.coordination.k8s.io "x" not found\n');
    expect(text).toContain("Pods:\tnot authorized\n");
    expect(text).not.toContain("ResourceSlices");
  });

  test("for pods on a node with another error, nothing", async () => {
    const broken = new Error("broken");
    const from = reader({ Node: { metadata: { name: "x" } }, Pod: broken });
    await expect(described("Node", "", from)).rejects.toBe(broken);
  });

  test("for quotas and limits that the server does not have, nothing", async () => {
    const unknown = notFound({ group: "", resource: "resourcequotas" }, "");
    const namespace = { metadata: { name: "x" }, status: { phase: "Active" } };
    const from = reader({ Namespace: namespace, ResourceQuota: unknown, LimitRange: [] });
    expect(await described("Namespace", "", from)).toMatch(/Status:\tActive\n\nNo LimitRange resource\.\n$/);
    const other = reader({ Namespace: namespace, ResourceQuota: [], LimitRange: unknown });
    expect(await described("Namespace", "", other)).toMatch(/Status:\tActive\n\nNo resource quota\.\n$/);
  });

  test("for quotas of a namespace that the user may not see, nothing", async () => {
    const from = reader({ Namespace: { metadata: { name: "x" } }, ResourceQuota: denied });
    await expect(described("Namespace", "", from)).rejects.toBe(denied);
  });

  test("for an unreadable certificate request, the reason", async () => {
    const from = reader({ CertificateSigningRequest: { metadata: { name: "x" }, spec: { request: "" } }, Event: [] });
    await expect(described("CertificateSigningRequest", "certificates.k8s.io", from)).rejects.toThrow(
      "Error parsing CSR: PEM block type must be CERTIFICATE REQUEST",
    );
  });

  test("for autoscaling/v2, what v1 has", async () => {
    const from = reader({
      "autoscaling/v2/HorizontalPodAutoscaler": new Error("not served"),
      "autoscaling/v1/HorizontalPodAutoscaler": {
        metadata,
        spec: {
          scaleTargetRef: { kind: "Deployment", name: "web" },
          maxReplicas: 3,
          targetCPUUtilizationPercentage: 80,
        },
        status: { currentReplicas: 2, desiredReplicas: 3, currentCPUUtilizationPercentage: 90 },
      },
      Event: [],
    });
    const text = await described("HorizontalPodAutoscaler", "autoscaling", from);
    expect(text).toContain("Reference:\tDeployment/web\nTarget CPU utilization:\t80%\nCurrent CPU utilization:\t90%\n");
    expect(text).toContain("Min replicas:\t<unset>\nMax replicas:\t3\nDeployment pods:\t2 current / 3 desired\n");
    expect(text).not.toContain("Metrics");
  });

  test("for both versions of autoscaling, the error of v1", async () => {
    const [second, first] = [new Error("v2"), new Error("v1")];
    const from = reader({
      "autoscaling/v2/HorizontalPodAutoscaler": second,
      "autoscaling/v1/HorizontalPodAutoscaler": first,
    });
    await expect(described("HorizontalPodAutoscaler", "autoscaling", from)).rejects.toBe(first);
  });

  test("for EndpointSlices of a Service, as if there were none", async () => {
    const service = { metadata, spec: { ports: [{ port: 80, protocol: "TCP" }] } };
    const text = await described("Service", "", reader({ Service: service, EndpointSlice: denied, Event: [] }));
    expect(text).toContain("Endpoints:\t<none>\n");
  });

  test("for EndpointSlices of an Ingress backend, the reason", async () => {
    const ingress = { metadata, spec: { defaultBackend: { service: { name: "web", port: { number: 80 } } } } };
    const from = reader({ Ingress: ingress, EndpointSlice: denied, Event: [] });
    const text = await described("Ingress", "networking.k8s.io", from);
    expect(text).toContain(`Default backend:\tweb:80 (<error: ${denied.message}>)\n`);
  });

  test.each([
    ["ServiceCIDR", { cidrs: ["10.0.0.0/24"] }, "CIDRs:\t10.0.0.0/24\n"],
    [
      "IPAddress",
      { parentRef: { resource: "services", namespace: "default", name: "web" } },
      "Parent Reference:\n  Group:\t\n  Resource:\tservices\n  Namespace:\tdefault\n  Name:\tweb\n",
    ],
  ])("for %s of v1, what v1beta1 has, or the reason", async (kind, spec, expected) => {
    const [first, second] = [new Error("v1"), new Error("v1beta1")];
    const from = reader({
      [`networking.k8s.io/v1/${kind}`]: first,
      [`v1beta1/${kind.toLowerCase()}${kind === "IPAddress" ? "es" : "s"}`]: { metadata, spec },
      Event: [],
    });
    const text = await described(kind, "networking.k8s.io", from);
    expect(text).toBe(`Name:\tx\nLabels:\t<none>\nAnnotations:\t<none>\n${expected}Events:\t<none>\n`);
    const neither = reader({
      [`networking.k8s.io/v1/${kind}`]: first,
      [`v1beta1/${kind.toLowerCase()}${kind === "IPAddress" ? "es" : "s"}`]: second,
    });
    await expect(described(kind, "networking.k8s.io", neither)).rejects.toBe(second);
  });
});

test("describe prints for a dual-stack Service an address of each family", async () => {
  const spec = { ipFamilies: ["IPv6", "IPv4"], clusterIP: "fd00::1", clusterIPs: ["fd00::1", "10.0.0.1"] };
  const text = await described("Service", "", reader({ Service: { metadata, spec }, EndpointSlice: [], Event: [] }));
  expect(text).toContain("IP Families:\tIPv6,IPv4\nIP:\tfd00::1\nIPs:\tfd00::1,10.0.0.1\n");
});

test("describe derives a pod's QoS class from its spec when the status lacks it", async () => {
  const limits = { cpu: "1", memory: "1Gi" };
  const quality = async (spec: object): Promise<string | undefined> => {
    const text = await described("Pod", "", reader({ Pod: { metadata, spec }, Event: [] }));
    return /QoS Class:\t(\w+)/.exec(text)?.[1];
  };
  expect(await quality({ containers: [{ name: "c" }] })).toBe("BestEffort");
  expect(await quality({ containers: [{ name: "c", resources: { limits } }] })).toBe("Burstable");
  const all = { limits, requests: limits };
  expect(await quality({ containers: [{ name: "c", resources: all }] })).toBe("Guaranteed");
  expect(await quality({ containers: [{ name: "c", resources: all }, { name: "d" }] })).toBe("Burstable");
  expect(await quality({ resources: all, containers: [{ name: "c" }] })).toBe("Guaranteed");
  expect(await quality({ resources: { requests: limits }, containers: [{ name: "c", resources: all }] })).toBe(
    "Burstable",
  );
});

test("describe prints no line break after a missing part of a pod template, as kubectl", async () => {
  const controller = { metadata, spec: { replicas: 1, selector: { a: "b" } } };
  const text = await described(
    "ReplicationController",
    "",
    reader({ ReplicationController: controller, Pod: [], Event: [] }),
  );
  expect(text).toContain("Pod Template:\n  <unset>Events:\t<none>\n");
});
