import { expect, test } from "vitest";
import { formatFieldError } from "../../../../src/machinery/errors/field-error.js";
import type { KubeObject } from "../../../../src/machinery/meta/object.js";
import { builtinRecord } from "../../../../src/server/builtin/index.js";
import type { StrategyContext } from "../../../../src/server/registry/strategy.js";
import { serverTraits, v36, v37 } from "../../../helpers/server-traits.js";

const noBeta = await serverTraits("1.37", { DeclarativeValidationBeta: false });

/** What a server says of an object, and of a change of it. */
function told(id: string, object: object, old: object | undefined, traits = v37): readonly string[] {
  const [group = "", resource = ""] = id.split("/");
  const { strategy } = builtinRecord(group, resource) ?? {};
  const [now, before] = [object as KubeObject, old as KubeObject | undefined];
  const context = traits as StrategyContext;
  const errors =
    before === undefined ? strategy?.validate?.(now, context) : strategy?.validateUpdate?.(now, before, context);
  return (errors ?? []).map(formatFieldError);
}

const role = { rules: [{ apiGroups: [""], resources: ["pods"] }] };
const autoscaler = (maxReplicas: number) => ({
  spec: { maxReplicas, scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "d" } },
});

test.each<readonly [id: string, object: object, old: object | undefined, older: string, newer: string]>([
  [
    "rbac.authorization.k8s.io/roles",
    role,
    undefined,
    "rules[0].verbs: Required value: verbs must contain at least one value",
    "rules[0].verbs: Required value",
  ],
  [
    "node.k8s.io/runtimeclasses",
    { handler: "b" },
    { handler: "a" },
    'handler: Invalid value: "b": field is immutable',
    "handler: Invalid value: null: field is immutable",
  ],
  [
    "storage.k8s.io/storageclasses",
    { provisioner: "p", parameters: { a: "1" } },
    { provisioner: "p", parameters: {} },
    "parameters: Forbidden: updates to parameters are forbidden.",
    "parameters: Invalid value: null: field is immutable",
  ],
  [
    "discovery.k8s.io/endpointslices",
    { addressType: "IPv6", endpoints: [], ports: [] },
    { addressType: "IPv4", endpoints: [], ports: [] },
    'addressType: Invalid value: "IPv6": field is immutable',
    "addressType: Invalid value: null: field is immutable",
  ],
  [
    "autoscaling/horizontalpodautoscalers",
    autoscaler(0),
    undefined,
    "spec.maxReplicas: Invalid value: 0: must be greater than 0",
    "spec.maxReplicas: Required value",
  ],
  [
    "autoscaling/horizontalpodautoscalers",
    autoscaler(-1),
    undefined,
    "spec.maxReplicas: Invalid value: -1: must be greater than 0",
    "spec.maxReplicas: Invalid value: -1: must be greater than or equal to 1",
  ],
])(
  "K37-060: a rule of %s that Kubernetes 1.37 declares returns the message of its declarative tag: %#",
  (id, object, old, older, newer) => {
    expect(told(id, object, old, v36)).toEqual([older]);
    expect(told(id, object, old)).toEqual([newer]);
  },
);

test("K37-060: without the feature gate DeclarativeValidationBeta these declared rules are not enforced", () => {
  expect(told("rbac.authorization.k8s.io/roles", role, undefined, noBeta)).toEqual([
    "rules[0].verbs: Required value: verbs must contain at least one value",
  ]);
});
