import {
  ANY_REFUSAL_OR_SUCCESS,
  type HostileRequest,
  type Hostility,
  JSON_TYPE,
  MERGE_PATCH,
  STRATEGIC_PATCH,
  typed,
} from "../hostility.js";
import { mutate } from "../mutate.js";
import type { JsonObject } from "../../../src/machinery/meta/json.js";
import { ACCOUNTS, DEPLOYMENTS, MAPS, NAMESPACE, PODS } from "../targets.js";
import { strangeText, toJson } from "../values.js";

/** Bodies of subresources and reviews, by where they go. */
const BODIES: readonly (readonly [method: string, path: string, body: JsonObject])[] = [
  [
    "POST",
    `${PODS}/standing/eviction?dryRun=All`,
    {
      apiVersion: "policy/v1",
      kind: "Eviction",
      metadata: { name: "standing" },
      deleteOptions: { gracePeriodSeconds: 1, preconditions: { uid: "x" } },
    },
  ],
  [
    "POST",
    `${PODS}/standing/binding?dryRun=All`,
    { apiVersion: "v1", kind: "Binding", metadata: { name: "standing" }, target: { kind: "Node", name: "n" } },
  ],
  [
    "POST",
    `/api/v1/namespaces/${NAMESPACE}/bindings?dryRun=All`,
    { metadata: { name: "standing" }, target: { kind: "Node", name: "n" } },
  ],
  [
    "POST",
    `${ACCOUNTS}/standing/token`,
    {
      spec: {
        audiences: ["a"],
        expirationSeconds: 600,
        boundObjectRef: { kind: "Pod", apiVersion: "v1", name: "standing" },
      },
    },
  ],
  ["PUT", `${DEPLOYMENTS}/standing/scale`, { metadata: { name: "standing" }, spec: { replicas: 2 } }],
  [
    "PUT",
    `${DEPLOYMENTS}/standing/status`,
    { metadata: { name: "standing" }, status: { replicas: 1, conditions: [{ type: "A", status: "True" }] } },
  ],
  [
    "PUT",
    `${PODS}/standing/status`,
    {
      metadata: { name: "standing" },
      status: {
        phase: "Running",
        podIPs: [{ ip: "10.1.2.3" }],
        containerStatuses: [
          {
            name: "main",
            image: "a",
            imageID: "",
            ready: true,
            restartCount: 0,
            state: { running: { startedAt: "2026-01-02T03:04:05Z" } },
          },
        ],
      },
    },
  ],
  [
    "PATCH",
    `${PODS}/standing/ephemeralcontainers`,
    { spec: { ephemeralContainers: [{ name: "debug", image: "a", targetContainerName: "main" }] } },
  ],
  [
    "PATCH",
    `${PODS}/standing/resize`,
    { spec: { containers: [{ name: "main", resources: { limits: { cpu: "1" } } }] } },
  ],
  [
    "PUT",
    `/api/v1/namespaces/${NAMESPACE}/finalize?dryRun=All`,
    { metadata: { name: NAMESPACE }, spec: { finalizers: ["kubernetes"] } },
  ],
  ["POST", "/apis/authentication.k8s.io/v1/tokenreviews", { spec: { token: "a.b.c", audiences: ["x"] } }],
  ["POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", {}],
  [
    "POST",
    "/apis/authorization.k8s.io/v1/subjectaccessreviews",
    { spec: { user: "a", groups: ["b"], resourceAttributes: { verb: "get", resource: "pods" } } },
  ],
  ["POST", "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews", { spec: { namespace: NAMESPACE } }],
  [
    "POST",
    `/apis/authorization.k8s.io/v1/namespaces/${NAMESPACE}/localsubjectaccessreviews`,
    { metadata: { namespace: NAMESPACE }, spec: { user: "a", nonResourceAttributes: { path: "/x", verb: "get" } } },
  ],
  [
    "DELETE",
    `${PODS}/nobody`,
    {
      kind: "DeleteOptions",
      apiVersion: "v1",
      gracePeriodSeconds: 0,
      propagationPolicy: "Orphan",
      preconditions: { uid: "x" },
      dryRun: ["All"],
    },
  ],
  [
    "DELETE",
    `${MAPS}?labelSelector=no=body`,
    { gracePeriodSeconds: 0, propagationPolicy: "Background", dryRun: ["All"] },
  ],
];

