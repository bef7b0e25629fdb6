import { describe, expect, test } from "vitest";
import { testMessages } from "../../helpers/conversion-messages.js";
import { converted, type ConversionRow, deepFreeze, testConversions } from "../../helpers/conversion-rows.js";

// Sources: kubernetes pkg/apis/apps/{v1,v1beta1,v1beta2}/conversion.go, pkg/apis/extensions/v1beta1/conversion.go,
// pkg/apis/apps/types.go (which fields of the internal types are no pointers), pkg/apis/core/v1/conversion.go (templates),
// k8s.io/api apps/v1/types.go (annotation names).

const EXTENSIONS = "extensions/v1beta1";
const BETA1 = "apps/v1beta1";
const BETA2 = "apps/v1beta2";
const V1 = "apps/v1";
const ROLLBACK = "deprecated.deployment.rollback.to";
const GENERATION = "deprecated.daemonset.template.generation";

const named = (annotations?: object) => ({ metadata: { name: "x", ...(annotations && { annotations }) } });

const rolledBack = { ...named({ mine: "1" }), spec: { replicas: 2, rollbackTo: { revision: 7 } } };
const rolledBackV1 = { ...named({ mine: "1", [ROLLBACK]: "7" }), spec: { replicas: 2 } };

describe("converting the rollback of a Deployment: a field in old versions, an annotation in new ones", () => {
  const rows: ConversionRow[] = [
    ["the field goes to the annotation", "Deployment", EXTENSIONS, V1, rolledBack, rolledBackV1],
    ["the field goes to the annotation", "Deployment", BETA1, V1, rolledBack, rolledBackV1],
    ["and comes back", "Deployment", V1, EXTENSIONS, rolledBackV1, rolledBack],
    ["and comes back", "Deployment", V1, BETA1, rolledBackV1, rolledBack],
    ["the field stays between old versions", "Deployment", EXTENSIONS, BETA1, rolledBack, rolledBack],
    ["the field goes to the annotation", "Deployment", BETA1, BETA2, rolledBack, rolledBackV1],
    ["the annotation stays between new versions", "Deployment", BETA2, V1, rolledBackV1, rolledBackV1],
    [
      "a rollback to no stated revision is one to 0",
      "Deployment",
      EXTENSIONS,
      V1,
      { ...named(), spec: { replicas: 1, rollbackTo: {} } },
      { ...named({ [ROLLBACK]: "0" }), spec: { replicas: 1 } },
    ],
    [
      "which is not written out",
      "Deployment",
      V1,
      EXTENSIONS,
      { ...named({ [ROLLBACK]: "0" }), spec: { replicas: 1 } },
      { ...named(), spec: { replicas: 1, rollbackTo: {} } },
    ],
    [
      "a number is written the shortest way",
      "Deployment",
      BETA2,
      V1,
      { ...named({ [ROLLBACK]: "+007" }), spec: { replicas: 1 } },
      { ...named({ [ROLLBACK]: "7" }), spec: { replicas: 1 } },
    ],
    [
      "an int64 is exact",
      "Deployment",
      V1,
      BETA1,
      { ...named({ [ROLLBACK]: "9223372036854775807" }), spec: { replicas: 1 } },
      { ...named(), spec: { replicas: 1, rollbackTo: { revision: 9223372036854775807n } } },
    ],
    [
      "and goes back exact",
      "Deployment",
      BETA1,
      V1,
      { ...named(), spec: { replicas: 1, rollbackTo: { revision: 9223372036854775807n } } },
      { ...named({ [ROLLBACK]: "9223372036854775807" }), spec: { replicas: 1 } },
    ],
    [
      "an empty annotation is no rollback, and stays",
      "Deployment",
      V1,
      EXTENSIONS,
      { ...named({ [ROLLBACK]: "" }), spec: { replicas: 1 } },
      { ...named({ [ROLLBACK]: "" }), spec: { replicas: 1 } },
    ],
    [
      "an empty annotation is dropped on the way between new versions",
      "Deployment",
      BETA2,
      V1,
      { ...named({ [ROLLBACK]: "" }), spec: { replicas: 1 } },
      { ...named(), spec: { replicas: 1 } },
    ],
    [
      "an old version's annotation of that name means nothing, and is dropped",
      "Deployment",
      EXTENSIONS,
      V1,
      { ...named({ mine: "1", [ROLLBACK]: "3" }), spec: { replicas: 1 } },
      { ...named({ mine: "1" }), spec: { replicas: 1 } },
    ],
  ];
  testConversions(rows);
  testMessages([
    [
      "no number",
      "Deployment",
      V1,
      EXTENSIONS,
      { ...named({ [ROLLBACK]: "x1" }), spec: {} },
      `failed to parse annotation[${ROLLBACK}]=x1 as int64: strconv.ParseInt: parsing "x1": invalid syntax`,
    ],
    [
      "no int64",
      "Deployment",
      BETA2,
      V1,
      { ...named({ [ROLLBACK]: "9223372036854775808" }), spec: {} },
      `failed to parse annotation[${ROLLBACK}]=9223372036854775808 as int64: strconv.ParseInt: parsing "9223372036854775808": value out of range`,
    ],
  ]);
});

