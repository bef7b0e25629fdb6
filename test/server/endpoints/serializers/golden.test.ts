import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Release } from "../../../../src/api/facts/index.js";
import { allScheme } from "../../../../src/api/scheme/all.js";
import { systemClock } from "../../../../src/base/time/clock.js";
import { systemRandom } from "../../../../src/base/numbers/random.js";
import { encodeObjectText } from "../../../../src/machinery/wire/encode.js";
import { encodeProtobufDocument } from "../../../../src/machinery/wire/protobuf/encode-protobuf.js";
import type { KubeObject } from "../../../../src/machinery/meta/object.js";
import { builtinRecord, builtinRecords } from "../../../../src/server/builtin/index.js";
import { keyPrefix } from "../../../../src/server/api-registry/key-prefix.js";
import { createServer, type Server } from "../../../../src/server/generic/server.js";
import { createStorage, type Storage } from "../../../../src/server/storage/create-storage.js";
import { goldenObjects, hasGoldenObjects } from "../../../helpers/golden-objects.js";
import { openMemoryKv } from "../../../../src/server/storage/memory/memory-kv.js";

const PROTOBUF = "application/vnd.kubernetes.protobuf";
if (!hasGoldenObjects)
  process.stdout.write("golden objects over HTTP are skipped: ../shared/data/golden is not there\n");

/** What a round trip through the stored version changes: see test/api/conversion/golden.test.ts. */
const LOSSY = ["autoscaling.v1.HorizontalPodAutoscaler"];

/** An object as it is read from a store: defaulted, and converted to the stored version and back. */
function throughHub(object: KubeObject, release: Release): KubeObject {
  const scheme = allScheme(release);
  const kind = scheme.kindOf(object);
  const hub = scheme.kind(kind.hub);
  const now = systemClock.now();
  const stored = kind.toHub(scheme.applyDefaults(structuredClone(object), now));
  hub.applyDefaults(stored, now);
  return kind === hub ? stored : kind.fromHub(stored);
}

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: Buffer;
}

describe.skipIf(!hasGoldenObjects).each(goldenObjects)(
  "Kubernetes $version's published example objects over HTTP",
  ({ release, folder }) => {
    // They lie in the store as a kube-apiserver would have written them.
    const fileOf = (kind: string, form: "json" | "pb") => join(folder, `${kind}.${form}`);
    const rows = release
      .servedResources()
      .filter((facts) => facts.verbs.includes("get"))
      .map((facts) => ({ facts, kind: `${facts.group || "core"}.${facts.version}.${facts.kind}` }))
      .filter(({ kind }) => existsSync(fileOf(kind, "pb")))
      // Events of both groups are one stored kind.
      .filter(({ facts }) => facts.group !== "events.k8s.io" && facts.name !== "componentstatuses");
    let storage: Storage;
    let server: Server;
    const revisions = new Map<string, number>();

    const ask = async (
      method: string,
      path: string,
      headers: Record<string, string>,
      body?: Buffer,
    ): Promise<Answer> => {
      const user = { commonName: "admin", organizations: ["system:masters"] };
      const response = await server.transport(user).send({ method, path, headers, ...(body && { body }) });
      const chunks: Uint8Array[] = [];
      for await (const chunk of response.body) chunks.push(chunk);
      return {
        status: response.status,
        type: String(response.headers["content-type"]),
        body: Buffer.concat(chunks),
      };
    };

    beforeAll(async () => {
      const kv = openMemoryKv();
      for (const { facts, kind } of rows) {
        if (LOSSY.includes(kind)) continue;
        const key = `${keyPrefix(facts, builtinRecord(facts.group, facts.name)?.storage)}${facts.namespaced ? "namespaceValue/" : ""}nameValue`;
        const { revision } = await kv.create(key, readFileSync(fileOf(kind, "pb")));
        revisions.set(kind, revision);
      }
      storage = createStorage({ kv });
      server = createServer({
        storage,
        release,
        scheme: allScheme(release),
        records: builtinRecords,
        clock: systemClock,
        random: systemRandom,
        requestRandom: systemRandom,
        tokens: [],
        serverAddress: () => "",
      });
    });
    afterAll(async () => {
      await server?.stop();
      await storage?.close();
    });

    test("cover most kinds that are served", () => {
      expect(rows.length).toBeGreaterThan(50);
    });

    test.each(rows.filter(({ kind }) => !LOSSY.includes(kind)))(
      "$kind is answered byte for byte in JSON and protobuf",
      async (row) => {
        const { facts, kind } = row;
        const sent = JSON.parse(readFileSync(fileOf(kind, "json"), "utf8")) as KubeObject;
        const schema = release.definitions.schemaFor(facts);
        if (schema === undefined) throw new Error(`no schema for ${kind}`);
        const encode = (object: KubeObject) =>
          Buffer.from(encodeProtobufDocument(object, facts, schema)).toString("hex");
        // The encoder writes Go's bytes; what is expected is these with another resourceVersion, and with defaults.
        expect(encode(sent)).toBe(readFileSync(fileOf(kind, "pb")).toString("hex"));
        const read = throughHub(sent, release);
        const wanted = { ...read, metadata: { ...read.metadata, resourceVersion: String(revisions.get(kind)) } };
        const root = facts.group === "" ? "/api/v1" : `/apis/${facts.groupVersion}`;
        const path = `${root}${facts.namespaced ? "/namespaces/namespaceValue" : ""}/${facts.name}/nameValue`;
        const protobuf = await ask("GET", path, { accept: PROTOBUF });
        expect([protobuf.status, protobuf.type]).toEqual([200, PROTOBUF]);
        expect(protobuf.body.toString("hex")).toBe(encode(wanted));
        const json = await ask("GET", path, { accept: "application/json" });
        expect(json.body.toString()).toBe(`${encodeObjectText(wanted, schema)}\n`);
      },
    );

    test.each(rows)("$kind as a request body means the same in protobuf as in JSON", async ({ facts, kind }) => {
      const root = facts.group === "" ? "/api/v1" : `/apis/${facts.groupVersion}`;
      const path = `${root}${facts.namespaced ? "/namespaces/other" : ""}/${facts.name}?dryRun=All&fieldValidation=Ignore`;
      const post = async (form: "json" | "pb") => {
        const type = form === "json" ? "application/json" : PROTOBUF;
        const { status, body } = await ask("POST", path, { "content-type": type }, readFileSync(fileOf(kind, form)));
        return { status, text: body.toString().replaceAll(/"(uid|creationTimestamp|time)":"[^"]*"/g, '"$1":""') };
      };
      expect(await post("pb")).toEqual(await post("json"));
    });
  },
);
