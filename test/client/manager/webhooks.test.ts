import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "node:tls";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  AdmissionRefusal,
  isStatusError,
  kubernetesClient,
  type KubernetesClient,
  type KubeObject,
  Manager,
  type ManagerOptions,
  metricRegistry,
  type Problem,
} from "../../../src/client/index.js";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import { eventually } from "../../helpers/eventually.js";
import { certificates } from "../../helpers/webhook-server.js";

interface Shelf extends KubeObject {
  spec: { books?: number; room?: string; width?: { centimetres: number } };
}

const HOST = "shelves.library.svc";
const service = (path: string) => ({ namespace: "library", name: "shelves", path });

let manager: Manager;
let cluster: Cluster;
let client: KubernetesClient;
const stop = new AbortController();
const problems: Problem[] = [];
const metrics = await metricRegistry();
let running: Promise<void>;

/** The shelves of v1 have their width as text, "80cm"; those of v2 as a number. */
function addWebhooks(to: Manager): void {
  to.webhookFor("example.com/v2", "Shelf")
    .defaults((object) => {
      const shelf = object as Shelf;
      shelf.spec.books ??= 3;
      shelf.metadata = {
        ...shelf.metadata,
        annotations: { ...shelf.metadata?.annotations, "example.com/kept": "yes" },
      };
    })
    .validates({
      create(object, { warn, annotate }) {
        const { spec } = object as Shelf;
        if (spec.room === "cellar") throw new AdmissionRefusal("books do not belong into the cellar");
        if (spec.room === "nowhere") {
          const causes = [{ reason: "FieldValueInvalid", field: "spec.room", message: "no such room" }];
          throw new AdmissionRefusal("the room is wrong", { code: 422, reason: "Invalid", causes });
        }
        if (spec.room === "bug") throw new RangeError("a bug of the webhook");
        if (spec.room === undefined) warn("a shelf without a room is hard to find");
        annotate("room", spec.room ?? "none");
      },
      update(object, before) {
        if ((object as Shelf).spec.room !== (before as Shelf).spec.room)
          throw new AdmissionRefusal("shelves stay in their room");
      },
      delete(object) {
        if (object.metadata?.labels?.["precious"] === "true") throw new AdmissionRefusal("it is precious");
      },
    });
  to.conversionFor("example.com/v2", "Shelf").with("example.com/v1", "Shelf", {
    toHub(old) {
      const { width, ...spec } = old["spec"] as { width?: string };
      return {
        ...old,
        spec: { ...spec, ...(width !== undefined && { width: { centimetres: Number.parseInt(width) } }) },
      };
    },
    fromHub(hub) {
      const { width, ...spec } = (hub as Shelf).spec;
      return { ...hub, spec: { ...spec, ...(width !== undefined && { width: `${width.centimetres}cm` }) } };
    },
  });
}

beforeAll(async () => {
  const hosts = {
    [HOST]: (connection: Parameters<Manager["webhooks"]["accept"]>[0]) => manager.webhooks.accept(connection),
  };
  cluster = await startCluster({ port: false, processWebhooks: hosts });
  client = kubernetesClient(cluster);
  manager = new Manager(client, {
    webhooks: {
      port: false,
      certificate: { selfMade: { secret: { namespace: "library", name: "webhook-certificate" }, names: [HOST] } },
    },
    metrics,
    onProblem: (problem) => problems.push(problem),
  });
  addWebhooks(manager);
  await client.of("v1", "Namespace").create({ metadata: { name: "library" } });
  await client.of("apiextensions.k8s.io/v1", "CustomResourceDefinition").create(definition());
  for (const [kind, verb, operations] of [
    ["MutatingWebhookConfiguration", "mutate", ["CREATE", "UPDATE", "DELETE"]],
    ["ValidatingWebhookConfiguration", "validate", ["CREATE", "UPDATE", "DELETE"]],
  ] as const) {
    await client.of("admissionregistration.k8s.io/v1", kind).create({
      metadata: { name: "shelves" },
      webhooks: [
        {
          name: `${verb}.shelves.example.com`,
          admissionReviewVersions: ["v1"],
          sideEffects: "None",
          clientConfig: { service: service(`/${verb}-example-com-v2-shelf`) },
          rules: [
            { apiGroups: ["example.com"], apiVersions: ["v2"], resources: ["shelves"], operations: [...operations] },
          ],
        },
      ],
    });
  }
  running = manager.run(stop.signal);
  await eventually(async () => {
    const { webhooks } = await client
      .of("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration")
      .get("shelves");
    expect(webhooks?.[0]?.clientConfig.caBundle).toBeDefined();
    const found = await client.of("apiextensions.k8s.io/v1", "CustomResourceDefinition").get("shelves.example.com");
    expect(found.spec.conversion?.webhook?.clientConfig?.caBundle).toBeDefined();
    expect(found.status?.conditions).toContainEqual(expect.objectContaining({ type: "Established", status: "True" }));
  });
});

