import type { ControllerContext } from "../context.js";
import { unlessChanged } from "../unless-changed.js";
import { aggregatedRules, same } from "./aggregated-rules.js";

const NAME = "clusterrole-aggregation-controller";
const GROUP_VERSION = "rbac.authorization.k8s.io/v1";

/** Gives a ClusterRole with an aggregation rule the rules of those that it selects. */
export function clusterRoleAggregation({ client, manager }: ControllerContext): void {
  const roles = manager.informers.of(GROUP_VERSION, "ClusterRole").lister;
  const aggregating = () => roles.list().filter(({ aggregationRule }) => aggregationRule != null);
  manager
    .controllerFor(GROUP_VERSION, "ClusterRole", { when: ({ aggregationRule }) => aggregationRule != null })
    .named(NAME)
    .workers(5)
    .watches(GROUP_VERSION, "ClusterRole", () =>
      aggregating().map(({ metadata }) => ({ namespace: "", name: metadata?.name ?? "" })),
    )
    .reconcile(async ({ name, object: role }) => {
      if (role?.aggregationRule == null) return;
      const rules = aggregatedRules(role, roles.list());
      if (same(rules, role.rules ?? [])) return;
      // With the uid: without it the apply would create the role again that was deleted since.
      const metadata = { name, ...(role.metadata?.uid !== undefined && { uid: role.metadata.uid }) };
      const applied = { apiVersion: GROUP_VERSION, kind: "ClusterRole", metadata, rules } as const;
      await unlessChanged(client.of(GROUP_VERSION, "ClusterRole").apply(applied, { fieldManager: NAME, force: true }));
    });
}
