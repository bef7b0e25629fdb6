import { afterAll, beforeAll, describe } from "vitest";
import { certificateRequest } from "../../helpers/certificate-request.js";
import { MERGE } from "../arena.js";
import { type Attack, AttackedCluster, defendAgainst, type Line, SHOP, VAULT } from "./attacked-cluster.js";

const REQUESTS = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
const KUBE_SYSTEM = "/api/v1/namespaces/kube-system";

let cluster: AttackedCluster;
beforeAll(async () => {
  for (const subject of SUBJECTS) pem.set(subject, (await certificateRequest(subject)).request);
  cluster = await AttackedCluster.open();
  await cluster.arena.create(REQUESTS, request("waiting", "CN=jane"));
});
afterAll(() => cluster[Symbol.asyncDispose]());

const pem = new Map<string, string>();
const SUBJECTS = [
  "CN=jane",
  "CN=admin,O=system:masters",
  "CN=system:node:node-1,O=system:nodes",
  "CN=system:apiserver",
];
const SIGNERS = ["kube-apiserver-client", "kube-apiserver-client-kubelet", "kubelet-serving", "legacy-unknown"];

const request = (name: string, subject: string, signer = "kube-apiserver-client", usages = ["client auth"]) => ({
  metadata: { name },
  spec: {
    request: Buffer.from(pem.get(subject) ?? "").toString("base64"),
    signerName: `kubernetes.io/${signer}`,
    usages,
  },
});
const one = (title: string, line: Line, answers: Attack["answers"] = {}): Attack => ({
  title,
  lines: () => [line],
  answers,
});

describe("an attacker's certificate signing requests", () => {
  const approval = (title: string, method: string, part: string, body: object): Attack =>
    one(title, [`${method} ${REQUESTS}/waiting/${part}`, body, method === "PATCH" ? { type: MERGE } : {}]);
  const conditions = [{ type: "Approved", status: "True", reason: "Me", message: "me" }];
  defendAgainst(
    [
      ...SUBJECTS.flatMap((subject) =>
        SIGNERS.map(
          (signer): Attack => ({
            title: `a request of ${subject} to ${signer}`,
            lines: (name) => [[`POST ${REQUESTS}`, request(name, subject, signer)]],
          }),
        ),
      ),
      approval("an approval by PUT", "PUT", "approval", { ...request("waiting", "CN=jane"), status: { conditions } }),
      approval("an approval by a patch", "PATCH", "approval", { status: { conditions } }),
      approval("a certificate in the status", "PATCH", "status", { status: { certificate: "LS0t" } }),
      approval("a status by PUT", "PUT", "status", {
        ...request("waiting", "CN=jane"),
        status: { certificate: "LS0t" },
      }),
      one("an approval with the request", [
        `POST ${REQUESTS}`,
        { ...request("approved", "CN=jane"), status: { conditions } },
      ]),
      one("all requests deleted", [`DELETE ${REQUESTS}`]),
    ],
    () => cluster,
  );
});

describe("an attacker's tokens", () => {
  const token = (title: string, path: string, spec: object = {}, answers: Attack["answers"] = {}): Attack =>
    one(title, [`POST ${path}/token`, { spec }], answers);
  const vaulted = `${VAULT}/serviceaccounts/robot`;
  const secret = (account: string) => ({
    metadata: { name: "token-of-robot", annotations: { "kubernetes.io/service-account.name": account } },
    type: "kubernetes.io/service-account-token",
  });
  const bootstrap = {
    metadata: { name: "bootstrap-token-abcdef" },
    type: "bootstrap.kubernetes.io/token",
    stringData: {
      "token-id": "abcdef",
      "token-secret": "0123456789abcdef",
      "usage-bootstrap-authentication": "true",
      "auth-extra-groups": "system:bootstrappers:admins",
    },
  };
  /** An editor of the namespace may have tokens of its accounts, which have no rights. */
  const editor = { edit: ["201"] };
  const bearer = (title: string, value: string): Attack => ({
    title,
    lines: () => [[`GET ${VAULT}/secrets/jewel`, undefined, { headers: { authorization: `Bearer ${value}` } }]],
    // A certificate is read before the token; without one the token must be good.
    answers: { nobody: ["401 Unauthorized"] },
  });
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
  const unsigned = (claims: object): string => `${part({ alg: "none" })}.${part(claims)}.`;
  defendAgainst(
    [
      token("of an account of another namespace", vaulted),
      token("of the default account of another namespace", `${VAULT}/serviceaccounts/default`),
      token("of an account of kube-system", `${KUBE_SYSTEM}/serviceaccounts/generic-garbage-collector`),
      token("of an account that is not there", `${VAULT}/serviceaccounts/ghost`),
      token("of another namespace, bound to a pod there", vaulted, {
        boundObjectRef: { kind: "Pod", apiVersion: "v1", name: "vaulted" },
      }),
      token("of another namespace, for another audience", vaulted, { audiences: ["vault"] }),
      token("of another namespace, for ten years", vaulted, { expirationSeconds: 315_360_000 }),
      token("of one's own namespace", `${SHOP}/serviceaccounts/robot`, {}, editor),
      token(
        "of one's own namespace, for ten years",
        `${SHOP}/serviceaccounts/robot`,
        { expirationSeconds: 315_360_000 },
        editor,
      ),
      token(
        "of one's own namespace, bound to another's pod",
        `${SHOP}/serviceaccounts/robot`,
        { boundObjectRef: { kind: "Pod", apiVersion: "v1", name: "vaulted" } },
        { edit: ["404 NotFound"] },
      ),
      token(
        "of one's own namespace, bound to a cluster role",
        `${SHOP}/serviceaccounts/robot`,
        { boundObjectRef: { kind: "ClusterRole", apiVersion: "rbac.authorization.k8s.io/v1", name: "cluster-admin" } },
        { edit: ["*"] },
      ),
      {
        ...token("whose body names another namespace", `${SHOP}/serviceaccounts/robot`),
        lines: () => [
          [`POST ${SHOP}/serviceaccounts/robot/token`, { metadata: { name: "robot", namespace: "vault" }, spec: {} }],
        ],
        answers: { edit: ["400 BadRequest"] },
      },
      {
        ...token("whose body names another account", `${SHOP}/serviceaccounts/robot`),
        lines: () => [[`POST ${SHOP}/serviceaccounts/robot/token`, { metadata: { name: "default" }, spec: {} }]],
        answers: { edit: ["*"] },
      },
      one("by a secret in another namespace", [`POST ${VAULT}/secrets`, secret("robot")]),
      one("by a secret in kube-system", [`POST ${KUBE_SYSTEM}/secrets`, secret("generic-garbage-collector")]),
      one("by a bootstrap secret", [`POST ${KUBE_SYSTEM}/secrets`, bootstrap]),
      one("in secrets of all namespaces", ["GET /api/v1/secrets"]),
      one("in a watch of secrets", [`GET ${VAULT}/secrets?watch=1`]),
      one("by a review", ["POST /apis/authentication.k8s.io/v1/tokenreviews", { spec: { token: "x" } }]),
      one("by an account that is made over", [
        `PUT ${VAULT}/serviceaccounts/robot`,
        { metadata: { name: "robot" }, secrets: [{ name: "jewel" }] },
      ]),
      bearer("without a signature", unsigned({ sub: "system:serviceaccount:vault:robot" })),
      bearer("of the administrator's name", "admin"),
      bearer("of a prototype's name", "constructor"),
      bearer("of a bootstrap token that is not there", "abcdef.0123456789abcdef"),
    ],
    () => cluster,
  );
});
