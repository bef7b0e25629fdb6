import type { Dice } from "../dice.js";
import { ANY_REFUSAL_OR_SUCCESS, type HostileRequest, type Hostility } from "../hostility.js";
import { CRON_JOBS, DEPLOYMENTS, MAPS, NAMESPACE, PODS } from "../targets.js";
import { strangeText } from "../values.js";

const REFUSED_NAMES = ["%2e", "..", "%2e%2e", "a%2fb", "%2F", "a%25b", "%2e%2e%2f%2e%2e"];
const ABSENT_NAMES = [
  "%00",
  "a%00b",
  "%ff",
  "%c0%af",
  "%ed%a0%80",
  "__proto__",
  "constructor",
  "%F0%9F%91%A8",
  "A",
  "-",
  "%20",
  "%7f",
  "a".repeat(60_000),
  "%41".repeat(20_000),
  "%22%3e",
  "*",
  "{name}",
  "$",
  "a;b",
  "a:b",
  "a@b",
];

/** Names with slashes, dots, zeros and bytes that are no text. */
export const hostileNames: Hostility = {
  name: "hostile names",
  share: 450,
  make(dice) {
    const collection = dice.pick([MAPS, PODS, DEPLOYMENTS, CRON_JOBS]);
    const method = dice.pick(["GET", "DELETE"]);
    if (dice.chance(0.3)) return { method, path: `${collection}/${dice.pick(REFUSED_NAMES)}`, expected: [400] };
    return { method, path: `${collection}/${dice.pick(ABSENT_NAMES)}`, expected: [404] };
  },
};

const NOWHERE = [
  `/api${"/".repeat(50_000)}x`,
  `/apis${"/".repeat(50_000)}x`,
  `/openapi/v3${"/".repeat(50_000)}x`,
  `${"/".repeat(50_000)}x`,
  "/api/v1/",
  "/api//v1/pods",
  "/api/v1/namespaces/default/pods/a/b/c/d",
  "/api/v1/nobody",
  "/api/v1/pods/a",
  "/api/v9/pods",
  "/apis/nobody/v1/pods",
  "/apis/apps/v1/namespaces//deployments/a/nobody",
  "/api/__proto__/constructor",
  "/apis/constructor/v1/toString",
  "/api/v1/namespaces/default/configmaps/a/__proto__",
  "/nobody",
  "/openapi/v9",
  "/openapi/v3/apis/__proto__/v1",
  "/version/x",
  "/readyz/nobody",
  "/.well-known/x",
  `/${"a/".repeat(20_000)}`,
  `/api/v1/${"namespaces/".repeat(3000)}`,
  `/apis/${"a".repeat(60_000)}`,
];

/** Paths that nothing is served at. */
export const unknownPaths: Hostility = {
  name: "paths to nowhere",
  share: 250,
  make: (dice) => ({
    method: dice.pick(["GET", "POST", "PUT", "PATCH", "DELETE"]),
    path: dice.pick(NOWHERE),
    headers: { "content-type": "application/json" },
    expected: [200, 404, 405, 415, 400, 301],
  }),
};

/** Percent signs that begin nothing: net/http refuses the request itself. */
export const badEscapes: Hostility = {
  name: "percent signs that begin nothing",
  share: 100,
  make: (dice) => ({
    method: dice.pick(["GET", "DELETE"]),
    path: `${dice.pick([`${MAPS}/`, "/api/v1/namespaces/", "/", "/apis/"])}${dice.pick(["%", "%z", "%zz", "%4", "a%g0", "%%41"])}`,
    expected: [400],
  }),
};

const NO_LABEL_SELECTORS = [
  "=",
  "a in",
  "a in (",
  "a in (b",
  "a in b)",
  "a notin",
  "!",
  "!!a",
  "a=b=c",
  "a,,b",
  "(",
  ")",
  "a in ()b",
  "a>b",
  "a<1.5",
  "-a",
  "a=-",
  "a".repeat(64),
  `a=${"b".repeat(64)}`,
  "a/b/c=d",
];

const NO_FIELD_SELECTORS = [
  "a",
  "=",
  "==",
  "metadata.name",
  "nobody=x",
  "spec=x",
  "__proto__=x",
  "metadata.name=a=b=c,x",
  "metadata.name=\\",
  "metadata.name=a\\b",
  `${",".repeat(5000)}a`,
];

const SELECTORS = ["a=b,", "a!=b,", "!a,", "a,", "a in (b,c),", "a notin (b),", "a>1,"];

