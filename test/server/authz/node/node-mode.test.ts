import { describe, expect, test } from "vitest";
import { nodeMode } from "../../../../src/server/authz/node/node-mode.js";
import { asks, asksPath, user } from "../asked.js";
import { pod, StoredObjects } from "./stored-objects.js";

const kubelet = user("system:node:n1", "system:nodes");

const stored = new StoredObjects();
stored.put("/pods", pod("web", "n1", { serviceAccountName: "app" }));
const mode = nodeMode(stored.context);

const ownPods = { fieldSelector: [{ field: "spec.nodeName", operator: "=" as const, value: "n1" }] };
const othersPods = { fieldSelector: [{ field: "spec.nodeName", operator: "=" as const, value: "n2" }] };
const notOwnPods = { fieldSelector: [{ field: "spec.nodeName", operator: "!=" as const, value: "n1" }] };
const otherField = { fieldSelector: [{ field: "metadata.name", operator: "=" as const, value: "n1" }] };

const SLICES = "can only list/watch/deletecollection resourceslices with nodeName field selector";
const REQUESTS = "can only list/watch podcertificaterequests with nodeName field selector";
const PODS = "can only list/watch pods with spec.nodeName field selector";

/** AUZ-2 and AUZ-5b of the source code book: the mode Node. */
describe("the Node authorizer recognizes a kubelet's user", () => {
  const rows = [
    ["a user of another name is none", user("jane", "system:nodes"), undefined],
    ["a node's name without the group is none", user("system:node:n1"), undefined],
    ["a user whose name only begins alike is none", user("system:nodes:n1", "system:nodes"), undefined],
    ["a node without a name is unknown", user("system:node:", "system:nodes"), 'unknown node for user "system:node:"'],
  ] as const;
  test.each(rows)("%s", (_, who, reason) => {
    expect(mode.authorize(asks(who, "list services shop/"))).toEqual({
      decision: "no-opinion",
      ...(reason !== undefined && { reason }),
    });
  });

  test("a name with a colon is a node's name", () => {
    const odd = user("system:node:a:b", "system:nodes");
    expect(mode.authorize(asks(odd, "get nodes a:b"))).toEqual({ decision: "allow" });
  });
});

/** `true` is allowed, a text is the reason of a refusal, "" a refusal without one. */
type Row = readonly [asked: string, outcome: true | string, more?: object];

