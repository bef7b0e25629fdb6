import { describe, expect, test } from "vitest";
import { allScheme } from "../../../src/api/scheme/all.js";
import { bothWays, type ConversionRow, testConversions, testDefaults, wire } from "../../helpers/wire-conversions.js";

// Expectations: kubernetes' pkg/apis/discovery/v1beta1/{conversion,defaults}.go, events/v1beta1/conversion.go,
// flowcontrol/{v1,v1beta1,v1beta2,v1beta3}/{conversion,defaults}.go, node/v1alpha1/conversion.go, storage/v1beta1/defaults.go,
// kube-aggregator's apiregistration/v1beta1/defaults.go; k8s.io/api's types where versions have the same fields.

const metadata = { name: "x", annotations: { mine: "1" } };

describe("converting EndpointSlices from discovery v1beta1", () => {
  const ZONE = "topology.kubernetes.io/zone";
  const HOST = "kubernetes.io/hostname";
  const slice = (endpoint: object) => ({
    metadata,
    addressType: "IPv4",
    endpoints: [{ addresses: ["10.0.0.1"], ...endpoint }],
    ports: [],
  });
  const row = (name: string, input: object, expected: object): ConversionRow => ({
    name,
    kind: "EndpointSlice",
    from: "discovery.k8s.io/v1beta1",
    to: "discovery.k8s.io/v1",
    input: slice(input),
    expected: slice(expected),
  });
  const back = (name: string, input: object, expected: object): ConversionRow => ({
    ...row(name, input, expected),
    from: "discovery.k8s.io/v1",
    to: "discovery.k8s.io/v1beta1",
  });
  testConversions([
    ...bothWays(
      row(
        "zone, host and the rest",
        { nodeName: "n", topology: { [ZONE]: "z", [HOST]: "n", rack: "7" } },
        { nodeName: "n", zone: "z", deprecatedTopology: { rack: "7" } },
      ),
    ),
    row("a host name is the node's", { topology: { [HOST]: "n" } }, { nodeName: "n" }),
    back("and is both on the way back", { nodeName: "n" }, { nodeName: "n", topology: { [HOST]: "n" } }),
    ...bothWays(
      row(
        "another host name stays",
        { nodeName: "n", topology: { [HOST]: "m" } },
        { nodeName: "n", deprecatedTopology: { [HOST]: "m" } },
      ),
    ),
    ...bothWays(
      row(
        "no topology",
        { hostname: "h", conditions: { ready: true } },
        { hostname: "h", conditions: { ready: true } },
      ),
    ),
    row("nothing but a zone leaves no map", { topology: { [ZONE]: "z" } }, { zone: "z" }),
    back("a zone makes one", { zone: "z" }, { topology: { [ZONE]: "z" } }),
    back(
      "an empty host name is none",
      { nodeName: "n", deprecatedTopology: { [HOST]: "" } },
      { nodeName: "n", topology: { [HOST]: "n" } },
    ),
  ]);
  testDefaults([
    {
      name: "ports",
      kind: "EndpointSlice",
      version: "discovery.k8s.io/v1beta1",
      input: { metadata, addressType: "IPv4", ports: [{ port: 80 }] },
      expected: { metadata, addressType: "IPv4", ports: [{ port: 80, name: "", protocol: "TCP" }] },
    },
  ]);
});

