import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { componentOf, nameOfComponent } from "../../../../src/server/storage/files/file-names.js";
import { Layout } from "../../../../src/server/storage/files/layout.js";
import { PLACES } from "./folder.js";

const layout = new Layout(PLACES);

describe("file paths of stored objects (B-FS-01)", () => {
  test.each([
    ["/registry/pods/default/a", "core/pods/default/a.yaml"],
    ["/registry/services/specs/default/a", "core/services/default/a.yaml"],
    ["/registry/namespaces/default", "core/namespaces/default.yaml"],
    ["/registry/deployments/shop/web", "apps/deployments/shop/web.yaml"],
    ["/registry/clusterroles/system:Node", "rbac.authorization.k8s.io/clusterroles/system%3a%4eode.yaml"],
    ["/registry/stable.example.com/crontabs/default/a", "stable.example.com/crontabs/default/a.yaml"],
    ["/registry/stable.example.com/regions/eu", "stable.example.com/regions/eu.yaml"],
    ["/registry/pods/default/con", "core/pods/default/%63on.yaml"],
    ["/registry/pods/default/.git", "core/pods/default/%2egit.yaml"],
    ["/registry/pods/default/..", "core/pods/default/%2e%2e.yaml".replace("%2e%2e", "%2e%2e")],
  ])("lead for %s to the file %s", (key, path) => {
    expect(layout.placeOfKey(key)).toMatchObject({ key, path });
    expect(layout.placeOfPath(path)).toMatchObject({ key, path });
  });

  test.each([
    "/registry/kubets-schema-epochs/written",
    "/registry/pods/a/b/c",
    "/registry/pods/a",
    "/registry/namespaces/a/b",
    "/registry/core/pods/default/a",
    "/registry/core/widgets/default/a",
    "/registry/apps/deployments/default/a",
    `/registry/pods/default/${"a".repeat(251)}`,
    "/a",
  ])("are not those of the internal key %s", (key) => {
    expect(layout.placeOfKey(key)).toBeUndefined();
  });

  test.each([
    "pods/x/a.yaml",
    "services/specs/ns/a.yaml",
    "core/widgets/default/a.yaml",
    "core/pods/a.yaml",
    "core/namespaces/x/a.yaml",
    "core/pods/default/A.yaml",
    "core/pods/default/%41.yaml",
    "core/pods/default/%61.yaml",
    "core/pods/default/a%2fb.yaml",
    "core/pods/default/%.yaml",
    "core/pods/default/.yaml",
    "core/pods//a.yaml",
    "core/pods/default/a.yml",
    "a.yaml",
  ])("never lead to the file %s, unless it is spelt exactly so", (path) => {
    const place = layout.placeOfPath(path);
    if (place !== undefined) expect(layout.placeOfKey(place.key)).toMatchObject({ path });
    if (path !== "core/pods/default/%41.yaml") expect(place).toBeUndefined();
  });

  const part = fc.oneof(
    fc.constantFrom(
      "pods",
      "services",
      "specs",
      "core",
      "apps",
      "deployments",
      "namespaces",
      "a",
      "con",
      "..",
      "A",
      "%41",
    ),
    fc.string({ unit: "grapheme", maxLength: 6 }),
    fc.string({ unit: "binary", maxLength: 3 }),
  );

  test("are unique for a key, and lead back to it", () => {
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 5 }), (parts) => {
        const key = `/registry/${parts.join("/")}`;
        const place = layout.placeOfKey(key);
        if (place !== undefined) expect(layout.placeOfPath(place.path)?.key).toBe(key);
      }),
      { numRuns: 3000 },
    );
  });

  test("belong to at most one key, and that key leads back to the path", () => {
    fc.assert(
      fc.property(fc.array(part, { minLength: 3, maxLength: 4 }), (parts) => {
        const path = `${parts.join("/")}.yaml`;
        const place = layout.placeOfPath(path);
        if (place !== undefined) expect(layout.placeOfKey(place.key)?.path).toBe(path);
      }),
      { numRuns: 3000 },
    );
  });

  test("consist of names that every file system and Git accept", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", minLength: 1, maxLength: 20 }), (name) => {
        const component = componentOf(name) ?? "";
        expect(component).toMatch(/^[a-z0-9_%-](?:[a-z0-9._%-]*[a-z0-9_%-])?$/);
        expect(nameOfComponent(component)).toBe(name);
      }),
    );
  });
});
