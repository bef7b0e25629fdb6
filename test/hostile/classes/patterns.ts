import type { Dice } from "../dice.js";
import { type HostileRequest, type Hostility, JSON_TYPE, typed } from "../hostility.js";
import { CRDS, CRON_JOBS, LIMITS, MAPS, NAMESPACE, PODS, POLICIES, SERVICES } from "../targets.js";

/** Texts that make an expression try again and again: long runs of what nearly fits. */
function nearMiss(dice: Dice): string {
  const length = 1000 + dice.below(30_000);
  const run = dice.pick([
    "a",
    "0",
    "-",
    ".",
    "a-",
    "a.",
    "1,",
    "*/",
    "*,",
    " ",
    "\t",
    "/",
    ":",
    "1.",
    "0:",
    "%41",
    "e",
    "+",
    "[a-z]",
    "(a+)+",
    "a{1,9}",
    "\\",
    "é",
    "_",
    "A",
    "[",
    "(",
    "{",
    "$(",
    "..",
    "1h",
    "'a",
    "-----BEGIN A-----\n",
    "-----BEGIN a:b-----\n",
  ]);
  return run.repeat(Math.ceil(length / run.length)) + dice.pick(["", "!", "\u0000", "\n", " ", "$", "-", "."]);
}

type Make = (text: string) => { readonly path: string; readonly object: object };

const template = { spec: { restartPolicy: "Never", containers: [{ name: "a", image: "b" }] } };
const pod = (spec: object) => ({ metadata: { name: "p" }, spec: { containers: [{ name: "a", image: "b" }], ...spec } });
const crd = (versions: object, names: object = {}) => ({
  metadata: { name: "things.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "things", kind: "Thing", ...names },
    versions: [{ name: "v1", served: true, storage: true, ...versions }],
  },
});
const schema = (properties: object) => ({ schema: { openAPIV3Schema: { type: "object", properties } } });

