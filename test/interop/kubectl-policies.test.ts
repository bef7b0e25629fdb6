import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Cluster, startCluster } from "../../src/cluster/index.js";
import { eventually } from "../helpers/eventually.js";
import { type RealKubectl, realKubectl } from "../helpers/run-real-kubectl.js";
import { quietCluster } from "../helpers/quiet-cluster.js";

const LIMITS = `
apiVersion: v1
kind: ConfigMap
metadata: { name: limits, namespace: default }
data: { most: "5" }
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: { name: replica-limit.example.com }
spec:
  paramKind: { apiVersion: v1, kind: ConfigMap }
  matchConstraints:
    resourceRules:
      - apiGroups: [apps]
        apiVersions: [v1]
        operations: [CREATE, UPDATE]
        resources: [deployments, deployments/scale]
  variables:
    - { name: most, expression: "int(params.data.most)" }
  validations:
    - expression: object.spec.replicas <= variables.most
      messageExpression: "'at most ' + string(variables.most) + ' replicas'"
    - expression: object.spec.replica == 1 || true
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: { name: replica-limit }
spec:
  policyName: replica-limit.example.com
  validationActions: [Deny]
  paramRef: { name: limits, namespace: default, parameterNotFoundAction: Deny }
`;

const SIDECARS = `
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicy
metadata: { name: sidecars }
spec:
  failurePolicy: Fail
  reinvocationPolicy: IfNeeded
  matchConstraints:
    resourceRules:
      - { apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods] }
  matchConditions:
    - { name: none-yet, expression: "!object.spec.?initContainers.orValue([]).exists(c, c.name == 'mesh')" }
  mutations:
    - patchType: ApplyConfiguration
      applyConfiguration:
        expression: >-
          Object{spec: Object.spec{initContainers: [
            Object.spec.initContainers{name: "mesh", image: "mesh:1", restartPolicy: "Always"}]}}
    - patchType: JSONPatch
      jsonPatch:
        expression: >-
          [JSONPatch{op: "add", path: "/metadata/labels/" + jsonpatch.escapeKey("example.com/mesh"), value: "yes"}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicyBinding
metadata: { name: sidecars }
spec: { policyName: sidecars }
`;

let cluster: Cluster;
let kubectl: RealKubectl;

beforeAll(async () => {
  cluster = await startCluster({ ...quietCluster });
  kubectl = await realKubectl(cluster);
});

afterAll(async () => {
  await kubectl[Symbol.asyncDispose]();
  await cluster[Symbol.asyncDispose]();
});

describe("the real kubectl on a server with admission policies", () => {
  const DENIED =
    "ValidatingAdmissionPolicy 'replica-limit.example.com' with binding 'replica-limit' denied request: at most 5 replicas\n";

  test("is refused an object, or a scale, that a policy with parameters refuses", async () => {
    await kubectl.ok("apply -f -", LIMITS);
    const refused = await kubectl.run("create deployment web --image=nginx --replicas=6");
    await kubectl.ok("create deployment web --image=nginx --replicas=5");
    const scaled = await kubectl.run("scale deployment web --replicas=7");
    expect([refused, scaled]).toEqual([
      {
        code: 1,
        stdout: "",
        stderr: `error: failed to create deployment: deployments.apps "web" is forbidden: ${DENIED}`,
      },
      { code: 1, stdout: "", stderr: `The deployments "web" is invalid: : ${DENIED}` },
    ]);
  });

  test("shows the warnings of the policy's type check", async () => {
    await eventually(async () => {
      const warning = "{.status.typeChecking.expressionWarnings[*].fieldRef}";
      const argv = ["get", "validatingadmissionpolicy", "replica-limit.example.com", "-o", `jsonpath=${warning}`];
      expect(await kubectl.ok(argv)).toBe("spec.validations[1].expression");
    });
  });

  test("sees the pod that mutating policies changed, and their table", async () => {
    await kubectl.ok("apply -f -", SIDECARS);
    await kubectl.ok("run p --image=nginx");
    const seen = await kubectl.ok("get pod p -o jsonpath={.metadata.labels}{.spec.initContainers[*].image}");
    const table = await kubectl.ok("get mutatingadmissionpolicies --no-headers");
    expect([seen, table.split(/\s+/).slice(0, 3)]).toEqual([
      `{"example.com/mesh":"yes","run":"p"}mesh:1`,
      ["sidecars", "2", "<unset>"],
    ]);
  });

  test("shows where the expression of a policy is wrong", async () => {
    const { code, stderr } = await kubectl.run("apply -f -", LIMITS.replace("<= variables.most", "< variables.least"));
    expect([code, stderr]).toEqual([
      1,
      [
        'The ValidatingAdmissionPolicy "replica-limit.example.com" is invalid: spec.validations[0].expression: Invalid value: "object.spec.replicas < variables.least": compilation failed: ERROR: <input>:1:33: undefined field \'least\'',
        " | object.spec.replicas < variables.least",
        " | ................................^",
        "",
      ].join("\n"),
    ]);
  });
});
