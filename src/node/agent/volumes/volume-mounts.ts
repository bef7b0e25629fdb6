import type {
  Container,
  EphemeralContainer,
  Volume as ApiVolume,
  VolumeMount as ApiMount,
} from "../../../api/types/core/v1.js";
import { absent, object, objects, quantityText, type Received, text } from "../../../machinery/meta/received.js";
import { parseQuantity, quantityValue } from "../../../machinery/text/quantity/quantity.js";
import type { PodVolume, Volume, VolumeMount } from "../../container-runtime.js";
import { claimedVolume, type ClaimedVolume } from "./claimed-volume.js";
import { ConfigError, type Environment } from "../container-environment.js";
import { filesVolume, type MadeFiles, VolumeError, type VolumeSource } from "./volume-files.js";

/** A container's mounts bring at most so many files. */
const MOST_FILES = 100_000;

export interface MountSource extends VolumeSource {
  /** The claims that the pod's containers have mounted so far, by volume: a kubelet looks at them once. */
  readonly claimed: Map<string, ClaimedVolume>;
}

interface Made {
  readonly volume: Volume;
  readonly count: number;
  readonly readOnly: boolean;
}

/**
 * Computes where a container mounts the volumes of its pod. Throws a VolumeError for a missing volume, and a ConfigError for a
 * subPath that leads out of its volume.
 */
export async function volumeMounts(
  container: Received<Container | EphemeralContainer>,
  env: Pick<Environment, "path">,
  source: MountSource,
): Promise<readonly VolumeMount[]> {
  const made = new Map<string, Made>();
  const mounts: VolumeMount[] = [];
  const volumes = objects(object(source.pod.spec).volumes);
  let count = 0;
  for (const mount of objects(container.volumeMounts)) {
    const name = text(mount.name);
    const volume = volumes.find((one) => one.name === name);
    if (volume === undefined) continue;
    const one = made.get(name) ?? (await madeOf(volume, source));
    made.set(name, one);
    const subPath = subPathOf(mount, env);
    count += subPath === "" ? one.count : Math.min(1, one.count);
    if (count > MOST_FILES) throw notSetUp(name, "no space left on device");
    const path = text(mount.mountPath);
    mounts.push({
      name,
      path: path.startsWith("/") ? path : `/${path}`,
      subPath,
      readOnly: one.readOnly || mount.readOnly === true,
      volume: one.volume,
    });
  }
  return mounts;
}

/** Throws a ConfigError for one that a kubelet refuses. */
function subPathOf({ subPath, subPathExpr }: Received<ApiMount>, env: Pick<Environment, "path">): string {
  const path = text(subPathExpr) === "" ? text(subPath) : env.path(text(subPathExpr));
  if (path.startsWith("/")) throw new ConfigError(`error SubPath \`${path}\` must not be an absolute path`);
  if (path.split("/").includes(".."))
    throw new ConfigError(`unable to provision SubPath \`${path}\`: must not contain '..'`);
  return path;
}

async function madeOf(volume: Received<ApiVolume>, source: MountSource): Promise<Made> {
  const { projected, configMap, secret, downwardAPI, hostPath } = volume;
  if (!absent(projected ?? configMap ?? secret ?? downwardAPI)) return ofFiles(await filesVolume(volume, source));
  if (!absent(volume.persistentVolumeClaim ?? volume.ephemeral)) {
    const name = text(volume.name);
    const claimed = source.claimed.get(name) ?? (await claimedVolume(volume, source));
    source.claimed.set(name, claimed);
    return { ...claimed, count: 0 };
  }
  if (!absent(hostPath)) {
    const { path, type } = object(hostPath);
    return { volume: { kind: "host", path: text(path), type: text(type) }, count: 0, readOnly: false };
  }
  return { volume: podVolume(volume), count: 0, readOnly: !absent(volume.image) };
}

const ofFiles = ({ volume, count }: MadeFiles): Made => ({ volume, count, readOnly: true });

/** An emptyDir. What other programs of a node would fill is an empty folder of the pod's own: csi, nfs, image and the like. */
function podVolume({ emptyDir }: Received<ApiVolume>): PodVolume {
  const { medium, sizeLimit } = object(emptyDir);
  const limit = Number(quantityValue(parseQuantity(quantityText(sizeLimit) || "0")));
  // A tmpfs is no larger; a disk may be, until the kubelet looks at it. A quantity of 0 is no limit.
  return medium === "Memory" && limit > 0 ? { kind: "pod", capacity: limit } : { kind: "pod" };
}

export const notSetUp = (volume: string, problem: string): VolumeError =>
  new VolumeError(`MountVolume.SetUp failed for volume ${JSON.stringify(volume)} : ${problem}`);