/** Subresources, reviews and options of deletion, their bodies changed at a few places. */
export const subresources: Hostility = {
  name: "subresources and reviews",
  share: 800,
  make(dice): HostileRequest {
    const [method, path, body] = dice.pick(BODIES);
    const type = method === "PATCH" ? dice.pick([MERGE_PATCH, STRATEGIC_PATCH]) : JSON_TYPE;
    return {
      method,
      path,
      headers: typed(type),
      body: toJson(mutate(structuredClone(body), dice)),
      expected: ANY_REFUSAL_OR_SUCCESS,
    };
  },
};

const WRONG_OPTIONS: readonly (readonly [body: string, codes: readonly number[]])[] = [
  ['{"propagationPolicy":"Sideways"}', [422]],
  ['{"dryRun":["Some"]}', [422]],
  ['{"orphanDependents":true,"propagationPolicy":"Orphan"}', [422]],
  ['{"kind":"Pod","apiVersion":"v1"}', [400]],
  ['{"kind":"Nobody"}', [400]],
  ['{"gracePeriodSeconds":"1"}', [400]],
  ['{"preconditions":[]}', [400]],
  ['{"preconditions":{"uid":1}}', [400]],
];

/** Options of deletion that say nothing. */
export const deleteOptions: Hostility = {
  name: "options of deletion",
  share: 150,
  make(dice): HostileRequest {
    const [body, expected] = dice.pick(WRONG_OPTIONS);
    const path = dice.pick([`${MAPS}/nobody`, `${PODS}/nobody`, `${MAPS}?labelSelector=no=body`]);
    return { method: "DELETE", path, headers: typed(JSON_TYPE), body, expected };
  },
};

const ACCEPTS = [
  "application/json",
  "application/yaml",
  "application/json;as=Table;v=v1;g=meta.k8s.io",
  "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io",
  "application/json;as=PartialObjectMetadataList;v=v1beta1;g=meta.k8s.io",
  "application/vnd.kubernetes.protobuf",
  "application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;v=v1;g=meta.k8s.io",
];

/** What others of this run have stored, read in every way. */
export const reads: Hostility = {
  name: "reads of what was stored",
  share: 900,
  make(dice, targets): HostileRequest {
    const { collection, everywhere } = dice.pick(targets);
    const accept = dice.pick(ACCEPTS);
    const watch = dice.chance(0.06);
    const query = watch
      ? `watch=true&timeoutSeconds=1&resourceVersion=${dice.pick(["0", "1", ""])}`
      : dice.pick([
          "",
          "limit=2",
          "resourceVersion=0",
          "pretty=true",
          "fieldSelector=metadata.name%3Da",
          "labelSelector=app%3Dweb",
          "includeObject=Object",
        ]);
    const path = dice.pick([collection, everywhere, `${collection}/a`, `${collection}/b`]);
    const expected = watch ? [200, 404, 406, 410] : [200, 404];
    return { method: "GET", path: `${path}?${query}`, headers: { accept }, expected };
  },
};

/** Objects that hold what nobody expects, kept for others to read. */
export const stored: Hostility = {
  name: "hostile values, stored",
  share: 300,
  make(dice): HostileRequest {
    const text = () => toJson(strangeText(dice));
    const body = dice.pick([
      () =>
        `{"metadata":{"name":"a","annotations":{"a":${text()},"__proto__":${text()}}},"data":{"__proto__":${text()},"constructor":${text()}}}`,
      () =>
        `{"metadata":{"name":"b","annotations":{"kubectl.kubernetes.io/last-applied-configuration":${text()}}},"data":{"a":${text()}}}`,
      () =>
        `{"metadata":{"name":"${dice.pick(["a", "b"])}","generation":9223372036854775807,"ownerReferences":[{"apiVersion":"v1","kind":"Nobody","name":${text()},"uid":${text()}}]}}`,
    ])();
    const put = dice.chance(0.5);
    const name = /"name":"(\w)"/.exec(body)?.[1] ?? "a";
    const path = put ? `${MAPS}/${name}` : MAPS;
    return { method: put ? "PUT" : "POST", path, headers: typed(JSON_TYPE), body, expected: [200, 201, 404, 409, 422] };
  },
};
