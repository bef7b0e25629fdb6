import { existsSync, readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { allScheme } from "../../../src/api/scheme/all.js";
import { encodeObjectText } from "../../../src/machinery/wire/encode.js";
import { decodeObject } from "../../../src/machinery/wire/strict-decode.js";
import { child, type Fields } from "../../../src/machinery/meta/access.js";
import type { KubeObject } from "../../../src/machinery/meta/object.js";
import type { VersionedKind } from "../../../src/machinery/scheme/scheme.js";
import { deepFreeze } from "../../helpers/conversion-rows.js";

// One filled object of each kind as k8s.io/api v0.36.3 has them in its testdata; not part of the project.
const folder = new URL("../../../../shared/data/golden/api/", import.meta.url);
const there = existsSync(folder);

const MINE =
  /^(extensions\.v1beta1|apps\.v1beta[12]|networking\.k8s\.io\.v1beta1|batch\.v1beta1|policy\.v1beta1)\.[^.]+\.json$/;

/** What Kubernetes itself loses or adds on the way to the hub and back, done to the object as it was. */
interface Loss {
  readonly kinds: RegExp;
  readonly reason: string;
  readonly apply: (object: Fields) => void;
}

const LOSSES: readonly Loss[] = [
  {
    kinds: /\/(DaemonSet|Deployment|ReplicaSet|StatefulSet)$/,
    reason: "the internal pod spec has one name for the service account: serviceAccount is serviceAccountName again",
    apply: (object) => alignServiceAccount(at(object, "spec", "template", "spec")),
  },
  {
    kinds: /\/CronJob$/,
    reason: "the same in the job's template",
    apply: (object) => alignServiceAccount(at(object, "spec", "jobTemplate", "spec", "template", "spec")),
  },
  {
    kinds: /\/StatefulSet$/,
    reason: "claim templates are given their kind and apiVersion",
    apply: (object) => {
      const spec = at(object, "spec");
      spec.volumeClaimTemplates = (spec.volumeClaimTemplates as Fields[]).map((claim) => ({
        ...claim,
        kind: "PersistentVolumeClaim",
        apiVersion: "v1",
      }));
    },
  },
  {
    kinds: /^apps\/v1beta2\/DaemonSet$/,
    reason: "the internal template generation is a plain number: where no annotation says it, it is 0 and annotated",
    apply: (object) => {
      at(object, "metadata", "annotations")["deprecated.daemonset.template.generation"] = "0";
    },
  },
  {
    kinds: /\/Scale$/,
    reason: "the internal selector is a text: the map of labels goes where targetSelector asks for anything else",
    apply: (object) => {
      delete at(object, "status").selector;
    },
  },
];

describe.skipIf(!there)(
  "k8s.io/api's example objects of removed versions (skipped where its testdata is not beside the project)",
  () => {
    const files = there ? readdirSync(folder).filter((file) => MINE.test(file)) : [];

    test("exist for every version that is no longer served", () => {
      expect(files.length).toBeGreaterThanOrEqual(22);
    });

    test.each(files)(
      "are unchanged after conversion to the stored version and back, but for what Kubernetes loses: %s",
      (file) => {
        const source = JSON.parse(readFileSync(new URL(file, folder), "utf8")) as KubeObject;
        const kind = allScheme().kindOf(source);
        const hub = allScheme().kind(kind.hub);
        const typed = deepFreeze(decodeObject(source, kind.schema).object as KubeObject);

        const stored = throughJson(kind.toHub(typed), hub);
        expect(stored.strictErrors).toEqual([]);
        expect(stored.object).toMatchObject({
          apiVersion: hub.gvk.group === "" ? hub.gvk.version : `${hub.gvk.group}/${hub.gvk.version}`,
          kind: hub.gvk.kind,
        });
        const back = throughJson(kind.fromHub(deepFreeze(stored.object)), kind);
        expect(back.strictErrors).toEqual([]);

        const expected = structuredClone(source) as Fields;
        for (const loss of LOSSES) if (loss.kinds.test(`${source.apiVersion}/${source.kind}`)) loss.apply(expected);
        expect(back.json).toEqual(expected);
      },
    );
  },
);

/** Written as its type is written. What the type has no field for would not be, and is told. */
function throughJson(object: KubeObject, { schema }: VersionedKind) {
  const { object: typed, strictErrors } = decodeObject(structuredClone(object), schema, { mode: "Strict" });
  return {
    json: JSON.parse(encodeObjectText(object, schema)) as KubeObject,
    object: typed as KubeObject,
    strictErrors,
  };
}

function alignServiceAccount(spec: Fields): void {
  spec.serviceAccount = spec.serviceAccountName;
}

function at(object: Fields, ...path: readonly string[]): Fields {
  let found = object;
  for (const field of path) {
    const next = child(found, field);
    if (next === undefined) throw new Error(`no ${field}`);
    found = next;
  }
  return found;
}
