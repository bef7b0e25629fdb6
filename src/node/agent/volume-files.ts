import { once } from "../../base/once.js";
import { Pace } from "../../base/pace.js";
import type { Steps } from "../../base/steps.js";
import { inSlices } from "../../base/time-slice.js";
import { waitFor } from "../../base/wait-for.js";
import { withoutTrailing } from "../../base/without-trailing.js";
import { object, objects, type ReadonlyFields, text } from "../../machinery/meta/access.js";
import { ConfigError, dataOf, type EnvironmentSource, podField, resourceField } from "./container-environment.js";

/** A volume of a pod cannot be made. The message is that of the kubelet's event. */
export class VolumeError extends Error {
  override readonly name = "VolumeError";
}

/** The files of a volume, by their paths in it. */
type Files = ReadonlyMap<string, Uint8Array | AskToken>;

/** Asks for a token of the pod's service account, the file's content. */
type AskToken = () => Promise<Uint8Array>;

/** What volumes of a pod need besides its objects. */
export interface VolumeSource extends EnvironmentSource {
  /** A token of the pod's service account. */
  readonly token: (audience: string | undefined, expirationSeconds: number | undefined) => Promise<string>;
}

/** A container's mounts bring at most so many files. */
const MOST_FILES = 100_000;
const FILES_PER_STEP = 64;

interface Mount {
  readonly path: string;
  readonly subPath: string;
  readonly files: Files;
}

/**
 * The files that a container's volume mounts bring, by absolute path: of ConfigMaps, Secrets, the downward API and tokens. Other
 * volumes are empty folders, each container's own. Throws a VolumeError for what is not there. The answer completes them: it asks
 * for the tokens, which most containers never read. The bytes of a volume are there once, however often it is mounted.
 */
export async function volumeFiles(
  container: ReadonlyFields,
  source: VolumeSource,
): Promise<() => Promise<Record<string, Uint8Array>>> {
  const made = new Map<string, Files>();
  const mounts: Mount[] = [];
  const volumes = new Map(objects(object(source.pod.spec).volumes).map((one) => [text(one.name), one]));
  let count = 0;
  for (const mount of objects(container.volumeMounts)) {
    const name = text(mount.name);
    const volume = volumes.get(name);
    if (volume === undefined) continue;
    const files = made.get(name) ?? (await madeOf(volume, source));
    made.set(name, files);
    const subPath = text(mount.subPath);
    count += subPath === "" ? files.size : 1;
    if (count > MOST_FILES)
      throw new VolumeError(`MountVolume.SetUp failed for volume ${JSON.stringify(name)} : no space left on device`);
    mounts.push({ path: withoutTrailing(text(mount.mountPath), "/"), subPath, files });
  }
  return once(() => inSlices(completeFiles(mounts)));
}

/** The files of all mounts. Yields while a token is asked for. */
function* completeFiles(mounts: readonly Mount[]): Steps<Record<string, Uint8Array>> {
  const complete = new Map<string, Uint8Array>();
  const pace = new Pace(FILES_PER_STEP);
  for (const { path, subPath, files } of mounts) {
    for (const [name, content] of files) {
      if (pace.isDue()) yield;
      const place = placeOf(name, path, subPath);
      if (place === undefined) continue;
      complete.set(place, typeof content === "function" ? yield* waitFor(content()) : content);
    }
  }
  return Object.fromEntries(complete);
}

/** Where a file of a volume is mounted; undefined where the mount leaves it out. */
function placeOf(name: string, path: string, subPath: string): string | undefined {
  if (subPath === "") return `${path}/${name}`;
  if (name === subPath) return path;
  return name.startsWith(`${subPath}/`) ? `${path}/${name.slice(subPath.length + 1)}` : undefined;
}

async function madeOf(volume: ReadonlyFields, source: VolumeSource): Promise<Files> {
  try {
    return await contentOf(volume, source);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const name = JSON.stringify(text(volume.name));
    throw new VolumeError(`MountVolume.SetUp failed for volume ${name} : ${error.message}`);
  }
}

async function contentOf(volume: ReadonlyFields, source: VolumeSource): Promise<Files> {
  if (volume.projected === undefined) return partOf({ ...volume, secret: secretReference(volume) }, source);
  const files = new Map<string, Uint8Array | AskToken>();
  for (const part of objects(object(volume.projected).sources)) {
    for (const [name, content] of await partOf(part, source)) files.set(name, content);
  }
  return files;
}

/** A volume calls the Secret secretName, a projection calls it name. */
function secretReference({ secret }: ReadonlyFields): unknown {
  if (secret === undefined) return undefined;
  return { ...object(secret), name: object(secret).secretName };
}

async function partOf(
  { configMap, secret, downwardAPI, serviceAccountToken }: ReadonlyFields,
  source: VolumeSource,
): Promise<Files> {
  if (configMap !== undefined) return chosen("ConfigMap", object(configMap), source);
  if (secret !== undefined) return chosen("Secret", object(secret), source);
  if (downwardAPI !== undefined) {
    return new Map(
      objects(object(downwardAPI).items).map((item) => [
        text(item.path),
        Buffer.from(
          item.resourceFieldRef === undefined
            ? podField(text(object(item.fieldRef).fieldPath), source)
            : resourceField(object(item.resourceFieldRef), source),
        ),
      ]),
    );
  }
  if (serviceAccountToken === undefined) return NONE;
  const { path, audience, expirationSeconds } = object(serviceAccountToken);
  const seconds = typeof expirationSeconds === "number" ? expirationSeconds : undefined;
  return new Map([[text(path), async () => Buffer.from(await source.token(text(audience) || undefined, seconds))]]);
}

const NONE: Files = new Map();

const MISSING_KEY = {
  ConfigMap: "configmap references non-existent config key",
  Secret: "references non-existent secret key",
};

async function chosen(kind: "ConfigMap" | "Secret", reference: ReadonlyFields, source: VolumeSource): Promise<Files> {
  const data = (await dataOf(kind, text(reference.name), reference.optional === true, source)) ?? NONE;
  if (reference.items === undefined) return data;
  const files = new Map<string, Uint8Array | AskToken>();
  for (const item of objects(reference.items)) {
    const content = data.get(text(item.key));
    if (content !== undefined) files.set(text(item.path), content);
    else if (reference.optional !== true) throw new ConfigError(`${MISSING_KEY[kind]}: ${text(item.key)}`);
  }
  return files;
}
