import { describe, expect, test } from "vitest";
import { create, expectTaken, merge, tryCreate } from "../../../helpers/admission-rows.js";
import { admittingServer, type AdmittingServer } from "../../../helpers/admitting-server.js";

const INGRESSES = "/apis/networking.k8s.io/v1/namespaces/default/ingresses";
const CLASSES = "/apis/networking.k8s.io/v1/ingressclasses";
const DEFAULT = "ingressclass.kubernetes.io/is-default-class";
const OLD_CLASS = "kubernetes.io/ingress.class";

const ingress = (spec: object = {}, metadata: object = {}): object => ({
  metadata: { name: "i", ...metadata },
  spec: { defaultBackend: { service: { name: "s", port: { number: 80 } } }, ...spec },
});

interface Class {
  readonly name: string;
  readonly isDefault?: string;
  readonly created?: string;
}

async function serverWith(classes: readonly Class[]): Promise<AdmittingServer> {
  let now = 0;
  const server = await admittingServer({}, undefined, undefined, { clock: { now: () => now } });
  for (const { name, isDefault, created = "2026-01-01T00:00:00Z" } of classes) {
    now = Date.parse(created);
    const annotations = isDefault === undefined ? {} : { [DEFAULT]: isDefault };
    await expectTaken(create(server.api, CLASSES, { metadata: { name, annotations }, spec: { controller: "a.b/c" } }));
  }
  return server;
}

const one: readonly Class[] = [{ name: "usual", isDefault: "true" }, { name: "other" }];

const rows: readonly (readonly [title: string, classes: readonly Class[], body: object, has: string | undefined])[] = [
  ["no class where there are none", [], ingress(), undefined],
  ["no class where none is the default", [{ name: "a" }], ingress(), undefined],
  ["the default class", one, ingress(), "usual"],
  ["no class that says false", [{ name: "a", isDefault: "false" }], ingress(), undefined],
  ["no class that says True", [{ name: "a", isDefault: "True" }], ingress(), undefined],
  ["no class that says nothing", [{ name: "a", isDefault: "" }], ingress(), undefined],
  ["the class that it names itself", one, ingress({ ingressClassName: "other" }), "other"],
  ["a class that does not exist, when it names it", one, ingress({ ingressClassName: "gone" }), "gone"],
  [
    "no class with the annotation of before 1.18",
    one,
    ingress({}, { annotations: { [OLD_CLASS]: "nginx" } }),
    undefined,
  ],
  ["no class with an empty annotation either", one, ingress({}, { annotations: { [OLD_CLASS]: "" } }), undefined],
  ["the default class beside other annotations", one, ingress({}, { annotations: { a: "b" } }), "usual"],
  [
    "the newest of several defaults",
    [
      { name: "a", isDefault: "true", created: "2026-01-01T00:00:00Z" },
      { name: "b", isDefault: "true", created: "2026-01-03T00:00:00Z" },
      { name: "c", isDefault: "true", created: "2026-01-02T00:00:00Z" },
    ],
    ingress(),
    "b",
  ],
  [
    "the first by name of equally old defaults",
    [
      { name: "b", isDefault: "true" },
      { name: "a", isDefault: "true" },
    ],
    ingress(),
    "a",
  ],
];

describe("the admission plugin DefaultIngressClass gives a new Ingress", () => {
  test.each(rows)("%s", async (_, classes, body, has) => {
    await using server = await serverWith(classes);
    const made = await expectTaken(tryCreate(server.api, INGRESSES, body));
    expect(made.at("spec.ingressClassName")).toBe(has);
  });
});

test("DefaultIngressClass gives a changed Ingress no class", async () => {
  await using server = await serverWith([]);
  await expectTaken(create(server.api, INGRESSES, ingress()));
  const annotations = { [DEFAULT]: "true" };
  await expectTaken(
    create(server.api, CLASSES, { metadata: { name: "late", annotations }, spec: { controller: "a.b/c" } }),
  );
  const changed = await expectTaken(merge(server.api, `${INGRESSES}/i`, { metadata: { labels: { a: "b" } } }));
  expect(changed.at("spec.ingressClassName")).toBeUndefined();
});