describe("converting events between core/v1 and events.k8s.io", () => {
  const core = {
    metadata,
    involvedObject: { kind: "Pod", name: "p" },
    message: "hello",
    reportingComponent: "me",
    reportingInstance: "i",
    source: { component: "kubelet" },
    firstTimestamp: "2026-01-02T03:04:05Z",
    lastTimestamp: "2026-01-02T03:04:06Z",
    count: 2,
    series: { count: 2, lastObservedTime: "2026-01-02T03:04:05.000006Z" },
    type: "Normal",
  };
  const events = {
    metadata,
    regarding: { kind: "Pod", name: "p" },
    note: "hello",
    reportingController: "me",
    reportingInstance: "i",
    deprecatedSource: { component: "kubelet" },
    deprecatedFirstTimestamp: "2026-01-02T03:04:05Z",
    deprecatedLastTimestamp: "2026-01-02T03:04:06Z",
    deprecatedCount: 2,
    series: { count: 2, lastObservedTime: "2026-01-02T03:04:05.000006Z" },
    type: "Normal",
  };
  const row = { name: "are alike under other names", kind: "Event", to: "v1", input: events, expected: core };
  testConversions([
    ...bothWays({ ...row, from: "events.k8s.io/v1" }),
    ...bothWays({ ...row, from: "events.k8s.io/v1beta1" }),
    { ...row, from: "events.k8s.io/v1beta1", to: "events.k8s.io/v1", expected: events },
  ]);

  test("EventList of events.k8s.io becomes an EventList of core/v1", () => {
    const list = { apiVersion: "events.k8s.io/v1beta1", kind: "EventList", metadata: {}, items: [events] };
    expect(wire(allScheme().convert(list, { group: "", version: "v1" }))).toEqual(
      wire({ apiVersion: "v1", kind: "EventList", metadata: {}, items: [core] }),
    );
  });
});

describe("converting flow schemas and priority levels from beta versions", () => {
  const GROUP = "flowcontrol.apiserver.k8s.io";
  const ZERO = "flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares";
  const kind = "PriorityLevelConfiguration";
  const limited = (shares: object, annotations: object = {}) => ({
    metadata: { name: "x", annotations: { mine: "1", ...annotations } },
    spec: { type: "Limited", limited: { lendablePercent: 5, limitResponse: { type: "Reject" }, ...shares } },
  });
  const row = (name: string, from: string, input: object, expected: object): ConversionRow => ({
    name,
    kind,
    from: `${GROUP}/${from}`,
    to: `${GROUP}/v1`,
    input: { ...input },
    expected: { ...expected },
  });
  const back = (one: ConversionRow): ConversionRow => ({ ...one, from: one.to, to: one.from });
  testConversions([
    ...["v1beta1", "v1beta2"].flatMap((version) => [
      ...bothWays(
        row(
          "shares are assured",
          version,
          limited({ assuredConcurrencyShares: 7 }),
          limited({ nominalConcurrencyShares: 7 }),
        ),
      ),
      row("none are 0", version, limited({}), limited({ nominalConcurrencyShares: 0 })),
    ]),
    ...bothWays(
      row("shares", "v1beta3", limited({ nominalConcurrencyShares: 7 }), limited({ nominalConcurrencyShares: 7 })),
    ),
    ...bothWays(
      row(
        "0 shares are annotated",
        "v1beta3",
        limited({ nominalConcurrencyShares: 0 }, { [ZERO]: "" }),
        limited({ nominalConcurrencyShares: 0 }),
      ),
    ),
    row(
      "the annotation is dropped whatever the shares",
      "v1beta3",
      limited({ nominalConcurrencyShares: 7 }, { [ZERO]: "yes" }),
      limited({ nominalConcurrencyShares: 7 }),
    ),
    back(
      row(
        "an annotation that is there stays",
        "v1beta3",
        limited({ nominalConcurrencyShares: 0 }, { [ZERO]: "yes" }),
        limited({ nominalConcurrencyShares: 0 }, { [ZERO]: "yes" }),
      ),
    ),
    ...bothWays(
      row(
        "what is exempt has no such shares",
        "v1beta3",
        { metadata, spec: { type: "Exempt", exempt: { nominalConcurrencyShares: 0 } } },
        { metadata, spec: { type: "Exempt", exempt: { nominalConcurrencyShares: 0 } } },
      ),
    ),
    {
      name: "between betas",
      kind,
      from: `${GROUP}/v1beta1`,
      to: `${GROUP}/v1beta3`,
      input: limited({}),
      expected: limited({ nominalConcurrencyShares: 0 }, { [ZERO]: "" }),
    },
  ]);

  const level = (spec: object, annotations?: Record<string, string>) => ({
    metadata: { name: "x", ...(annotations && { annotations }) },
    spec,
  });
  const queuing = { type: "Queue", queuing: {} };
  const queued = { type: "Queue", queuing: { queues: 64, handSize: 8, queueLengthLimit: 50 } };
  testDefaults([
    ...["v1beta1", "v1beta2"].map((version) => ({
      name: "0 shares are 30",
      kind,
      version: `${GROUP}/${version}`,
      input: level({ type: "Limited", limited: { assuredConcurrencyShares: 0, limitResponse: queuing } }),
      expected: level({
        type: "Limited",
        limited: { assuredConcurrencyShares: 30, lendablePercent: 0, limitResponse: queued },
      }),
    })),
    {
      name: "0 shares are 30",
      kind,
      version: `${GROUP}/v1beta3`,
      input: level({ type: "Limited", limited: { nominalConcurrencyShares: 0 } }),
      expected: level({ type: "Limited", limited: { nominalConcurrencyShares: 30, lendablePercent: 0 } }),
    },
    {
      name: "but for the annotation",
      kind,
      version: `${GROUP}/v1beta3`,
      input: level({ type: "Limited", limited: { nominalConcurrencyShares: 0 } }, { [ZERO]: "" }),
      expected: level(
        { type: "Limited", limited: { nominalConcurrencyShares: 0, lendablePercent: 0 } },
        { [ZERO]: "" },
      ),
    },
    {
      name: "0 shares are 0 in v1",
      kind,
      version: `${GROUP}/v1`,
      input: level({ type: "Limited", limited: { nominalConcurrencyShares: 0 } }),
      expected: level({ type: "Limited", limited: { nominalConcurrencyShares: 0, lendablePercent: 0 } }),
    },
    {
      name: "what is exempt",
      kind,
      version: `${GROUP}/v1beta3`,
      input: level({ type: "Exempt", exempt: {} }),
      expected: level({ type: "Exempt", exempt: { nominalConcurrencyShares: 0, lendablePercent: 0 } }),
    },
    {
      name: "the type makes no exemption",
      kind,
      version: `${GROUP}/v1`,
      input: level({ type: "Exempt" }),
      expected: level({ type: "Exempt" }),
    },
    ...["v1beta1", "v1beta2", "v1beta3"].map((version) => ({
      name: "precedence",
      kind: "FlowSchema",
      version: `${GROUP}/${version}`,
      input: { metadata, spec: { priorityLevelConfiguration: { name: "p" } } },
      expected: { metadata, spec: { priorityLevelConfiguration: { name: "p" }, matchingPrecedence: 1000 } },
    })),
  ]);
});