const ROWS: readonly Row[] = [
  ["create secrets shop/", "can only read resources of this type"],
  ["update secrets shop/s", "can only read resources of this type"],
  ["delete configmaps shop/c", "can only read resources of this type"],
  ["deletecollection secrets shop/", "can only read resources of this type"],
  ["get secrets/x shop/s", "cannot read subresource"],
  ["list secrets /", "can only read namespaced object of this type"],
  ["list secrets shop/", "No Object name found"],
  ["watch configmaps shop/", "No Object name found"],
  ["list persistentvolumeclaims shop/", "can only get individual resources of this type"],
  ["get persistentvolumeclaims/x shop/c", "cannot get subresource"],
  ["get persistentvolumeclaims/status shop/c", "can only get/update/patch this type"],
  ["list persistentvolumes /", "can only get individual resources of this type"],
  ["watch storage.k8s.io/volumeattachments /", "can only get individual resources of this type"],
  ["list resource.k8s.io/resourceclaims shop/", "can only get individual resources of this type"],
  ["update resource.k8s.io/resourceclaims/status shop/c", "can only get individual resources of this type"],
  ["get serviceaccounts shop/app", true],
  ["get serviceaccounts shop/other", "no relationship found between node 'n1' and this object"],
  ["list serviceaccounts shop/", "can only create tokens for individual service accounts"],
  ["create serviceaccounts shop/app", "can only create token subresource of serviceaccount"],
  ["create serviceaccounts/token shop/", "can only create tokens for individual service accounts"],
  ["get serviceaccounts/token shop/app", "can only create tokens for individual service accounts"],
  ["create coordination.k8s.io/leases kube-node-lease/", true],
  ["get coordination.k8s.io/leases kube-node-lease/n1", true],
  ["update coordination.k8s.io/leases kube-node-lease/n1", true],
  ["patch coordination.k8s.io/leases kube-node-lease/n1", true],
  ["delete coordination.k8s.io/leases kube-node-lease/n1", true],
  [
    "get coordination.k8s.io/leases kube-node-lease/n2",
    "can only access node lease with the same name as the requesting node",
  ],
  ["get coordination.k8s.io/leases shop/n1", 'can only access leases in the "kube-node-lease" system namespace'],
  ["list coordination.k8s.io/leases kube-node-lease/", "can only get, create, update, patch, or delete a node lease"],
  ["create storage.k8s.io/csinodes /", true],
  ["get storage.k8s.io/csinodes n1", true],
  ["delete storage.k8s.io/csinodes n1", true],
  ["update storage.k8s.io/csinodes n2", "can only access CSINode with the same name as the requesting node"],
  ["update storage.k8s.io/csinodes/status n1", "cannot authorize CSINode subresources"],
  ["watch storage.k8s.io/csinodes /", "can only get, create, update, patch, or delete a CSINode"],
  ["create resource.k8s.io/resourceslices /", true],
  ["list resource.k8s.io/resourceslices /", true, ownPods],
  ["watch resource.k8s.io/resourceslices /", true, ownPods],
  ["deletecollection resource.k8s.io/resourceslices /", true, ownPods],
  ["list resource.k8s.io/resourceslices /", SLICES],
  ["list resource.k8s.io/resourceslices /", SLICES, othersPods],
  ["deletecollection resource.k8s.io/resourceslices /", SLICES, notOwnPods],
  ["get resource.k8s.io/resourceslices/status s", "cannot authorize ResourceSlice subresources"],
  [
    "proxy resource.k8s.io/resourceslices s",
    "only the following verbs are allowed for a ResourceSlice: get, watch, list, create, update, patch, delete, deletecollection",
  ],
  ["create certificates.k8s.io/podcertificaterequests shop/", true],
  ["list certificates.k8s.io/podcertificaterequests /", true, ownPods],
  ["list certificates.k8s.io/podcertificaterequests /", REQUESTS],
  ["watch certificates.k8s.io/podcertificaterequests /", REQUESTS, othersPods],
  [
    "update certificates.k8s.io/podcertificaterequests/status shop/r",
    "nodes may not access the status subresource of PodCertificateRequests",
  ],
  ["delete certificates.k8s.io/podcertificaterequests shop/r", "nodes may not delete podcertificaterequests"],
  ["create nodes /", true],
  ["update nodes n1", true],
  ["patch nodes/status n1", true],
  ["get nodes n1", true],
  ["list nodes n1", true],
  ["watch nodes n1", true],
  ["get nodes n2", "node 'n1' cannot read 'n2', only its own Node object"],
  ["list nodes /", "node 'n1' cannot read all nodes, only its own Node object"],
  ["delete nodes n1", ""],
  ["get nodes/status n1", ""],
  ["create nodes/proxy n1", ""],
  ["list pods /", true, ownPods],
  ["watch pods /", true, ownPods],
  ["list pods /", PODS],
  ["list pods /", PODS, othersPods],
  ["watch pods /", PODS, notOwnPods],
  ["list pods shop/", PODS, otherField],
  ["create pods shop/", true],
  ["delete pods shop/web", true],
  ["update pods shop/web", ""],
  ["patch pods shop/web", ""],
  ["deletecollection pods shop/", ""],
  ["patch pods/status shop/web", true],
  ["update pods/status shop/web", true],
  ["get pods/status shop/web", ""],
  ["create pods/eviction shop/web", true],
  ["get pods/log shop/web", ""],
  ["create pods/exec shop/web", ""],
  ["list services /", true],
  ["watch services /", true],
  ["create services shop/", ""],
  ["create events shop/", true],
  ["patch events.k8s.io/events shop/e", true],
  ["delete events shop/e", ""],
  ["get endpoints shop/web", true],
  ["list endpoints shop/", ""],
  ["create certificates.k8s.io/certificatesigningrequests /", true],
  ["update certificates.k8s.io/certificatesigningrequests/approval r", ""],
  ["create authentication.k8s.io/tokenreviews /", true],
  ["create authorization.k8s.io/subjectaccessreviews /", true],
  ["list storage.k8s.io/csidrivers /", true],
  ["list node.k8s.io/runtimeclasses /", true],
  ["list apps/deployments shop/", ""],
  ["create rbac.authorization.k8s.io/clusterrolebindings /", ""],
];

describe("the Node authorizer, asked by the kubelet of node n1 to", () => {
  test.each(ROWS.map(([asked, outcome, more = {}]) => ({ asked, outcome, more })))(
    "$asked: $outcome",
    ({ asked, outcome, more }) => {
      expect(mode.authorize(asks(kubelet, asked, more))).toEqual(
        outcome === true
          ? { decision: "allow" }
          : { decision: "no-opinion", ...(outcome !== "" && { reason: outcome }) },
      );
    },
  );

  test("read a non-resource path, has no opinion", () => {
    expect(mode.authorize(asksPath(kubelet, "get", "/healthz"))).toEqual({ decision: "no-opinion" });
  });
});

test("the Node authorizer cannot list a kubelet's rights, and gives other users none", async () => {
  const none = { resourceRules: [], nonResourceRules: [] };
  expect(await mode.rightsOf?.(kubelet, "shop")).toEqual({
    ...none,
    incomplete: true,
    error: "node authorizer does not support user rule resolution",
  });
  expect(await mode.rightsOf?.(user("jane"), "shop")).toEqual({ ...none, incomplete: false });
});