afterAll(async () => {
  stop.abort();
  await running;
  await client.close();
  await cluster.close();
});

function definition() {
  const version = (name: string, width: object) => ({
    name,
    served: true,
    storage: name === "v2",
    schema: {
      openAPIV3Schema: {
        type: "object" as const,
        properties: {
          spec: {
            type: "object" as const,
            properties: { books: { type: "integer" }, room: { type: "string" }, width },
          },
        },
      },
    },
  });
  return {
    metadata: { name: "shelves.example.com" },
    spec: {
      group: "example.com",
      names: { plural: "shelves", singular: "shelf", kind: "Shelf" },
      scope: "Namespaced" as const,
      versions: [
        version("v1", { type: "string" }),
        version("v2", { type: "object", properties: { centimetres: { type: "integer" } } }),
      ],
      conversion: {
        strategy: "Webhook" as const,
        webhook: { conversionReviewVersions: ["v1"], clientConfig: { service: service("/convert") } },
      },
    },
  };
}

const shelves = (version = "v2") => client.of<Shelf>(`example.com/${version}`, "Shelf").namespace("library");

const shelf = (name: string, spec: object = {}, version = "v2") =>
  ({
    apiVersion: `example.com/${version}`,
    kind: "Shelf",
    metadata: { name },
    spec: { room: "hall", ...spec },
  }) as Shelf;

/** The status that a call is refused with. */
async function refusal(call: Promise<unknown>) {
  const error = await call.then(
    () => new Error("the call was allowed"),
    (thrown: unknown) => thrown,
  );
  if (!isStatusError(error)) throw error;
  return error.status;
}

