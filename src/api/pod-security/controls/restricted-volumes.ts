import { absent } from "../../../machinery/meta/access.js";
import type { Volume } from "../../types/core/v1.js";
import { type Control, distinct, plural, quoted } from "../control.js";

const ALLOWED = [
  "configMap",
  "csi",
  "downwardAPI",
  "emptyDir",
  "ephemeral",
  "image",
  "persistentVolumeClaim",
  "projected",
  "secret",
] as const satisfies readonly (keyof Volume)[];

/** In the order in which a volume of several types is named. */
const RESTRICTED = [
  "hostPath",
  "gcePersistentDisk",
  "awsElasticBlockStore",
  "gitRepo",
  "nfs",
  "iscsi",
  "glusterfs",
  "rbd",
  "flexVolume",
  "cinder",
  "cephfs",
  "flocker",
  "fc",
  "azureFile",
  "vsphereVolume",
  "quobyte",
  "azureDisk",
  "photonPersistentDisk",
  "portworxVolume",
  "scaleIO",
  "storageos",
] as const satisfies readonly (keyof Volume)[];

const typeOf = (volume: Volume): string => RESTRICTED.find((type) => !absent(volume[type])) ?? "unknown";

/** Volumes come from the API and from drivers that an administrator has installed. */
export const restrictedVolumes: Control = {
  id: "restrictedVolumes",
  level: "restricted",
  revisions: [
    {
      since: 0,
      overrides: ["hostPathVolumes"],
      check({ spec }) {
        const bad = (spec.volumes ?? []).filter((volume) => ALLOWED.every((type) => absent(volume[type])));
        if (bad.length === 0) return undefined;
        const types = distinct(bad.map(typeOf));
        const words = [
          plural("volume", "volumes", bad.length),
          quoted(bad.map(({ name }) => name)),
          plural("uses", "use", bad.length),
          plural("restricted volume type", "restricted volume types", types.length),
          quoted(types),
        ];
        return { reason: "restricted volume types", detail: words.join(" ") };
      },
    },
  ],
};
