import {
  container,
  containers,
  deployment,
  env,
  finalized,
  job,
  node,
  owned,
  podStatus,
  podWith,
  ports,
  role,
  service,
  serviceAccount,
  template,
  webhooks,
} from "./objects.js";
import { rows } from "./row.js";

const a = { name: "a", image: "1" };
const b = { name: "b", image: "1" };
const c = { name: "c", image: "1" };

/**
 * Lists: merged by key, merged as a set, or replaced. Not here: scalars that the object has twice, whose order hangs on
 * how much room Go left behind the list it read, and so differs between kubectl and kube-apiserver.
 */
export const strategicLists = rows(
  ["an element of the list's key is merged", containers(a, b), { spec: { containers: [{ name: "b", tty: true }] } }],
  ["a new element comes first", containers(a, b), { spec: { containers: [c] } }],
  ["several new elements keep their order", containers(a), { spec: { containers: [c, b] } }],
  ["new and known elements", containers(a, b), { spec: { containers: [c, { name: "a", image: "2" }] } }],
  ["known elements in another order", containers(a, b, c), { spec: { containers: [{ name: "c" }, { name: "a" }] } }],
  ["known elements in the reverse order", containers(a, b, c), { spec: { containers: [c, b, a] } }],
  ["a list that was not there", podWith({}), { spec: { containers: [a, b] } }],
  ["a list in place of null", podWith({ containers: null }), { spec: { containers: [a] } }],
  ["an empty list over one", containers(a), { spec: { containers: [] } }],
  ["a list over an empty one", containers(), { spec: { containers: [a] } }],
  ["an empty list over an empty one", containers(), { spec: { containers: [] } }],
  ["null takes the list", containers(a), { spec: { containers: null } }],
  ["null in an element takes a field", containers(a), { spec: { containers: [{ name: "a", image: null }] } }],
  ["null for an element's key takes it", containers(a), { spec: { containers: [{ name: null, image: "2" }] } }],
  ["nulls of a new element are dropped", containers(a), { spec: { containers: [{ name: "n", image: null }] } }],
  ["nulls of a new list are dropped", podWith({}), { spec: { containers: [{ name: "n", image: null }] } }],

  ["an element without its key in the patch", containers(a), { spec: { containers: [{ image: "2" }] } }],
  ["an element without its key in the object", containers({ image: "1" }), { spec: { containers: [a] } }],
  ["elements without key in both", containers({ image: "1" }), { spec: { containers: [{ image: "2" }] } }],
  ["a new list of an element without its key", podWith({}), { spec: { containers: [{ image: "2" }] } }],
  [
    "two elements of one key in the patch",
    containers(a),
    {
      spec: {
        containers: [
          { ...a, tty: true },
          { ...a, stdin: true },
        ],
      },
    },
  ],
  [
    "two new elements of one key",
    containers(a),
    {
      spec: {
        containers: [
          { ...b, tty: true },
          { ...b, stdin: true },
        ],
      },
    },
  ],
  [
    "two elements of one key in the object",
    containers(a, { ...a, tty: true }),
    { spec: { containers: [{ name: "a", image: "2" }] } },
  ],
  ["a key of another type", containers({ name: 1 }), { spec: { containers: [{ name: "1", image: "x" }] } }],
  ["a key that is true", containers({ name: true }), { spec: { containers: [{ name: true, image: "x" }] } }],
  ["an element that is no object", containers(a), { spec: { containers: ["a"] } }],
  ["an element that is null", containers(a), { spec: { containers: [null] } }],
  ["an element that is a list", containers(a), { spec: { containers: [[a]] } }],
  ["elements of two types", containers(a), { spec: { containers: [b, "c"] } }],
  ["elements of two types in the object", containers(a, "b"), { spec: { containers: [b] } }],
  ["scalars over scalars where objects belong", containers("a", "b"), { spec: { containers: ["b", "c"] } }],

  [
    "ports by number",
    ports({ containerPort: 80, name: "w" }),
    { spec: { containers: [{ name: "c", ports: [{ containerPort: 80, hostPort: 1 }] }] } },
  ],
  [
    "ports by number and fraction",
    ports({ containerPort: 80 }),
    { spec: { containers: [{ name: "c", ports: [{ containerPort: 80.5 }] }] } },
  ],
  [
    "ports by a number as text",
    ports({ containerPort: 80 }),
    { spec: { containers: [{ name: "c", ports: [{ containerPort: "80" }] }] } },
  ],
  [
    "two ports of one number and two protocols",
    ports({ containerPort: 53, protocol: "TCP" }, { containerPort: 53, protocol: "UDP" }),
    { spec: { containers: [{ name: "c", ports: [{ containerPort: 53, protocol: "UDP", name: "u" }] }] } },
  ],
  [
    "environment by name",
    env({ name: "A", value: "1" }, { name: "B", value: "1" }),
    {
      spec: {
        containers: [
          {
            name: "c",
            env: [
              { name: "B", value: "2" },
              { name: "C", value: "3" },
            ],
          },
        ],
      },
    },
  ],
  [
    "a variable's value for its source",
    env({ name: "A", value: "1" }),
    {
      spec: {
        containers: [{ name: "c", env: [{ name: "A", value: null, valueFrom: { fieldRef: { fieldPath: "x" } } }] }],
      },
    },
  ],
  [
    "mounts by path",
    container({ volumeMounts: [{ mountPath: "/a", name: "v" }] }),
    { spec: { containers: [{ name: "c", volumeMounts: [{ mountPath: "/a", readOnly: true }] }] } },
  ],
  [
    "devices by path",
    container({ volumeDevices: [{ devicePath: "/a", name: "v" }] }),
    { spec: { containers: [{ name: "c", volumeDevices: [{ devicePath: "/b", name: "w" }] }] } },
  ],
  ["arguments are replaced", container({ args: ["a", "b"] }), { spec: { containers: [{ name: "c", args: ["b"] }] } }],
  [
    "envFrom is replaced",
    container({ envFrom: [{ prefix: "a" }] }),
    { spec: { containers: [{ name: "c", envFrom: [{ prefix: "b" }] }] } },
  ],
  ["tolerations are replaced", podWith({ tolerations: [{ key: "a" }] }), { spec: { tolerations: [{ key: "b" }] } }],
  [
    "a replaced list keeps nulls in its objects",
    podWith({ tolerations: [{ key: "a" }] }),
    { spec: { tolerations: [{ key: "b", value: null }] } },
  ],
  ["a new list of a replaced kind drops nulls", podWith({}), { spec: { tolerations: [{ key: "b", value: null }] } }],
  [
    "a replaced list keeps directives",
    podWith({ tolerations: [{ key: "a" }] }),
    { spec: { tolerations: [{ key: "b", $patch: "delete" }] } },
  ],
  [
    "a list of lists is replaced where lists are",
    container({ args: ["a"] }),
    { spec: { containers: [{ name: "c", args: [["a"]] }] } },
  ],
  [
    "host aliases by address",
    podWith({ hostAliases: [{ ip: "1", hostnames: ["a"] }] }),
    { spec: { hostAliases: [{ ip: "1", hostnames: ["b"] }, { ip: "2" }] } },
  ],
  [
    "pull secrets by name",
    podWith({ imagePullSecrets: [{ name: "a" }] }),
    { spec: { imagePullSecrets: [{ name: "b" }] } },
  ],
  [
    "spread constraints by topology",
    podWith({ topologySpreadConstraints: [{ topologyKey: "z", maxSkew: 1 }] }),
    { spec: { topologySpreadConstraints: [{ topologyKey: "z", maxSkew: 2 }] } },
  ],
  ["init containers", template({ initContainers: [a] }), { spec: { template: { spec: { initContainers: [b] } } } }],
  [
    "conditions by type",
    podStatus({ conditions: [{ type: "Ready", status: "False" }] }),
    {
      status: {
        conditions: [
          { type: "Ready", status: "True" },
          { type: "X", status: "True" },
        ],
      },
    },
  ],
  ["pod addresses by ip", podStatus({ podIPs: [{ ip: "1" }] }), { status: { podIPs: [{ ip: "2" }] } }],
  [
    "a deployment's conditions",
    { ...deployment({}), status: { conditions: [{ type: "A", status: "1" }] } },
    { status: { conditions: [{ type: "A", status: "2" }] } },
  ],
  [
    "service ports by number",
    service({ ports: [{ port: 80, name: "a" }, { port: 81 }] }),
    { spec: { ports: [{ port: 81, name: "b" }, { port: 82 }] } },
  ],
  ["a service's addresses are replaced", service({ externalIPs: ["1", "2"] }), { spec: { externalIPs: ["3"] } }],
  ["a service account's secrets", serviceAccount({ secrets: [{ name: "a" }] }), { secrets: [{ name: "b" }] }],
  [
    "a service account's pull secrets",
    serviceAccount({ imagePullSecrets: [{ name: "a" }] }),
    { imagePullSecrets: [{ name: "b" }] },
  ],
  [
    "webhooks by name",
    webhooks({ name: "a", rules: [{ operations: ["*"] }] }),
    { webhooks: [{ name: "a", rules: [{ operations: ["CREATE"] }] }, { name: "b" }] },
  ],
  ["rules are replaced", role({ verbs: ["get"] }), { rules: [{ verbs: ["list"] }] }],
  [
    "a job's conditions",
    { ...job({}), status: { conditions: [{ type: "Complete" }] } },
    { status: { conditions: [{ type: "Failed" }] } },
  ],
  [
    "owners by uid",
    owned({ uid: "1", name: "a" }, { uid: "2", name: "b" }),
    { metadata: { ownerReferences: [{ uid: "2", controller: true }, { uid: "3" }] } },
  ],

  ["scalars merge as a set", finalized("a", "b"), { metadata: { finalizers: ["c", "a"] } }],
  ["scalars that are there", finalized("a", "b"), { metadata: { finalizers: ["b"] } }],
  ["scalars in another order", finalized("a", "b", "c"), { metadata: { finalizers: ["c", "b", "a"] } }],
  ["scalars twice in the patch", finalized("a"), { metadata: { finalizers: ["b", "b", "c", "b"] } }],
  ["scalars over none", finalized(), { metadata: { finalizers: ["a"] } }],
  ["no scalars over some", finalized("a"), { metadata: { finalizers: [] } }],
  ["scalars of another type", finalized("a"), { metadata: { finalizers: [1] } }],
  ["a null among scalars", finalized("a"), { metadata: { finalizers: [null] } }],
  ["a node's networks merge as a set", node({ podCIDRs: ["1", "2"] }), { spec: { podCIDRs: ["3", "2"] } }],
  ["a node's taints are replaced", node({ taints: [{ key: "a" }] }), { spec: { taints: [{ key: "b" }] } }],
  [
    "a node's addresses by type",
    node({}, { addresses: [{ type: "A", address: "1" }] }),
    { status: { addresses: [{ type: "A", address: "2" }] } },
  ],
);
