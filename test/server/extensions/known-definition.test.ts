import { expect, test } from "vitest";
import { KnownDefinition } from "../../../src/server/extensions/known-definition.js";

type Stored = ConstructorParameters<typeof KnownDefinition>[0];

const NAMES = { plural: "things", kind: "Thing", singular: "thing", listKind: "ThingList" };
const CLAIMED = ["Established", "NamesAccepted"].map((type) => ({ type, status: "True" }));

function known(acceptedNames: object): KnownDefinition {
  const definition = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "things.example.com", generation: 1 },
    spec: {
      group: "example.com",
      names: NAMES,
      scope: "Namespaced",
      versions: [{ name: "v1", served: true, storage: true }],
    },
    status: { acceptedNames, conditions: CLAIMED },
  };
  return new KnownDefinition({ key: "things.example.com", peek: () => definition } as Partial<Stored> as Stored);
}

test.each([
  ["without accepted names", {}],
  ["without an accepted kind", { plural: "things" }],
])("a definition whose status only claims that it is established is not, %s", (_, names) => {
  expect(known(names)).toMatchObject({ established: false, namesAccepted: false });
});

test("a stored definition counts as established by its conditions once its names are accepted", () => {
  expect(known(NAMES)).toMatchObject({ established: true, namesAccepted: true });
});
