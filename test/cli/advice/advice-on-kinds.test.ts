import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startCluster } from "../../../src/cluster/index.js";
import { runCli } from "../../helpers/run-cli.js";

const BOTH = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: carts.shop.example.com}
spec:
  group: shop.example.com
  names: {kind: Cart, plural: carts}
  scope: Namespaced
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}
---
apiVersion: shop.example.com/v1
kind: Cart
metadata: {name: first}
`;
const REFUSED = `error: resource mapping not found for name: "first" namespace: "" from "both.yaml": no matches for kind "Cart" in version "shop.example.com/v1"
ensure CRDs are installed first
`;
const ADVICE = `Kinds of shop.example.com are defined by now. If Cart is among them, run the command again, or "apply --ordered", which applies definitions first and waits for them.
`;

test.each([
  ["a terminal says what to do", true, REFUSED + ADVICE],
  ["a script sees kubectl's words alone", false, REFUSED],
])("applying a definition together with an object of its kind fails, and %s", async (_name, terminal, stderr) => {
  const cwd = mkdtempSync(join(tmpdir(), "kubets-advice-"));
  const cluster = await startCluster({ controllers: false });
  try {
    writeFileSync(join(cwd, "both.yaml"), BOTH);
    writeFileSync(join(cwd, "kubeconfig"), cluster.kubeconfig());
    const env = { HOME: cwd, KUBECONFIG: join(cwd, "kubeconfig"), NO_COLOR: "1" };
    const { code, stderr: said } = await runCli(["apply", "-f", "both.yaml"], { cwd, env, terminal });
    expect([code, said]).toEqual([1, stderr]);
  } finally {
    await cluster.close();
  }
});