const generation = { ...named({ mine: "1" }), spec: { templateGeneration: 5 } };
const generationV1 = { ...named({ mine: "1", [GENERATION]: "5" }), spec: {} };

describe("converting the template generation of a DaemonSet: a field in extensions, an annotation in apps", () => {
  testConversions([
    ["the field goes to the annotation", "DaemonSet", EXTENSIONS, V1, generation, generationV1],
    ["and comes back", "DaemonSet", V1, EXTENSIONS, generationV1, generation],
    ["the field goes to the annotation", "DaemonSet", EXTENSIONS, BETA2, generation, generationV1],
    ["the annotation stays", "DaemonSet", BETA2, V1, generationV1, generationV1],
    [
      "one that is not stated is 0",
      "DaemonSet",
      EXTENSIONS,
      V1,
      { ...named(), spec: {} },
      { ...named({ [GENERATION]: "0" }), spec: {} },
    ],
    [
      "one that is not stated is 0",
      "DaemonSet",
      BETA2,
      V1,
      { ...named(), spec: {} },
      { ...named({ [GENERATION]: "0" }), spec: {} },
    ],
    [
      "one that is not stated is 0",
      "DaemonSet",
      V1,
      BETA2,
      { ...named(), spec: {} },
      { ...named({ [GENERATION]: "0" }), spec: {} },
    ],
    [
      "0 is not written out, and no annotation is left",
      "DaemonSet",
      V1,
      EXTENSIONS,
      { ...named({ [GENERATION]: "0" }), spec: {} },
      { ...named(), spec: {} },
    ],
    [
      "the field is right where both are stated",
      "DaemonSet",
      EXTENSIONS,
      V1,
      { ...named({ [GENERATION]: "9" }), spec: { templateGeneration: 2 } },
      { ...named({ [GENERATION]: "2" }), spec: {} },
    ],
  ]);
  testMessages([
    [
      "no number",
      "DaemonSet",
      V1,
      EXTENSIONS,
      { ...named({ [GENERATION]: "1.5" }), spec: {} },
      'strconv.ParseInt: parsing "1.5": invalid syntax',
    ],
    [
      "the empty text is no number",
      "DaemonSet",
      BETA2,
      V1,
      { ...named({ [GENERATION]: "" }), spec: {} },
      'strconv.ParseInt: parsing "": invalid syntax',
    ],
  ]);
});

