import { afterAll, beforeAll, expect, test } from "vitest";
import { releaseOf } from "../../../src/api/facts/index.js";
import type { AdmissionPlugin } from "../../../src/server/admission/plugin.js";
import { admittingServer, type AdmittingServer, done } from "../../helpers/admitting-server.js";
import { call } from "../../helpers/api-caller.js";
import { SAMPLES } from "../../hostile/samples.js";

// What a server is by default.
const release = await releaseOf();

/** Looks at everything and changes nothing. */
const idle: AdmissionPlugin = { name: "Idle", admit: () => undefined, validate: () => undefined };

let watched: AdmittingServer;
let without: AdmittingServer;

beforeAll(async () => {
  watched = await admittingServer({ plugins: [{ plugin: idle }] });
  without = await admittingServer({});
  for (const { api } of [watched, without]) {
    const spec = { cidrs: ["10.96.0.0/24"] };
    await done(api, "POST", "/apis/networking.k8s.io/v1/servicecidrs", { metadata: { name: "kubernetes" }, spec });
  }
});

afterAll(async () => {
  await watched[Symbol.asyncDispose]();
  await without[Symbol.asyncDispose]();
});

const kinds = release.servedResources({}).filter(({ group, name }) => SAMPLES[`${group}/${name}`] !== undefined);

test.each(kinds.map((facts) => [`${facts.groupVersion}/${facts.name}`, facts] as const))(
  "a create of %s is accepted or refused with the same words whether an admission plugin looks at it or not",
  async (_, { group, groupVersion, name, namespaced, kind }) => {
    const root = group === "" ? `/api/${groupVersion}` : `/apis/${groupVersion}`;
    const path = `${root}/${namespaced ? "namespaces/default/" : ""}${name}`;
    const object = { apiVersion: groupVersion, kind, ...SAMPLES[`${group}/${name}`], metadata: { name: "a.b" } };
    const outcomes = async ({ api }: AdmittingServer) => {
      const answers = [
        await call(api, "POST", path, object),
        await call(api, "PUT", `${path}/a.b`, { ...object, metadata: { name: "a.b", labels: { a: "b" } } }),
        await call(api, "PATCH", `${path}/a.b`, { metadata: { labels: { a: "c" } } }, MERGE),
        await call(api, "PATCH", `${path}/a.b?fieldManager=f&force=true`, object, APPLY),
        await call(api, "DELETE", `${path}/a.b`),
      ];
      return answers.map(({ status, at }) => [status, status < 300 ? "" : at("message")]);
    };
    const seen = await outcomes(watched);
    expect(seen).toEqual(await outcomes(without));
    expect(seen.map(([status]) => status)).not.toContain(500);
  },
);

const MERGE = { type: "application/merge-patch+json" };
const APPLY = { type: "application/apply-patch+yaml" };
