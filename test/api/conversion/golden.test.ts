import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { allScheme } from "../../../src/api/scheme/all.js";
import { encodeObjectText } from "../../../src/machinery/wire/encode.js";
import { decodeObject } from "../../../src/machinery/wire/strict-decode.js";
import { ensureChild, type Fields } from "../../../src/machinery/meta/access.js";
import type { KubeObject } from "../../../src/machinery/meta/object.js";
import { goldenObjects, hasGoldenObjects } from "../../helpers/golden-objects.js";
import { deepFreeze } from "../../helpers/conversion-rows.js";

// Those of extensions, apps, networking, batch and policy have a test of their own.
const ELSEWHERE =
  /^(extensions\.v1beta1|apps\.v1beta[12]|batch\.v1beta1|policy\.v1beta1|networking\.k8s\.io\.v1beta1\.Ingress)/;
/** Options and events of a watch are no kinds of a scheme. */
const NO_KIND = /(Options|WatchEvent)\.json$/;

/** What Kubernetes itself changes on the way to the hub and back: how, of which files, and why. */
const LOSSES: readonly (readonly [files: RegExp, reason: string, apply: (object: Fields) => void])[] = [
  [
    /^autoscaling\.v1\.HorizontalPodAutoscaler\.json$/,
    "v1 annotates what metrics there are now, CPU too; a value that v2 lacks is 0 there",
    (object) => {
      ensureChild(ensureChild(object, "metadata"), "annotations")["autoscaling.alpha.kubernetes.io/current-metrics"] =
        '[{"type":"Resource","resource":{"name":"cpu","currentAverageUtilization":5,"currentAverageValue":"0"}}]';
    },
  ],
  [
    /^discovery\.k8s\.io\.v1beta1\.EndpointSlice\.json$/,
    "a node's name is a host name in the topology too",
    (object) => {
      for (const endpoint of object.endpoints as Fields[]) {
        ensureChild(endpoint, "topology")["kubernetes.io/hostname"] = endpoint.nodeName;
      }
    },
  ],
  [
    /^rbac\.authorization\.k8s\.io\.v1alpha1\.(Cluster)?RoleBinding\.json$/,
    "of an unknown subject's apiVersion only the group is kept, and this one has none",
    (object) => {
      for (const subject of object.subjects as Fields[]) delete subject.apiVersion;
    },
  ],
];

describe.skipIf(!hasGoldenObjects).each(goldenObjects)(
  "Kubernetes $version's published example objects of every version",
  ({ release, folder, ...golden }) => {
    const files = golden.files.filter((file) => file.endsWith(".json") && !ELSEWHERE.test(file) && !NO_KIND.test(file));
    const read = (file: string): KubeObject => JSON.parse(readFileSync(join(folder, file), "utf8")) as KubeObject;
    const scheme = allScheme(release);

    test("cover every version that differs from its kind's stored version", () => {
      const others = files.filter((file) => {
        const { gvk, hub } = scheme.kindOf(read(file));
        return gvk.group !== hub.group || gvk.version !== hub.version;
      });
      expect(others.length).toBeGreaterThanOrEqual(60);
    });

    test.each(LOSSES.map(([lossy, reason]) => [reason, lossy] as const))(
      "lose a field on the way to the stored version and back, where Kubernetes loses it too: %s",
      (_, lossy) => {
        expect(files.filter((file) => lossy.test(file))).not.toEqual([]);
      },
    );

    test.each(files)(
      "are unchanged after conversion to the stored version and back, but for what Kubernetes loses: %s",
      (file) => {
        const source = read(file);
        const kind = scheme.kindOf(source);
        const hub = scheme.kind(kind.hub);
        const typed = deepFreeze(decodeObject<KubeObject>(source, kind.schema).object);
        const stored = decodeObject<KubeObject>(scheme.convert(typed, kind.hub), hub.schema);
        expect(stored.strictErrors).toEqual([]);
        const back = decodeObject<KubeObject>(scheme.convert(deepFreeze(stored.object), kind.gvk), kind.schema);
        expect(back.strictErrors).toEqual([]);
        const losses = LOSSES.filter(([lossy]) => lossy.test(file));
        const expected = read(file);
        for (const [, , apply] of losses) apply(expected);
        expect(JSON.parse(encodeObjectText(back.object, kind.schema))).toEqual(expected);
        // A loss that is none any more does not stay in the list.
        if (losses.length > 0) expect(expected).not.toEqual(source);
      },
    );
  },
);
