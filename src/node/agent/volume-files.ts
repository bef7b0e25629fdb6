import { own } from "../../base/own.js";
import { once } from "../../base/once.js";
import { object, objects, type ReadonlyFields, text } from "../../machinery/meta/access.js";
import { ConfigError, dataOf, type EnvironmentSource, podField, resourceField } from "./container-environment.js";
import { withoutTrailing } from "../../base/without-trailing.js";

/** A volume of a pod cannot be made. The message is that of the kubelet's event. */
export class VolumeError extends Error {
  override readonly name = "VolumeError";
}

type Files = Record<string, Uint8Array | AskToken>;

/** Asks for a token of the pod's service account, the file's content. */
type AskToken = () => Promise<Uint8Array>;

/** What volumes of a pod need besides its objects. */
export interface VolumeSource extends EnvironmentSource {
  /** A token of the pod's service account. */
  readonly token: (audience: string | undefined, expirationSeconds: number | undefined) => Promise<string>;
}

/**
 * The files that a container's volume mounts bring, by absolute path: of ConfigMaps, Secrets, the downward API and tokens. Other
 * volumes are empty folders, each container's own. Throws a VolumeError for what is not there. The answer completes them: it asks
 * for the tokens, which most containers never read.
 */
export async function volumeFiles(
  container: ReadonlyFields,
  source: VolumeSource,
): Promise<() => Promise<Record<string, Uint8Array>>> {
  const files: Files = {};
  const volumes = objects(object(source.pod.spec).volumes);
  for (const mount of objects(container.volumeMounts)) {
    const volume = volumes.find((one) => text(one.name) === text(mount.name));
    if (volume === undefined) continue;
    const path = withoutTrailing(text(mount.mountPath), "/");
    const subPath = text(mount.subPath);
    for (const [name, content] of Object.entries(await madeOf(volume, source))) {
      if (subPath === "") files[`${path}/${name}`] = content;
      else if (name === subPath) files[path] = content;
      else if (name.startsWith(`${subPath}/`)) files[`${path}/${name.slice(subPath.length + 1)}`] = content;
    }
  }
  return once(async () => {
    const complete: Record<string, Uint8Array> = {};
    for (const [path, content] of Object.entries(files)) {
      complete[path] = typeof content === "function" ? await content() : content;
    }
    return complete;
  });
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
  const files = Object.create(null) as Files;
  for (const part of objects(object(volume.projected).sources)) Object.assign(files, await partOf(part, source));
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
    return Object.fromEntries(
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
  if (serviceAccountToken === undefined) return {};
  const { path, audience, expirationSeconds } = object(serviceAccountToken);
  const seconds = typeof expirationSeconds === "number" ? expirationSeconds : undefined;
  return { [text(path)]: async () => Buffer.from(await source.token(text(audience) || undefined, seconds)) };
}

const MISSING_KEY = {
  ConfigMap: "configmap references non-existent config key",
  Secret: "references non-existent secret key",
};

async function chosen(kind: "ConfigMap" | "Secret", reference: ReadonlyFields, source: VolumeSource): Promise<Files> {
  const data = (await dataOf(kind, text(reference.name), reference.optional === true, source)) ?? {};
  if (reference.items === undefined) return { ...data };
  const files = Object.create(null) as Files;
  for (const item of objects(reference.items)) {
    const content = own(data, text(item.key));
    if (content !== undefined) files[text(item.path)] = content;
    else if (reference.optional !== true) throw new ConfigError(`${MISSING_KEY[kind]}: ${text(item.key)}`);
  }
  return files;
}
