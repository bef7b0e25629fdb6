import { releaseOf } from "../../src/api/facts/index.js";
import { describe, expect, test } from "vitest";
import type { PodTemplateSpec } from "../../src/api/types/core/v1.js";
import { podTemplateHash, revisionHash } from "../../src/controllers/template-hash/template-hash.js";

/** The hashes are those of the program in test/interop/go-hashes, which k8s.io/api 0.36 makes. */
const TEMPLATES: readonly (readonly [
  what: string,
  template: object,
  collisionCount: number | undefined,
  hash: string,
])[] = [
  ["nothing", {}, undefined, "85748b7f68"],
  ["labels alone", { metadata: { labels: { app: "web" } } }, undefined, "777dc7b9f8"],
  [
    "what kubectl create deployment makes",
    {
      metadata: { labels: { app: "web" } },
      spec: {
        containers: [
          {
            name: "web",
            image: "nginx:1.27",
            terminationMessagePath: "/dev/termination-log",
            terminationMessagePolicy: "File",
            imagePullPolicy: "IfNotPresent",
            resources: {},
          },
        ],
        restartPolicy: "Always",
        terminationGracePeriodSeconds: 30,
        dnsPolicy: "ClusterFirst",
        securityContext: {},
        schedulerName: "default-scheduler",
      },
    },
    undefined,
    "8448b6f544",
  ],
  [
    "a collision",
    {
      metadata: { labels: { app: "web" } },
      spec: {
        containers: [
          {
            name: "web",
            image: "nginx:1.27",
            terminationMessagePath: "/dev/termination-log",
            terminationMessagePolicy: "File",
            imagePullPolicy: "IfNotPresent",
            resources: {},
          },
        ],
        restartPolicy: "Always",
        terminationGracePeriodSeconds: 30,
        dnsPolicy: "ClusterFirst",
        securityContext: {},
        schedulerName: "default-scheduler",
      },
    },
    1,
    "5f46654bf",
  ],
  [
    "a count of collisions of 0",
    {
      metadata: { labels: { app: "web" } },
      spec: {
        containers: [
          {
            name: "web",
            image: "nginx:1.27",
            terminationMessagePath: "/dev/termination-log",
            terminationMessagePolicy: "File",
            imagePullPolicy: "IfNotPresent",
            resources: {},
          },
        ],
        restartPolicy: "Always",
        terminationGracePeriodSeconds: 30,
        dnsPolicy: "ClusterFirst",
        securityContext: {},
        schedulerName: "default-scheduler",
      },
    },
    0,
    "6f5d969f76",
  ],
  [
    "maps in any order",
    {
      metadata: { labels: { b: "2", a: "1" }, annotations: { "z/y": "é", a: "" } },
      spec: { nodeSelector: { z: "1", "a-b": "2" }, containers: [{ name: "web", image: "nginx:1.27" }] },
    },
    undefined,
    "5d58786d5f",
  ],
  [
    "quantities",
    {
      spec: {
        containers: [
          {
            name: "web",
            image: "nginx:1.27",
            resources: {
              limits: { memory: "8Gi", cpu: "1500m", "example.com/x": "100Ti" },
              requests: { memory: "65Mi", cpu: "0" },
            },
          },
        ],
      },
    },
    undefined,
    "5856467457",
  ],
  [
    "ports and probes",
    {
      spec: {
        containers: [
          {
            name: "web",
            image: "nginx:1.27",
            ports: [{ containerPort: 80, protocol: "TCP" }],
            readinessProbe: { httpGet: { path: "/", port: "http", scheme: "HTTP" }, periodSeconds: 10 },
            livenessProbe: { tcpSocket: { port: 8080 } },
          },
        ],
      },
    },
    undefined,
    "6bb9c4c7bf",
  ],
  [
    "volumes",
    {
      spec: {
        volumes: [
          { name: "a", emptyDir: {} },
          { name: "b", configMap: { name: "c", defaultMode: 420 } },
          { name: "d", rbd: { image: "i", monitors: ["m"], pool: "p", user: "u" } },
        ],
        containers: [{ name: "web", image: "nginx:1.27", volumeMounts: [{ name: "a", mountPath: "/a" }] }],
      },
    },
    undefined,
    "7d9f887df9",
  ],
  [
    "environment",
    {
      spec: {
        containers: [
          {
            name: "web",
            image: "nginx:1.27",
            env: [
              { name: "A", value: "1" },
              { name: "B", valueFrom: { secretKeyRef: { name: "s", key: "k" } } },
              { name: "C", valueFrom: { resourceFieldRef: { resource: "limits.cpu", divisor: "0" } } },
            ],
          },
        ],
      },
    },
    undefined,
    "7b6958b894",
  ],
  [
    "empty lists as if they were absent",
    {
      metadata: { labels: {}, finalizers: [] },
      spec: { containers: [{ name: "web", image: "nginx:1.27", args: [], command: [""] }], tolerations: [] },
    },
    undefined,
    "68f54565c9",
  ],
  [
    "pointers to zero",
    {
      spec: {
        terminationGracePeriodSeconds: 0,
        automountServiceAccountToken: false,
        securityContext: { runAsUser: 0, fsGroup: 0, seLinuxOptions: {} },
        containers: [{ name: "web", image: "nginx:1.27", securityContext: { privileged: false } }],
      },
    },
    undefined,
    "84987c7f65",
  ],
];

// kube-controller-manager 1.36 gave these.
const release = await releaseOf("1.36");

describe("pod-template-hash", () => {
  test.each(TEMPLATES)("of %s", (_, template, collisionCount, hash) => {
    expect(podTemplateHash(template as PodTemplateSpec, collisionCount, release)).toBe(hash);
  });
});

describe("the hash of a ControllerRevision", () => {
  test.each([
    ["data alone", '{"spec":{}}', undefined, "6d4c5b5d8d"],
    ["a count of collisions of 0", '{"spec":{}}', 0, "59c9b4d596"],
    ["a count of collisions", '{"spec":{}}', 12, "d4d4fd4df"],
    ["no data", "", undefined, "65bb57b6b5"],
  ])("of %s", (_, data, collisionCount, hash) => {
    expect(revisionHash(data, collisionCount)).toBe(hash);
  });
});