/** Selectors as long as a header may be, and ones that are none. */
export const selectors: Hostility = {
  name: "selectors",
  share: 500,
  make(dice) {
    const path = dice.pick([MAPS, PODS, DEPLOYMENTS]);
    const get = (query: string, expected: readonly number[]): HostileRequest => ({
      method: dice.chance(0.8) ? "GET" : "DELETE",
      path: `${path}?${query}`,
      expected,
    });
    switch (dice.below(6)) {
      case 0: {
        const text = `${dice.pick(SELECTORS).repeat(1 + dice.below(6000))}z=none`;
        return get(`labelSelector=${encodeURIComponent(text)}`, [200, 400]);
      }
      case 1: {
        const values = Array.from({ length: 1 + dice.below(8000) }, (_, index) => `v${index}`).join();
        return get(`labelSelector=${encodeURIComponent(`z in (${values})`)}`, [200]);
      }
      case 2:
        return get(`labelSelector=${encodeURIComponent(dice.pick(NO_LABEL_SELECTORS))}`, [400]);
      case 3:
        return get(`fieldSelector=${encodeURIComponent(dice.pick(NO_FIELD_SELECTORS))}`, [400]);
      case 4: {
        const text = `${"metadata.name!=a,".repeat(1 + dice.below(5000))}metadata.name=none`;
        return get(`fieldSelector=${encodeURIComponent(text)}`, [200]);
      }
      default:
        return get(`labelSelector=${encodeURIComponent("(".repeat(20_000))}`, [400]);
    }
  },
};

const TOKENS = (dice: Dice): string => {
  const point = (token: object) => Buffer.from(JSON.stringify(token)).toString("base64url");
  return dice.pick([
    "a",
    "!!!!",
    "A".repeat(40_000),
    point({}),
    point({ v: "meta.k8s.io/v1", rv: 0, start: "a" }),
    point({ v: "meta.k8s.io/v1", rv: 1, start: "" }),
    point({ v: "meta.k8s.io/v1", rv: 1, start: "../../../secrets" }),
    point({ v: "meta.k8s.io/v9", rv: 1, start: "a" }),
    point({ v: {}, rv: [], start: 1 }),
    Buffer.from("[".repeat(20_000)).toString("base64url"),
    Buffer.from("null").toString("base64url"),
  ]);
};

/** Tokens to go on with that no list gave. */
export const continueTokens: Hostility = {
  name: "continue tokens",
  share: 200,
  make: (dice) => ({
    method: dice.chance(0.9) ? "GET" : "DELETE",
    path: `${dice.pick([MAPS, PODS])}?limit=1&continue=${encodeURIComponent(TOKENS(dice))}`,
    expected: [400],
  }),
};

const OPTIONS = [
  "limit",
  "continue",
  "watch",
  "resourceVersion",
  "resourceVersionMatch",
  "sendInitialEvents",
  "allowWatchBookmarks",
  "timeout",
  "pretty",
  "dryRun",
  "fieldManager",
  "fieldValidation",
  "force",
  "includeObject",
  "gracePeriodSeconds",
  "propagationPolicy",
  "orphanDependents",
  "labelSelector",
  "fieldSelector",
  "exclude",
  "hash",
  "__proto__",
];

/** Every option of a query with any value. A watch ends by itself after a second. */
export const queries: Hostility = {
  name: "queries by chance",
  share: 500,
  make(dice, targets) {
    const text = () =>
      dice.chance(0.5)
        ? encodeURIComponent(strangeText(dice).replace(/[\ud800-\udfff]/g, "x"))
        : dice.pick(["", "%", "%zz", "%ff", "1", "true", "-1", "+", "&&", "=", "All", "Exact", "0"]);
    const pairs = Array.from({ length: 1 + dice.below(4) }, () => `${dice.pick(OPTIONS)}=${text()}`);
    const { collection, everywhere } = dice.pick(targets);
    const path = dice.pick([
      collection,
      everywhere,
      `${collection}/standing`,
      "/version",
      "/readyz",
      "/openapi/v3",
      "/apis",
      "/",
    ]);
    // Deleting everything is not what this is about.
    const method = dice.pick(["GET", "GET", "POST", "PUT"]);
    return {
      method,
      path: `${path}?timeoutSeconds=1&${pairs.join("&")}`,
      expected: [...ANY_REFUSAL_OR_SUCCESS, 301, 504],
    };
  },
};

/** Other methods than the API has, at any path. */
export const methods: Hostility = {
  name: "methods",
  share: 100,
  make: (dice) => ({
    method: dice.pick(["OPTIONS", "TRACE", "PROPFIND", "PURGE", "LOCK", "HEAD"]),
    path: dice.pick([
      MAPS,
      `${MAPS}/standing`,
      "/api",
      "/apis/apps",
      "/openapi/v2",
      "/version",
      `/api/v1/namespaces/${NAMESPACE}`,
    ]),
    expected: [200, 404, 405],
  }),
};