describe("converting RuntimeClasses from node v1alpha1", () => {
  const overhead = { podFixed: { cpu: "250m" } };
  const scheduling = { nodeSelector: { a: "b" } };
  const row: ConversionRow = {
    name: "the spec is at the top",
    kind: "RuntimeClass",
    from: "node.k8s.io/v1alpha1",
    to: "node.k8s.io/v1",
    input: { metadata, spec: { runtimeHandler: "runc", overhead, scheduling } },
    expected: { metadata, handler: "runc", overhead, scheduling },
  };
  testConversions([
    ...bothWays(row),
    { ...row, name: "in v1beta1 too", to: "node.k8s.io/v1beta1" },
    ...bothWays({
      ...row,
      name: "nothing but a handler",
      input: { metadata, spec: { runtimeHandler: "r" } },
      expected: { metadata, handler: "r" },
    }),
  ]);
});

describe("older versions whose fields and defaults equal those of the stored version", () => {
  const alike = (kind: string, from: string, to: string, fields: object): ConversionRow[] =>
    bothWays({ name: "alike", kind, from, to, input: { metadata, ...fields }, expected: { metadata, ...fields } });
  const authentication = "authentication.k8s.io";
  testConversions([
    ...alike("CSIDriver", "storage.k8s.io/v1beta1", "storage.k8s.io/v1", { spec: { attachRequired: false } }),
    ...alike("VolumeAttachment", "storage.k8s.io/v1alpha1", "storage.k8s.io/v1", {
      spec: { attacher: "a", nodeName: "n", source: { persistentVolumeName: "v" } },
    }),
    ...alike("VolumeAttributesClass", "storage.k8s.io/v1alpha1", "storage.k8s.io/v1", {
      driverName: "d",
      parameters: { a: "b" },
    }),
    ...alike("CSIStorageCapacity", "storage.k8s.io/v1alpha1", "storage.k8s.io/v1", {
      storageClassName: "s",
      capacity: "1Gi",
    }),
    ...alike("Lease", "coordination.k8s.io/v1beta1", "coordination.k8s.io/v1", { spec: { holderIdentity: "h" } }),
    ...alike("LeaseCandidate", "coordination.k8s.io/v1alpha2", "coordination.k8s.io/v1beta1", {
      spec: { leaseName: "l", binaryVersion: "1.0.0", strategy: "OldestEmulationVersion" },
    }),
    ...alike("PriorityClass", "scheduling.k8s.io/v1beta1", "scheduling.k8s.io/v1", {
      value: 7,
      preemptionPolicy: "Never",
    }),
    ...alike("IPAddress", "networking.k8s.io/v1beta1", "networking.k8s.io/v1", {
      spec: { parentRef: { resource: "services", name: "s" } },
    }),
    ...alike("ServiceCIDR", "networking.k8s.io/v1beta1", "networking.k8s.io/v1", { spec: { cidrs: ["10.0.0.0/24"] } }),
    ...alike("APIService", "apiregistration.k8s.io/v1beta1", "apiregistration.k8s.io/v1", {
      spec: { group: "g.io", version: "v1", groupPriorityMinimum: 1, versionPriority: 1 },
    }),
    ...alike("TokenReview", `${authentication}/v1beta1`, `${authentication}/v1`, { spec: { token: "t" } }),
    ...alike("SelfSubjectReview", `${authentication}/v1alpha1`, `${authentication}/v1`, {
      status: { userInfo: { username: "u", groups: ["g"] } },
    }),
    ...alike("ClusterTrustBundle", "certificates.k8s.io/v1alpha1", "certificates.k8s.io/v1beta1", {
      spec: { signerName: "a/b", trustBundle: "t" },
    }),
    ...alike("APIGroupDiscovery", "apidiscovery.k8s.io/v2beta1", "apidiscovery.k8s.io/v2", {
      versions: [{ version: "v1", freshness: "Current" }],
    }),
  ]);
  testConversions(
    bothWays({
      name: "alike",
      kind: "AdmissionReview",
      from: "admission.k8s.io/v1beta1",
      to: "admission.k8s.io/v1",
      input: { response: { uid: "u", allowed: true } },
      expected: { response: { uid: "u", allowed: true } },
    }),
  );
  testDefaults([
    {
      name: "drivers",
      kind: "CSIDriver",
      version: "storage.k8s.io/v1beta1",
      input: { metadata, spec: {} },
      expected: {
        metadata,
        spec: {
          attachRequired: true,
          podInfoOnMount: false,
          storageCapacity: false,
          fsGroupPolicy: "ReadWriteOnceWithFSType",
          volumeLifecycleModes: ["Persistent"],
          requiresRepublish: false,
          seLinuxMount: false,
        },
      },
    },
    {
      name: "classes",
      kind: "StorageClass",
      version: "storage.k8s.io/v1beta1",
      input: { metadata, provisioner: "p" },
      expected: { metadata, provisioner: "p", reclaimPolicy: "Delete", volumeBindingMode: "Immediate" },
    },
    {
      name: "preemption",
      kind: "PriorityClass",
      version: "scheduling.k8s.io/v1beta1",
      input: { metadata, value: 1 },
      expected: { metadata, value: 1, preemptionPolicy: "PreemptLowerPriority" },
    },
    {
      name: "the service's port",
      kind: "APIService",
      version: "apiregistration.k8s.io/v1beta1",
      input: { metadata, spec: { service: { namespace: "n", name: "s" } } },
      expected: { metadata, spec: { service: { namespace: "n", name: "s", port: 443 } } },
    },
  ]);
});