describe("the webhooks of a manager, called by a cluster without a port", () => {
  test("CR-10: a defaulting webhook changes a new object by a JSON patch", async () => {
    const made = await shelves().create(shelf("defaulted"));
    expect(made.spec).toEqual({ room: "hall", books: 3 });
    expect(made.metadata?.annotations).toEqual({ "example.com/kept": "yes" });
  });

  test("a validating webhook refuses a create with its message, and code 403", async () => {
    const { code, message } = await refusal(shelves().create(shelf("below", { room: "cellar" })));
    expect(code).toBe(403);
    expect(message).toBe(
      'admission webhook "validate.shelves.example.com" denied the request: books do not belong into the cellar',
    );
  });

  test("a refusal has the code, the reason and the causes that the webhook gives", async () => {
    const { code, reason, details } = await refusal(shelves().create(shelf("lost", { room: "nowhere" })));
    expect({ code, reason }).toEqual({ code: 422, reason: "Invalid" });
    expect(details?.causes).toEqual([{ reason: "FieldValueInvalid", field: "spec.room", message: "no such room" }]);
  });

  test("an error of the webhook itself refuses the request with code 500, and is reported as a problem", async () => {
    const { code, message } = await refusal(shelves().create(shelf("unlucky", { room: "bug" })));
    expect(code).toBe(500);
    expect(message).toContain("denied the request: a bug of the webhook");
    expect(problems).toContainEqual({
      type: "failed",
      what: "the webhook /validate-example-com-v2-shelf",
      error: new RangeError("a bug of the webhook"),
    });
  });

  test("an update is judged with the object before it, and a deletion by the object that shall go", async () => {
    await shelves().create({ ...shelf("moving"), metadata: { name: "moving", labels: { precious: "true" } } });
    const moved = await refusal(shelves().patch("moving", { spec: { room: "attic" } }, { type: "merge" }));
    expect(moved.message).toContain("shelves stay in their room");
    expect((await refusal(shelves().delete("moving"))).message).toContain("it is precious");
    await shelves().patch("moving", { metadata: { labels: { precious: null } } }, { type: "merge" });
    await shelves().delete("moving");
  });

  test("a conversion webhook converts an object that was written in the other version, and back", async () => {
    await shelves("v1").create({
      ...shelf("wide", {}, "v1"),
      spec: { room: "hall", width: "80cm" },
    } as unknown as Shelf);
    expect((await shelves("v2").get("wide")).spec.width).toEqual({ centimetres: 80 });
    expect((await shelves("v1").get("wide")).spec).toMatchObject({ width: "80cm", room: "hall" });
    const listed = await shelves("v1").list();
    expect(listed.items.map(({ apiVersion }) => apiVersion)).toEqual(listed.items.map(() => "example.com/v1"));
  });

  test("the Secret keeps the certificate with its authority, and the manager reports nothing about it", async () => {
    const { type, data = {} } = await client.of("v1", "Secret").namespace("library").get("webhook-certificate");
    expect(type).toBe("kubernetes.io/tls");
    expect(Object.keys(data).sort()).toEqual(["ca.crt", "ca.key", "tls.crt", "tls.key"]);
    expect(problems.filter((problem) => problem.type === "failed" && problem.what.includes("certificate"))).toEqual([]);
  });

  test("controller-runtime's metrics count the calls of each path", async () => {
    const { body: text } = await metrics.read();
    expect(text).toMatch(
      /controller_runtime_webhook_requests_total\{.*webhook="\/mutate-example-com-v2-shelf"\} [1-9]/,
    );
    expect(text).toContain('controller_runtime_webhook_requests_in_flight{webhook="/convert"} 0');
  });
});