/** Every place where a text is held against a pattern. */
const PLACES: readonly Make[] = [
  (text) => ({ path: MAPS, object: { metadata: { name: text } } }),
  (text) => ({ path: MAPS, object: { metadata: { generateName: text } } }),
  (text) => ({ path: MAPS, object: { metadata: { name: "a", labels: { [text]: "x" } } } }),
  (text) => ({ path: MAPS, object: { metadata: { name: "a", labels: { x: text } } } }),
  (text) => ({ path: MAPS, object: { metadata: { name: "a", annotations: { [text]: "" } } } }),
  (text) => ({ path: MAPS, object: { metadata: { name: "a", finalizers: [text] } } }),
  (text) => ({ path: MAPS, object: { metadata: { name: "a", creationTimestamp: text } } }),
  (text) => ({ path: MAPS, object: { metadata: { name: "a" }, data: { [text]: "" } } }),
  (text) => ({ path: MAPS, object: { metadata: { name: "a" }, binaryData: { a: text } } }),
  (text) => ({ path: MAPS, object: { apiVersion: text, metadata: { name: "a" } } }),
  (text) => ({
    path: CRON_JOBS,
    object: { metadata: { name: "c" }, spec: { schedule: text, jobTemplate: { spec: { template } } } },
  }),
  (text) => ({
    path: CRON_JOBS,
    object: {
      metadata: { name: "c" },
      spec: { schedule: `${text.slice(0, 3000)} * * * *`, jobTemplate: { spec: { template } } },
    },
  }),
  (text) => ({
    path: CRON_JOBS,
    object: {
      metadata: { name: "c" },
      spec: { schedule: `@every ${text}`, timeZone: text, jobTemplate: { spec: { template } } },
    },
  }),
  (text) => ({
    path: LIMITS,
    object: { metadata: { name: "l" }, spec: { limits: [{ type: "Container", max: { cpu: text } }] } },
  }),
  (text) => ({
    path: LIMITS,
    object: { metadata: { name: "l" }, spec: { limits: [{ type: text, max: { [text]: "1" } }] } },
  }),
  (text) => ({
    path: POLICIES,
    object: {
      metadata: { name: "n" },
      spec: { podSelector: {}, ingress: [{ from: [{ ipBlock: { cidr: text, except: [text] } }] }] },
    },
  }),
  (text) => ({
    path: POLICIES,
    object: {
      metadata: { name: "n" },
      spec: { podSelector: { matchExpressions: [{ key: text, operator: "In", values: [text] }] } },
    },
  }),
  (text) => ({
    path: SERVICES,
    object: {
      metadata: { name: "s" },
      spec: { clusterIP: text, externalIPs: [text], ports: [{ port: 80, targetPort: text }] },
    },
  }),
  (text) => ({
    path: SERVICES,
    object: {
      metadata: { name: "s" },
      spec: { type: "ExternalName", externalName: text, loadBalancerSourceRanges: [text] },
    },
  }),
  (text) => ({
    path: PODS,
    object: pod({ hostname: text, subdomain: text, nodeName: text, serviceAccountName: text }),
  }),
  (text) => ({
    path: PODS,
    object: pod({
      containers: [{ name: text, image: text, command: [text], env: [{ name: text, value: `$(${text})` }] }],
    }),
  }),
  (text) => ({
    path: PODS,
    object: pod({
      containers: [
        {
          name: "a",
          image: "b",
          envFrom: [{ prefix: text }],
          livenessProbe: { httpGet: { path: text, port: text, host: text } },
        },
      ],
    }),
  }),
  (text) => ({
    path: PODS,
    object: pod({
      volumes: [{ name: text, hostPath: { path: text } }],
      containers: [{ name: "a", image: "b", volumeMounts: [{ name: text, mountPath: text, subPathExpr: text }] }],
    }),
  }),
  (text) => ({
    path: PODS,
    object: pod({
      dnsConfig: { nameservers: [text], searches: [text] },
      hostAliases: [{ ip: text, hostnames: [text] }],
    }),
  }),
  (text) => ({
    path: PODS,
    object: pod({
      tolerations: [{ key: text, operator: "Exists" }],
      nodeSelector: { [text]: text },
      topologySpreadConstraints: [{ topologyKey: text, maxSkew: 1, whenUnsatisfiable: "DoNotSchedule" }],
    }),
  }),
  (text) => ({
    path: PODS,
    object: pod({
      securityContext: {
        sysctls: [{ name: text, value: text }],
        seccompProfile: { type: "Localhost", localhostProfile: text },
      },
    }),
  }),
  (text) => ({
    path: PODS,
    object: {
      ...pod({}),
      metadata: {
        name: "p",
        annotations: {
          "seccomp.security.alpha.kubernetes.io/pod": text,
          "container.apparmor.security.beta.kubernetes.io/a": text,
        },
      },
    },
  }),
  (text) => ({ path: CRDS, object: crd(schema({ a: { type: "string", pattern: text, format: text } })) }),
  (text) => ({
    path: CRDS,
    object: crd(schema({ a: { type: "string", "x-kubernetes-validations": [{ rule: text, message: text }] } })),
  }),
  (text) => ({
    path: CRDS,
    object: crd({ ...schema({}), additionalPrinterColumns: [{ name: "a", type: "string", jsonPath: `.${text}` }] }),
  }),
  (text) => ({
    path: CRDS,
    object: crd({
      ...schema({}),
      selectableFields: [{ jsonPath: `.spec${text}` }],
      subresources: { scale: { specReplicasPath: text, statusReplicasPath: text, labelSelectorPath: text } },
    }),
  }),
  (text) => ({
    path: CRDS,
    object: crd(
      { name: text, ...schema({}) },
      { plural: text, singular: text, shortNames: [text], categories: [text] },
    ),
  }),
  (text) => ({
    path: `/apis/networking.k8s.io/v1/namespaces/${NAMESPACE}/ingresses`,
    object: {
      metadata: { name: "i" },
      spec: {
        rules: [
          {
            host: text,
            http: {
              paths: [
                { path: `/${text}`, pathType: "Prefix", backend: { service: { name: text, port: { name: text } } } },
              ],
            },
          },
        ],
      },
    },
  }),
  (text) => ({
    path: "/apis/certificates.k8s.io/v1/certificatesigningrequests",
    object: {
      metadata: { name: "c" },
      spec: {
        request: Buffer.from(
          `-----BEGIN CERTIFICATE REQUEST-----\n${text}\n-----END CERTIFICATE REQUEST-----\n`,
        ).toString("base64"),
        signerName: text,
        usages: ["client auth"],
      },
    },
  }),
  (text) => ({
    path: "/apis/rbac.authorization.k8s.io/v1/clusterroles",
    object: { metadata: { name: text }, rules: [{ nonResourceURLs: [text], verbs: [text] }] },
  }),
  (text) => ({
    path: "/apis/apiregistration.k8s.io/v1/apiservices",
    object: {
      metadata: { name: `${text}.x` },
      spec: {
        group: text,
        version: text,
        groupPriorityMinimum: 1,
        versionPriority: 1,
        service: { name: text, namespace: text },
      },
    },
  }),
  (text) => ({
    path: "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations",
    object: {
      metadata: { name: "w" },
      webhooks: [
        {
          name: text,
          clientConfig: { url: `https://${text}` },
          rules: [{ apiGroups: [text], apiVersions: [text], operations: ["*"], resources: [text] }],
          matchConditions: [{ name: text, expression: text }],
          sideEffects: "None",
          admissionReviewVersions: [text],
        },
      ],
    },
  }),
  (text) => ({
    path: "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies",
    object: {
      metadata: { name: "v" },
      spec: {
        validations: [{ expression: text, messageExpression: text }],
        variables: [{ name: text, expression: text }],
      },
    },
  }),
  (text) => ({
    path: "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas",
    object: {
      metadata: { name: "f" },
      spec: {
        priorityLevelConfiguration: { name: text },
        matchingPrecedence: 1,
        rules: [
          {
            subjects: [{ kind: "User", user: { name: text } }],
            nonResourceRules: [{ verbs: ["*"], nonResourceURLs: [text] }],
          },
        ],
      },
    },
  }),
  (text) => ({
    path: "/apis/networking.k8s.io/v1/ipaddresses",
    object: { metadata: { name: text.slice(0, 200) }, spec: { parentRef: { resource: text, name: text } } },
  }),
  (text) => ({
    path: "/apis/networking.k8s.io/v1/servicecidrs",
    object: { metadata: { name: "s" }, spec: { cidrs: [text] } },
  }),
  (text) => ({
    path: "/apis/resource.k8s.io/v1/deviceclasses",
    object: { metadata: { name: "d" }, spec: { selectors: [{ cel: { expression: text } }] } },
  }),
  (text) => ({
    path: `/apis/coordination.k8s.io/v1/namespaces/${NAMESPACE}/leases`,
    object: { metadata: { name: "l" }, spec: { holderIdentity: text, renewTime: text } },
  }),
  (text) => ({
    path: `/apis/batch/v1/namespaces/${NAMESPACE}/jobs`,
    object: {
      metadata: { name: "j" },
      spec: {
        template,
        managedBy: text,
        backoffLimitPerIndex: 1,
        completionMode: "Indexed",
        completions: 3,
        successPolicy: { rules: [{ succeededIndexes: text }] },
      },
    },
  }),
];

/** Long texts held against patterns: what is exponential, or only quadratic, would stand out by minutes. */
export const patterns: Hostility = {
  name: "patterns",
  share: 900,
  make(dice): HostileRequest {
    const { path, object } = dice.pick(PLACES)(nearMiss(dice));
    return {
      method: "POST",
      path: `${path}?dryRun=All`,
      headers: typed(JSON_TYPE),
      body: JSON.stringify(object),
      expected: [201, 400, 403, 409, 422],
    };
  },
};
