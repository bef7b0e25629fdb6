import type { FieldsOf } from "../../machinery/meta/received.js";
import type { ObjectMeta } from "../../machinery/meta/object.js";
import type { ControllerContext } from "../context.js";
import { unlessChanged } from "../writes.js";
import type { ClusterRole, PolicyRule } from "../../api/types/rbac/v1.js";
import { deepEqual } from "../../machinery/patch/json-values.js";
import { selectorFromObject } from "../../machinery/selectors/api-label-selector.js";

const NAME = "clusterrole-aggregation-controller";
const GROUP_VERSION = "rbac.authorization.k8s.io/v1";

/** Fills a ClusterRole that has an aggregation rule with the rules of the roles that it selects. */
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
      const metadata = {
        name,
        ...(role.metadata?.uid !== undefined && ({ uid: role.metadata.uid } satisfies FieldsOf<ObjectMeta>)),
      };
      const applied = {
        apiVersion: GROUP_VERSION,
        kind: "ClusterRole",
        metadata,
        rules,
      } as const satisfies FieldsOf<ClusterRole>;
      await unlessChanged(client.of(GROUP_VERSION, "ClusterRole").apply(applied, { fieldManager: NAME, force: true }));
    });
}

/** The rules of the roles that a role's selectors match, selector by selector and by the roles' names, each rule once. */
export function aggregatedRules(role: ClusterRole, roles: readonly ClusterRole[]): PolicyRule[] {
  const nameOf = ({ metadata }: ClusterRole): string => metadata?.name ?? "";
  const others = roles.filter((other) => nameOf(other) !== nameOf(role));
  others.sort((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1));
  const rules: PolicyRule[] = [];
  for (const selected of role.aggregationRule?.clusterRoleSelectors ?? []) {
    const selector = selectorFromObject(selected);
    const matching = others.filter(({ metadata }) => selector.matches(metadata?.labels));
    for (const rule of matching.flatMap(({ rules: own }) => own ?? [])) {
      if (!rules.some((known) => same(known, rule))) rules.push(rule);
    }
  }
  return rules;
}

function same(one: unknown, other: unknown): boolean {
  return deepEqual(one, other);
}
