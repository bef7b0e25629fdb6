import { expect, test } from "vitest";
import {
  aggregatedDiscovery,
  apiGroup,
  apiGroupList,
  apiResourceList,
  apiVersions,
} from "../../../src/api/discovery/index.js";
import { builtInApi } from "../../../src/api/facts/index.js";

const api = builtInApi();

test("/api and /apis have the keys and values that kube-apiserver writes", () => {
  expect(JSON.stringify(apiVersions(api, "10.0.0.1:6443"))).toBe(
    '{"kind":"APIVersions","versions":["v1"],"serverAddressByClientCIDRs":[{"clientCIDR":"0.0.0.0/0","serverAddress":"10.0.0.1:6443"}]}',
  );
  const { groups, ...head } = apiGroupList(api);
  expect(JSON.stringify(head)).toBe('{"kind":"APIGroupList","apiVersion":"v1"}');
  expect(JSON.stringify(groups[1])).toBe(
    '{"name":"apps","versions":[{"groupVersion":"apps/v1","version":"v1"}],"preferredVersion":{"groupVersion":"apps/v1","version":"v1"}}',
  );
  expect(JSON.stringify(apiGroup(api, "autoscaling"))).toBe(
    '{"kind":"APIGroup","apiVersion":"v1","name":"autoscaling","versions":[{"groupVersion":"autoscaling/v2","version":"v2"},{"groupVersion":"autoscaling/v1","version":"v1"}],"preferredVersion":{"groupVersion":"autoscaling/v2","version":"v2"}}',
  );
  expect(apiGroup(api, "")).toBeUndefined();
  expect(apiGroup(api, "extensions")).toBeUndefined();
});

test("the resource list of a group version has subresources, kinds of other groups and the hash of the stored version", () => {
  const list = apiResourceList(api, "v1");
  expect(Object.keys(list ?? {})).toEqual(["kind", "groupVersion", "resources"]);
  expect(JSON.stringify(list?.resources.find(({ name }) => name === "pods"))).toBe(
    '{"name":"pods","singularName":"pod","namespaced":true,"kind":"Pod","verbs":["create","delete","deletecollection","get","list","patch","update","watch"],"shortNames":["po"],"categories":["all"],"storageVersionHash":"xPOwRZ+Yhw8="}',
  );
  expect(JSON.stringify(list?.resources.find(({ name }) => name === "pods/eviction"))).toBe(
    '{"name":"pods/eviction","singularName":"","namespaced":true,"group":"policy","version":"v1","kind":"Eviction","verbs":["create"]}',
  );
  const names = list?.resources.map(({ name }) => name) ?? [];
  expect(names).toEqual(names.toSorted());
  expect(apiResourceList(api, "apps/v1")?.apiVersion).toBe("v1");
  expect(apiResourceList(api, "apps/v2")).toBeUndefined();
  const hash = (version: string): string | undefined => apiResourceList(api, version)?.resources[0]?.storageVersionHash;
  expect(hash("autoscaling/v1")).toBe("qwQve8ut294=");
});

test("aggregated discovery has the same resources as the lists of each group version", () => {
  for (const root of ["api", "apis"] as const) {
    for (const { metadata, versions } of aggregatedDiscovery(api, root).items) {
      for (const { version, resources } of versions) {
        const names = resources.flatMap((one) => [
          one.resource,
          ...(one.subresources ?? []).map(({ subresource }) => `${one.resource}/${subresource}`),
        ]);
        const list = apiResourceList(api, metadata.name === undefined ? version : `${metadata.name}/${version}`);
        expect(names).toEqual(list?.resources.map(({ name }) => name));
      }
    }
  }
  const [core] = aggregatedDiscovery(api, "api").items;
  expect(JSON.stringify(core?.versions[0]?.resources.at(-1))).toBe(
    '{"resource":"services","responseKind":{"group":"","version":"","kind":"Service"},"scope":"Namespaced","singularResource":"service","verbs":["create","delete","deletecollection","get","list","patch","update","watch"],"shortNames":["svc"],"categories":["all"],"subresources":[{"subresource":"proxy","responseKind":{"group":"","version":"","kind":"ServiceProxyOptions"},"verbs":["create","delete","get","patch","update"]},{"subresource":"status","responseKind":{"group":"","version":"","kind":"Service"},"verbs":["get","patch","update"]}]}',
  );
});