describe("converting old workloads without a number writes 0 where Kubernetes' internal type is no pointer", () => {
  const unset = { ...named(), spec: {} };
  const zero = { ...named(), spec: { replicas: 0 } };
  testConversions([
    ["replicas", "Deployment", EXTENSIONS, V1, unset, zero],
    ["replicas", "Deployment", V1, BETA1, unset, zero],
    ["replicas", "ReplicaSet", EXTENSIONS, V1, unset, zero],
    ["replicas", "ReplicaSet", V1, BETA2, unset, zero],
    ["replicas", "StatefulSet", BETA2, V1, unset, zero],
    [
      "both numbers of a rolling update that is stated, whatever the type",
      "Deployment",
      BETA1,
      V1,
      { ...named(), spec: { replicas: 1, strategy: { type: "Recreate", rollingUpdate: {} } } },
      {
        ...named(),
        spec: { replicas: 1, strategy: { type: "Recreate", rollingUpdate: { maxUnavailable: 0, maxSurge: 0 } } },
      },
    ],
    [
      "the number of a rolling update that is not stated",
      "Deployment",
      V1,
      EXTENSIONS,
      { ...named(), spec: { replicas: 1, strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: "10%" } } } },
      {
        ...named(),
        spec: {
          replicas: 1,
          strategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 0, maxSurge: "10%" } },
        },
      },
    ],
    [
      "both numbers of a rolling update",
      "DaemonSet",
      EXTENSIONS,
      V1,
      { ...named(), spec: { updateStrategy: { type: "OnDelete", rollingUpdate: {} } } },
      {
        ...named({ [GENERATION]: "0" }),
        spec: { updateStrategy: { type: "OnDelete", rollingUpdate: { maxUnavailable: 0, maxSurge: 0 } } },
      },
    ],
    [
      "the partition, but not the pointer beside it",
      "StatefulSet",
      BETA1,
      V1,
      { ...named(), spec: { replicas: 1, updateStrategy: { type: "OnDelete", rollingUpdate: {} } } },
      { ...named(), spec: { replicas: 1, updateStrategy: { type: "OnDelete", rollingUpdate: { partition: 0 } } } },
    ],
    [
      "the observed generation, which is a pointer in apps/v1beta1 alone",
      "StatefulSet",
      V1,
      BETA1,
      { ...named(), spec: { replicas: 1 }, status: { replicas: 1 } },
      { ...named(), spec: { replicas: 1 }, status: { replicas: 1, observedGeneration: 0 } },
    ],
    [
      "not the observed generation on the way to a version where it is none",
      "StatefulSet",
      BETA1,
      BETA2,
      { ...named(), spec: { replicas: 1 }, status: { replicas: 1 } },
      { ...named(), spec: { replicas: 1 }, status: { replicas: 1 } },
    ],
  ]);
});

