import { describe, expect, test } from "vitest";
import { parseRequestInfo } from "../../../src/server/request/request-info.js";
import { rolesOfRights } from "../../../src/cluster/rbac/roles-of-rights.js";
import { rolesYaml } from "../../../src/cluster/rbac/roles-yaml.js";
import { SeenRights } from "../../../src/cluster/rbac/seen-rights.js";

/** The rights that requests ask for, each "GET /api/v1/pods?watch=1". */
function seen(...requests: readonly string[]) {
  const rights = new SeenRights();
  for (const request of requests) {
    const [method = "", url = ""] = request.split(" ");
    const [path = "", query = ""] = url.split("?");
    rights.add(parseRequestInfo(method, path, new URLSearchParams(query)));
  }
  return rights.sorted();
}

/** The rules of each role, on a line each: "shop: apps deployments/scale [get update]". */
function rulesOf(...requests: readonly string[]): readonly string[] {
  return rolesOfRights(seen(...requests), "operator").flatMap(({ role }) =>
    (role.rules ?? []).map(({ apiGroups, resources, nonResourceURLs, verbs }) => {
      const place = role.kind === "Role" ? role.metadata?.namespace : "cluster";
      const group = apiGroups?.map((name) => (name === "" ? "core" : name)).join() ?? "urls";
      return `${place}: ${group} ${(resources ?? nonResourceURLs)?.join()} [${verbs.join(" ")}]`;
    }),
  );
}

const SHOP = "namespaces/shop";

describe("the roles of the rights that were seen", () => {
  test("are none where nothing was asked for", () => {
    expect(rolesOfRights([], "operator")).toEqual([]);
  });

  test("have a ClusterRole for the cluster and all namespaces, and a Role for each namespace", () => {
    const requests = ["GET /api/v1/nodes/one", "GET /api/v1/pods", "GET /api/v1/namespaces/b/secrets/x"];
    const roles = rolesOfRights(seen(...requests, "GET /api/v1/namespaces/a/secrets/x"), "operator");
    expect(roles.map(({ role }) => role)).toEqual([
      {
        apiVersion: "rbac.authorization.k8s.io/v1",
        kind: "ClusterRole",
        metadata: { name: "operator" },
        rules: [
          { apiGroups: [""], resources: ["nodes"], verbs: ["get"] },
          { apiGroups: [""], resources: ["pods"], verbs: ["list"] },
        ],
      },
      ...["a", "b"].map((namespace) => ({
        apiVersion: "rbac.authorization.k8s.io/v1",
        kind: "Role",
        metadata: { name: "operator", namespace },
        rules: [{ apiGroups: [""], resources: ["secrets"], verbs: ["get"] }],
      })),
    ]);
  });

  test("have one rule for the resources of a group with the same verbs, and one for each other group", () => {
    expect(
      rulesOf(
        `GET /api/v1/${SHOP}/secrets/a`,
        `GET /api/v1/${SHOP}/configmaps/a`,
        `POST /api/v1/${SHOP}/secrets`,
        `POST /api/v1/${SHOP}/configmaps`,
        `GET /api/v1/${SHOP}/pods/a`,
        `GET /apis/apps/v1/${SHOP}/deployments/a`,
      ),
    ).toEqual(["shop: core configmaps,secrets [create get]", "shop: core pods [get]", "shop: apps deployments [get]"]);
  });

  test("have subresources apart from their resource", () => {
    expect(
      rulesOf(
        `PUT /apis/apps/v1/${SHOP}/deployments/web/status`,
        `PATCH /apis/apps/v1/${SHOP}/deployments/web`,
        `GET /api/v1/${SHOP}/pods/web/log`,
      ),
    ).toEqual([
      "shop: core pods/log [get]",
      "shop: apps deployments [patch]",
      "shop: apps deployments/status [update]",
    ]);
  });

  test("repeat no right of the ClusterRole in a Role", () => {
    expect(rulesOf("GET /api/v1/pods?watch=1", `GET /api/v1/${SHOP}/pods?watch=1`, `GET /api/v1/${SHOP}/pods`)).toEqual(
      ["cluster: core pods [watch]", "shop: core pods [list]"],
    );
  });

  test("have a request for a namespace in the ClusterRole, because a namespace is a resource of the cluster", () => {
    expect(rulesOf(`GET /api/v1/${SHOP}`, `PUT /api/v1/${SHOP}/finalize`, "POST /api/v1/namespaces")).toEqual([
      "cluster: core namespaces [create get]",
      "cluster: core namespaces/finalize [update]",
    ]);
  });

  test("have paths that are no resource in the last rules of the ClusterRole", () => {
    expect(rulesOf("GET /metrics", "GET /logs/", "POST /hook", "GET /api/v1/nodes")).toEqual([
      "cluster: core nodes [list]",
      "cluster: urls /hook [post]",
      "cluster: urls /logs/,/metrics [get]",
    ]);
  });

  test("do not depend on the order of the requests", () => {
    const requests = [
      "GET /api/v1/nodes",
      `DELETE /api/v1/${SHOP}/pods/a`,
      `DELETE /api/v1/${SHOP}/pods`,
      `POST /api/v1/${SHOP}/pods`,
      `GET /apis/batch/v1/${SHOP}/jobs?watch=true`,
      "GET /metrics",
    ];
    expect(rulesOf(...[...requests].reverse())).toEqual(rulesOf(...requests));
    expect(rulesOf(...requests)).toContain("shop: core pods [create delete deletecollection]");
  });
});

