import { describe, expect, test } from "vitest";
import type { PodSpec } from "../../../src/api/types/core/v1.js";
import { candidateNames, resolvConf, resolverConfig } from "../../../src/node/network/resolver-config.js";

const DNS = "10.96.0.10";
const conf = (spec: Partial<PodSpec>): string => resolvConf(resolverConfig(spec as PodSpec, "shop", DNS));
const CLUSTER = `search shop.svc.cluster.local svc.cluster.local cluster.local\nnameserver ${DNS}\noptions ndots:5\n`;

describe("/etc/resolv.conf of a pod", () => {
  test.each<readonly [string, Partial<PodSpec>, string]>([
    ["asks the cluster's DNS by default", {}, CLUSTER],
    [
      "asks the cluster's DNS from the node's network where its policy says so",
      { hostNetwork: true, dnsPolicy: "ClusterFirstWithHostNet" },
      CLUSTER,
    ],
    ["asks the node's DNS from the node's network", { hostNetwork: true, dnsPolicy: "ClusterFirst" }, ""],
    ["asks the node's DNS with the policy Default", { dnsPolicy: "Default" }, ""],
    [
      "is what dnsConfig says with the policy None",
      {
        dnsPolicy: "None",
        dnsConfig: { nameservers: ["192.0.2.1"], searches: ["my.test"], options: [{ name: "ndots", value: "2" }] },
      },
      "search my.test\nnameserver 192.0.2.1\noptions ndots:2\n",
    ],
    [
      "has what dnsConfig adds",
      { dnsConfig: { searches: ["my.test", "cluster.local"] } },
      `search shop.svc.cluster.local svc.cluster.local cluster.local my.test\nnameserver ${DNS}\noptions ndots:5\n`,
    ],
  ])("%s", (_title, spec, text) => expect(conf(spec)).toBe(text));
});

describe("the names that a pod's resolver tries for a name", () => {
  const config = { nameservers: [DNS], searches: ["a.svc.cluster.local", "cluster.local"], ndots: 2 };
  test.each([
    ["web", ["web.a.svc.cluster.local", "web.cluster.local", "web"]],
    ["web.b.svc", ["web.b.svc", "web.b.svc.a.svc.cluster.local", "web.b.svc.cluster.local"]],
    ["web.", ["web"]],
  ])("%s", (name, tried) => expect(candidateNames(name, config)).toEqual(tried));
});