describe("other fields that change when old apps versions are converted", () => {
  const claim = { metadata: { name: "data" }, spec: { accessModes: ["ReadWriteOnce"] } };
  const stamped = { apiVersion: "v1", kind: "PersistentVolumeClaim", ...claim };
  const template = (spec: object, annotations?: object) => ({
    metadata: { labels: { app: "x" }, ...(annotations && { annotations }) },
    spec: { containers: [{ name: "c", image: "i" }], ...spec },
  });
  const withTemplate = (spec: object, annotations?: object) => ({
    ...named(),
    spec: { replicas: 1, template: template(spec, annotations) },
  });
  testConversions([
    [
      "claims say what they are",
      "StatefulSet",
      BETA1,
      V1,
      { ...named(), spec: { replicas: 1, volumeClaimTemplates: [claim] } },
      { ...named(), spec: { replicas: 1, volumeClaimTemplates: [stamped] } },
    ],
    [
      "whatever they said before",
      "StatefulSet",
      V1,
      BETA2,
      { ...named(), spec: { replicas: 1, volumeClaimTemplates: [{ ...claim, apiVersion: "v2", kind: "Claim" }] } },
      { ...named(), spec: { replicas: 1, volumeClaimTemplates: [stamped] } },
    ],
    [
      "a service account has both names, and the new one goes first",
      "Deployment",
      EXTENSIONS,
      V1,
      withTemplate({ serviceAccountName: "new", serviceAccount: "old", securityContext: {} }),
      withTemplate({ serviceAccountName: "new", serviceAccount: "new", securityContext: {} }),
    ],
    [
      "a service account has both names where the old one is stated",
      "ReplicaSet",
      V1,
      EXTENSIONS,
      withTemplate({ serviceAccount: "old", securityContext: { runAsUser: 1 } }),
      withTemplate({ serviceAccountName: "old", serviceAccount: "old", securityContext: { runAsUser: 1 } }),
    ],
    [
      "a template has a security context",
      "StatefulSet",
      BETA2,
      V1,
      withTemplate({ hostNetwork: true, hostPID: true, shareProcessNamespace: false }),
      withTemplate({ hostNetwork: true, hostPID: true, shareProcessNamespace: false, securityContext: {} }),
    ],
    [
      "a template has no init containers in annotations",
      "Deployment",
      BETA2,
      V1,
      withTemplate({ securityContext: {} }, { mine: "1", "pod.beta.kubernetes.io/init-containers": "[]" }),
      withTemplate({ securityContext: {} }, { mine: "1" }),
    ],
    [
      "a revision's data is its own business",
      "ControllerRevision",
      BETA1,
      V1,
      { ...named(), revision: 3, data: { spec: { template: { apiVersion: "x" } } } },
      { ...named(), revision: 3, data: { spec: { template: { apiVersion: "x" } } } },
    ],
    [
      "a revision's data is its own business",
      "ControllerRevision",
      V1,
      BETA2,
      { ...named(), revision: 3, data: [1, 2] },
      { ...named(), revision: 3, data: [1, 2] },
    ],
    [
      "a rollback request is alike in the versions it is in",
      "DeploymentRollback",
      EXTENSIONS,
      BETA1,
      { name: "web", updatedAnnotations: { a: "b" }, rollbackTo: { revision: 2 } },
      { name: "web", updatedAnnotations: { a: "b" }, rollbackTo: { revision: 2 } },
    ],
    [
      "a rollback request is alike in the versions it is in",
      "DeploymentRollback",
      BETA1,
      EXTENSIONS,
      { name: "web", rollbackTo: {} },
      { name: "web", rollbackTo: {} },
    ],
  ]);
});

test("lists of old workloads are converted item by item, and get the apiVersion of the target", () => {
  const list = deepFreeze({
    apiVersion: EXTENSIONS,
    kind: "DeploymentList",
    metadata: { resourceVersion: "12" },
    items: [rolledBack, { ...named(), spec: { replicas: 1 } }],
  });
  expect(converted(list, V1)).toStrictEqual({
    apiVersion: V1,
    kind: "DeploymentList",
    metadata: { resourceVersion: "12" },
    items: [rolledBackV1, { ...named(), spec: { replicas: 1 } }],
  });
  expect(converted(converted(list, V1), EXTENSIONS)).toStrictEqual(list);
});

describe("converting to a version that the kind does not have is an error", () => {
  testMessages([
    [
      "a kind that has no such version",
      "DaemonSet",
      EXTENSIONS,
      BETA1,
      { spec: {} },
      'v1beta1.DaemonSet is not suitable for converting to "apps/v1beta1" in scheme "kubernetes"',
    ],
    [
      "a kind that is nowhere",
      "Gadget",
      "apps/v1beta1",
      V1,
      {},
      'no kind "Gadget" is registered for version "apps/v1beta1" in scheme "kubernetes"',
    ],
    [
      "a request that has no stored form",
      "DeploymentRollback",
      EXTENSIONS,
      V1,
      {},
      'v1beta1.DeploymentRollback is not suitable for converting to "apps/v1" in scheme "kubernetes"',
    ],
    [
      "a Scale into a group that has none",
      "Scale",
      EXTENSIONS,
      "networking.k8s.io/v1",
      {},
      'v1beta1.Scale is not suitable for converting to "networking.k8s.io/v1" in scheme "kubernetes"',
    ],
  ]);
});