describe("a manager that serves webhooks on a port", () => {
  const { authority, leaf } = certificates(["localhost"]);
  const later = certificates(["localhost"]);

  /** A running manager, and how to call it. */
  async function serving(options: ManagerOptions["webhooks"], add: (to: Manager) => void) {
    const end = new AbortController();
    const reported: Problem[] = [];
    const served = new Manager(client, {
      webhooks: { port: 0, host: "127.0.0.1", ...options },
      onProblem: (problem) => reported.push(problem),
    });
    add(served);
    const run = served.run(end.signal);
    const { port } = await Promise.race([
      served.webhooks.listening,
      run.then(() => Promise.reject(new Error("it ended"))),
    ]);
    return {
      port,
      reported,
      post: (path: string, body: string | Buffer, headers: Record<string, string> = {}, ca = authority.certificate) =>
        post(port, path, body, headers, ca),
      async [Symbol.asyncDispose]() {
        end.abort();
        await run;
      },
    };
  }

  function post(port: number, path: string, body: string | Buffer, headers: Record<string, string>, ca: string) {
    return new Promise<{ status: number; body: string }>((resolve, reject) => {
      const options = { host: "127.0.0.1", servername: "localhost", port, path, ca, method: "POST", agent: false };
      const sent = request({ ...options, headers: { "content-type": "application/json", ...headers } }, (answer) => {
        const chunks: Buffer[] = [];
        answer.on("data", (chunk: Buffer) => chunks.push(chunk));
        answer.on("end", () => resolve({ status: answer.statusCode ?? 0, body: Buffer.concat(chunks).toString() }));
      });
      sent.on("error", reject);
      sent.end(body);
    });
  }

  const review = (fields: object) =>
    JSON.stringify({
      apiVersion: "admission.k8s.io/v1",
      kind: "AdmissionReview",
      request: {
        uid: "u-1",
        kind: { group: "", version: "v1", kind: "ConfigMap" },
        resource: { group: "", version: "v1", resource: "configmaps" },
        operation: "CREATE",
        userInfo: { username: "jane" },
        object: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "one" } },
        ...fields,
      },
    });

  const pair = { certificate: leaf.certificate, key: leaf.key };
  const labelsAll = (to: Manager) =>
    void to.webhookFor("v1", "ConfigMap").defaults((object) => {
      object.metadata = { ...object.metadata, labels: { seen: "yes" } };
    });

  test("the path of a kind of the core group is /mutate--v1-configmap, and the answer has the uid of the review", async () => {
    await using server = await serving({ certificate: pair }, labelsAll);
    const { status, body } = await server.post("/mutate--v1-configmap?timeout=10s", review({}));
    expect(status).toBe(200);
    const { response, ...head } = JSON.parse(body) as { response: Record<string, string> };
    expect(head).toEqual({ apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview" });
    expect(response).toMatchObject({ uid: "u-1", allowed: true, patchType: "JSONPatch" });
    expect(JSON.parse(Buffer.from(response["patch"] ?? "", "base64").toString())).toEqual([
      { op: "add", path: "/metadata/labels", value: { seen: "yes" } },
    ]);
  });

  test("a review of v1beta1 is answered in v1beta1", async () => {
    await using server = await serving({ certificate: pair }, labelsAll);
    const old = review({}).replace("admission.k8s.io/v1", "admission.k8s.io/v1beta1");
    const { body } = await server.post("/mutate--v1-configmap", old);
    expect(JSON.parse(body)).toMatchObject({ apiVersion: "admission.k8s.io/v1beta1", response: { allowed: true } });
  });

  test("a request about another kind than the webhook's is refused with code 400, which names the rules", async () => {
    await using server = await serving({ certificate: pair }, labelsAll);
    const { body } = await server.post(
      "/mutate--v1-configmap",
      review({ kind: { group: "apps", version: "v1", kind: "Deployment" } }),
    );
    const { response } = JSON.parse(body) as {
      response: { allowed: boolean; status: { code: number; message: string } };
    };
    expect(response.allowed).toBe(false);
    expect(response.status.code).toBe(400);
    expect(response.status.message).toBe(
      "this webhook judges v1 ConfigMap, not apps/v1 Deployment: see the rules of its configuration",
    );
  });

  test.each([
    ["an unknown path", "/nothing", "{}", {}, 404, "no webhook has the path /nothing"],
    ["an empty body", "/mutate--v1-configmap", "", {}, 400, "unexpected end of JSON input"],
    ["a body that is no JSON", "/mutate--v1-configmap", "{", {}, 400, "unexpected end of JSON input"],
    [
      "another kind of review",
      "/mutate--v1-configmap",
      '{"kind":"ConversionReview"}',
      {},
      400,
      "the body is no AdmissionReview",
    ],
    [
      "a review without a request",
      "/mutate--v1-configmap",
      review({}).replace('"request"', '"req"'),
      {},
      400,
      "the review has no request",
    ],
    ["YAML", "/mutate--v1-configmap", "a: b", { "content-type": "application/yaml" }, 415, "application/json"],
    ["more nesting than an API server allows", "/mutate--v1-configmap", "[".repeat(2000), {}, 400, ""],
  ])("a call with %s (%s) is answered with its fault", async (_, path, body, headers, status, text) => {
    await using server = await serving({ certificate: pair }, labelsAll);
    const answered = await server.post(path, body, headers as Record<string, string>);
    expect(answered.status).toBe(status);
    expect(answered.body).toContain(text);
    expect(server.reported).toEqual([]);
  });

  test("a review with two objects of 3 MB is answered, and one of more than 7 MB is not read to its end", async () => {
    await using server = await serving({ certificate: pair }, labelsAll);
    const object = { metadata: { name: "large" }, data: { a: "x".repeat(3 * 1024 * 1024) } };
    const large = await server.post(
      "/mutate--v1-configmap",
      review({ object, oldObject: object, operation: "UPDATE" }),
    );
    expect(large.status).toBe(200);
    const larger = await server
      .post("/mutate--v1-configmap", review({ object, oldObject: { ...object, more: "y".repeat(2 * 1024 * 1024) } }))
      .catch((error: NodeJS.ErrnoException) => ({ status: 413, body: String(error.code) }));
    expect(larger.status).toBe(413);
  });

  test("clients that send nothing, or half of a request, do not keep others from an answer, nor the manager from its end", async () => {
    const server = await serving({ certificate: pair }, labelsAll);
    const silent = Array.from({ length: 20 }, () =>
      connect({ host: "127.0.0.1", port: server.port, ca: authority.certificate, servername: "localhost" }).on(
        "error",
        () => {},
      ),
    );
    for (const socket of silent.slice(0, 10))
      socket.write("POST /mutate--v1-configmap HTTP/1.1\r\nhost: localhost\r\n");
    expect((await server.post("/mutate--v1-configmap", review({}))).status).toBe(200);
    for (const socket of silent) socket.destroy();
    await server[Symbol.asyncDispose]();
  });

  test("KB-6: files of a certificate are followed, and a pair that does not fit is reported and not shown", async () => {
    const folder = await mkdtemp(join(tmpdir(), "webhooks-"));
    try {
      await writeFile(join(folder, "tls.crt"), leaf.certificate);
      await writeFile(join(folder, "tls.key"), leaf.key);
      await using server = await serving({ certificate: { folder } }, labelsAll);
      expect((await server.post("/mutate--v1-configmap", review({}))).status).toBe(200);
      await writeFile(join(folder, "tls.key"), later.leaf.key);
      await eventually(async () => expect(server.reported.map(({ type }) => type)).toContain("failed"));
      expect((await server.post("/mutate--v1-configmap", review({}))).status).toBe(200);
      await writeFile(join(folder, "tls.crt"), later.leaf.certificate);
      const { certificate } = later.authority;
      await eventually(async () => {
        expect((await server.post("/mutate--v1-configmap", review({}), {}, certificate)).status).toBe(200);
      });
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  test("a manager without a certificate for its webhooks does not run, and names the file that is missing", async () => {
    const missing = join(tmpdir(), "no-such-folder");
    const without = new Manager(client, { webhooks: { port: 0, host: "127.0.0.1", certificate: { folder: missing } } });
    labelsAll(without);
    await expect(without.run(new AbortController().signal)).rejects.toThrow(join(missing, "tls.crt"));
  });

  test("a TokenReview and a SubjectAccessReview get the status of their handlers, and an error where those throw", async () => {
    await using server = await serving({ certificate: pair }, ({ webhooks }) => {
      webhooks.authentication("/who", ({ token }) => {
        if (token === "broken") throw new Error("no database");
        return { authenticated: token === "jane", ...(token === "jane" && { user: { username: "jane" } }) };
      });
      webhooks.authorization("/may", ({ user }) => ({ allowed: user === "jane" }));
    });
    const ask = async (path: string, kind: string, group: string, spec: object) => {
      const sent = JSON.stringify({ apiVersion: `${group}.k8s.io/v1`, kind, spec });
      return (JSON.parse((await server.post(path, sent)).body) as { status: object }).status;
    };
    expect(await ask("/who", "TokenReview", "authentication", { token: "jane" })).toEqual({
      authenticated: true,
      user: { username: "jane" },
    });
    expect(await ask("/who", "TokenReview", "authentication", { token: "broken" })).toEqual({ error: "no database" });
    expect(await ask("/may", "SubjectAccessReview", "authorization", { user: "jane" })).toEqual({ allowed: true });
    expect(await ask("/may", "SubjectAccessReview", "authorization", { user: "joe" })).toEqual({ allowed: false });
  });

  test("two webhooks of one path, and a conversion of another kind, are refused where they are added", () => {
    const one = new Manager(client);
    labelsAll(one);
    expect(() => labelsAll(one)).toThrow("two webhooks have the path /mutate--v1-configmap");
    const conversion = { toHub: (object: KubeObject) => object, fromHub: (object: KubeObject) => object };
    expect(() => one.conversionFor("example.com/v2", "Shelf").with("example.com/v1", "Book", conversion)).toThrow(
      "example.com/v1 Book is no other version of example.com/v2 Shelf",
    );
  });
});
