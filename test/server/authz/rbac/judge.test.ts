import { expect, test } from "vitest";
import type { KubeObject } from "../../../../src/machinery/meta/object.js";
import { rbacMode } from "../../../../src/server/authz/rbac/rbac-mode.js";
import { isAllowed, rulesFor } from "./naive-reading.js";
import { PolicyWorld } from "./policy-world.js";
import { below, NAMESPACES, randomObject, randomRequest, randomUser } from "./random-policy.js";

const SETS = 100_000;
/** A world is filled anew after so many sets. Between them one object of it changes, which the authorizer's indexes must follow. */
const SETS_OF_A_WORLD = 50;

const keyOf = ({ kind, metadata }: KubeObject): string => `${kind} ${metadata?.namespace ?? ""}/${metadata?.name}`;

/** Holds our answers against the naive reading of one world whose objects come, change and go. */
function judge(seed: number): { allowed: number; refused: number } {
  const random = below(seed);
  const world = new PolicyWorld();
  const objects = new Map<string, KubeObject>();
  const put = () => {
    const object = randomObject(random);
    objects.set(keyOf(object), object);
    world.put(object);
  };
  for (let count = 5 + random(20); count > 0; count--) put();
  const mode = rbacMode(world.context);
  const tally = { allowed: 0, refused: 0 };
  for (let set = 0; set < SETS_OF_A_WORLD; set++) {
    if (random(3) > 0) put();
    else {
      const gone = [...objects.values()][random(objects.size)];
      if (gone !== undefined && objects.delete(keyOf(gone))) world.remove(gone);
    }
    const now = [...objects.values()];
    const request = randomRequest(random);
    const expected = isAllowed(now, request);
    tally[expected ? "allowed" : "refused"]++;
    const found = mode.authorize(request);
    const decision = found instanceof Promise ? "a promise" : found.decision;
    if (decision !== (expected ? "allow" : "no-opinion")) {
      throw new Error(`seed ${seed}, set ${set}: ${decision} of ${JSON.stringify(request)} in ${JSON.stringify(now)}`);
    }
    if (set % 10 === 0) sameRights(mode.rightsOf, seed, set);
  }
  return tally;

  function sameRights(rightsOf: ReturnType<typeof rbacMode>["rightsOf"], at: number, set: number): void {
    const user = randomUser(random);
    const namespace = NAMESPACES[random(NAMESPACES.length)] ?? "";
    const found = rightsOf?.(user, namespace);
    if (found === undefined || found instanceof Promise) throw new Error(`seed ${at}, set ${set}: no rights at once`);
    const expected = rulesFor([...objects.values()], user, namespace).map((rule) => JSON.stringify(sorted(rule)));
    const ours = [...found.resourceRules, ...found.nonResourceRules].map((rule) => JSON.stringify(sorted(rule)));
    expect(ours.sort(), `seed ${at}, set ${set}`).toEqual(expected.sort());
  }
}

const sorted = (rule: object): object => Object.fromEntries(Object.entries(rule).sort(([a], [b]) => (a < b ? -1 : 1)));

test(`RBAC decides ${SETS} random sets of roles and requests as a simple evaluation of the rules does (RBAC-1 to RBAC-4)`, () => {
  const first = Math.trunc(Date.now() / 1000);
  const tally = { allowed: 0, refused: 0 };
  for (let seed = first; seed < first + SETS / SETS_OF_A_WORLD; seed++) {
    const { allowed, refused } = judge(seed);
    tally.allowed += allowed;
    tally.refused += refused;
  }
  // Neither answer may be rare, or the comparison would show little.
  expect(Math.min(tally.allowed, tally.refused)).toBeGreaterThan(SETS / 10);
});
