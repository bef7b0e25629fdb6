import { once } from "../../base/once.js";
import { object, objects, type ReadonlyFields, text } from "../../machinery/meta/access.js";
import { dataOf, type EnvironmentSource, podField } from "./container-environment.js";

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
 * volumes are empty folders, each container's own. Throws a ConfigError for what is not there. The answer completes them: it asks
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
    const path = text(mount.mountPath).replace(/\/+$/, "");
    const subPath = text(mount.subPath);
    for (const [name, content] of Object.entries(await contentOf(volume, source))) {
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

async function contentOf(volume: ReadonlyFields, source: VolumeSource): Promise<Files> {
  if (volume.projected === undefined) return partOf({ ...volume, secret: secretReference(volume) }, source);
  const files: Files = {};
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
        Buffer.from(podField(text(object(item.fieldRef).fieldPath), source)),
      ]),
    );
  }
  if (serviceAccountToken === undefined) return {};
  const { path, audience, expirationSeconds } = object(serviceAccountToken);
  const seconds = typeof expirationSeconds === "number" ? expirationSeconds : undefined;
  return { [text(path)]: async () => Buffer.from(await source.token(text(audience) || undefined, seconds)) };
}

async function chosen(kind: "ConfigMap" | "Secret", reference: ReadonlyFields, source: VolumeSource): Promise<Files> {
  const data = (await dataOf(kind, text(reference.name), reference.optional === true, source)) ?? {};
  if (reference.items === undefined) return { ...data };
  const files: Files = {};
  for (const item of objects(reference.items)) {
    const content = data[text(item.key)];
    if (content !== undefined) files[text(item.path)] = content;
  }
  return files;
}