test("a right counts its requests and the names in them", () => {
  const names = ["b", "a", "b"].map((name) => `GET /api/v1/${SHOP}/pods/${name}`);
  expect(seen(...names, `GET /api/v1/${SHOP}/pods`)).toEqual([
    expect.objectContaining({ verb: "get", resource: "pods", namespace: "shop", names: ["a", "b"], requests: 3 }),
    expect.objectContaining({ verb: "list", resource: "pods", namespace: "shop", names: [""], requests: 1 }),
  ]);
});

describe("the YAML", () => {
  const yamlOf = (requests: readonly string[], refused: readonly string[] = []): string => {
    const rights = seen(...requests).map((right) => ({ ...right, refused: refused.includes(right.resource) ? 1 : 0 }));
    return rolesYaml(rolesOfRights(rights, "operator"), { user: "jane", requests: requests.length, rights });
  };

  test("says that it is what was seen, of whom, and in how many requests", () => {
    expect(yamlOf([`GET /api/v1/${SHOP}/pods/a`])).toBe(
      [
        '# The rights that the user "jane" was seen to use, in 1 request.',
        "# They are what was seen, not what is needed: a run that took another path would have asked for other rights.",
        "# Rights that every authenticated user has are left out.",
        "---",
        "apiVersion: rbac.authorization.k8s.io/v1",
        "kind: Role",
        "metadata:",
        "  name: operator",
        "  namespace: shop",
        "rules:",
        "- apiGroups:",
        '  - ""',
        "  resources:",
        "  - pods",
        "  verbs:",
        "  - get",
        "",
      ].join("\n"),
    );
  });

  test("marks the rights that the server refused", () => {
    const text = yamlOf(["GET /api/v1/nodes", `GET /apis/apps/v1/${SHOP}/deployments/web/scale`], ["deployments"]);
    expect(text).toContain(
      "---\n# The server refused these (403):\n#   get deployments.apps/scale\napiVersion: rbac.authorization.k8s.io/v1\nkind: Role\n",
    );
    expect(text.match(/refused/g)).toHaveLength(1);
  });

  test.each([
    [
      "roles need the rights that they grant",
      `POST /apis/rbac.authorization.k8s.io/v1/${SHOP}/roles`,
      "escalate and bind",
    ],
    [
      "approved certificates need a right to their signer",
      "PUT /apis/certificates.k8s.io/v1/certificatesigningrequests/a/approval",
      "signers.certificates.k8s.io",
    ],
  ])("says that %s, which a request does not show", (_title, request, text) => {
    expect(yamlOf([request])).toContain(text);
    expect(yamlOf([request.replace(/^\w+/, "GET")])).not.toContain(text);
  });

  test("keeps a line break in a name inside its comment", () => {
    expect(yamlOf([`GET /apis/a%0Ab/v1/${SHOP}/things%0Akind:/x`], ["things\nkind:"])).toContain(
      "#   get things?kind:.a?b\n",
    );
  });
});
