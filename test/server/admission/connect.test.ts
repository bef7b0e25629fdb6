import { describe, expect, test } from "vitest";
import { systemRandom } from "../../../src/base/random.js";
import { publishedScheme } from "../../../src/api/scheme/published.js";
import { servedResources } from "../../../src/api/facts/index.js";
import { forbidden } from "../../../src/machinery/errors/status-error.js";
import type { AdmissionAttributes } from "../../../src/server/admission/attributes.js";
import { AdmissionChain } from "../../../src/server/admission/chain.js";
import { enabledPlugins } from "../../../src/server/admission/enabled-plugins.js";
import type { AdmissionPlugin } from "../../../src/server/admission/plugin.js";
import { VersionCodec } from "../../../src/server/endpoints/representation/version-codec.js";
import type { ServedResource } from "../../../src/server/endpoints/served-resource.js";
import { Admitter } from "../../../src/server/endpoints/verbs/admitter.js";
import { newApiRequest } from "../../../src/server/request/api-request.js";
import type { Exchange } from "../../../src/server/request/exchange.js";

/** Admission of a connection to a pod's exec, which has no handler yet. */
function connection(plugins: readonly AdmissionPlugin[]): Admitter {
  const exchange = {
    method: "POST",
    path: "/api/v1/namespaces/default/pods/web/exec",
    query: new URLSearchParams("command=sh"),
    signal: new AbortController().signal,
  } as Exchange;
  const facts = servedResources({}).find(({ groupVersion, name }) => groupVersion === "v1" && name === "pods");
  if (facts === undefined) throw new Error("no pods");
  const scheme = publishedScheme();
  const kind = scheme.kind(facts);
  const context = { objects: {} as never, random: systemRandom };
  const admission = new AdmissionChain(enabledPlugins({ plugins: plugins.map((plugin) => ({ plugin })) }), context);
  const resource = {
    facts,
    codec: new VersionCodec(kind, kind, scheme, () => 0),
    admission,
  } as Partial<ServedResource>;
  const body = { kind: { group: "", version: "v1", kind: "PodExecOptions" }, schema: undefined };
  return new Admitter(newApiRequest(exchange, 0, "id"), resource as ServedResource, false, body);
}

describe("a connection", () => {
  test("goes through both phases with its options as the object", async () => {
    const seen: string[] = [];
    const record = (phase: string) => (attributes: AdmissionAttributes) => {
      const { operation, kind, resource, subresource, namespace, name, object, options } = attributes;
      const where = `${resource.resource}/${subresource} ${namespace}/${name}`;
      seen.push(`${phase} ${operation} ${kind.kind} ${where} ${JSON.stringify(object)} ${JSON.stringify(options)}`);
    };
    const recorder = { name: "Recorder", admit: record("admit"), validate: record("validate") };
    await connection([recorder]).connect({ command: ["sh"] });
    expect(seen).toEqual(
      ["admit", "validate"].map(
        (phase) => `${phase} CONNECT PodExecOptions pods/exec default/web {"command":["sh"]} undefined`,
      ),
    );
  });

  test("is refused by a plugin of either phase", async () => {
    const refuse = (): never => {
      throw forbidden({ group: "", resource: "pods" }, "web", "no");
    };
    for (const phases of [{ admit: refuse }, { validate: refuse }]) {
      const refused = connection([{ name: "Refuses", ...phases }]).connect({});
      await expect(refused).rejects.toThrow('pods "web" is forbidden: no');
    }
  });

  test("costs nothing when no plugin looks at it", async () => {
    await expect(connection([]).connect({})).resolves.toBeUndefined();
  });
});
