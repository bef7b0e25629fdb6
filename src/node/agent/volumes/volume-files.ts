import type {
  ConfigMapProjection,
  DownwardAPIVolumeFile,
  KeyToPath,
  ProjectedVolumeSource,
  SecretProjection,
  Volume,
  VolumeProjection,
} from "../../../api/types/core/v1.js";
import { once } from "../../../base/async/once.js";
import { Pace } from "../../../base/time/pace.js";
import { type Steps, waitFor } from "../../../base/async/steps.js";
import { inSlices } from "../../../base/async/time-slice.js";
import { absent, number, object, objects, type Received, text } from "../../../machinery/meta/received.js";
import type { FilesVolume, VolumeFile } from "../../container-runtime.js";
import { ConfigError, dataOf, type EnvironmentSource, podField, resourceField } from "../container-environment.js";

/** Thrown when a volume of a pod cannot be mounted. The message is that of the kubelet's event. */
export class VolumeError extends Error {
  override readonly name = "VolumeError";
}

/** Asks for a token of the pod's service account, the file's content. */
type AskToken = () => Promise<Uint8Array>;

/** The files of a volume, by their paths in it. */
type Files = ReadonlyMap<string, Uint8Array | AskToken>;

/** What a ConfigMap, a Secret or the like brings into a volume. */
interface Part {
  readonly files: Files;
  /** Permission bits of the files that `modes` does not name. Default: those of the volume. */
  readonly modes?: ReadonlyMap<string, number>;
}

/** The token and the sources from which the volumes of a pod are filled. */
export interface VolumeSource extends EnvironmentSource {
  /** A token of the pod's service account. */
  readonly token: (audience: string | undefined, expirationSeconds: number | undefined) => Promise<string>;
}

/** What the sources of a volume of files have alike. */
type FileSource = Received<Pick<ProjectedVolumeSource, "defaultMode">>;

const FILES_PER_STEP = 64;
const DEFAULT_MODE = 0o644;

/** A volume of files, and how many it has. */
export interface MadeFiles {
  readonly volume: FilesVolume;
  readonly count: number;
}

/**
 * The files of a ConfigMap, Secret, downward API or projected volume. Throws a VolumeError for what is not there. The bytes of an object are
 * there once, however many volumes have it.
 */
export async function filesVolume(volume: Received<Volume>, source: VolumeSource): Promise<MadeFiles> {
  const parts = await partsOf(volume, source);
  const { projected, configMap, secret, downwardAPI } = volume;
  const { defaultMode } = object<FileSource>(projected ?? configMap ?? secret ?? downwardAPI);
  const mode = typeof defaultMode === "number" ? defaultMode : DEFAULT_MODE;
  return {
    volume: { kind: "files", files: once(() => inSlices(complete(parts, mode))) },
    count: parts.reduce((sum, { files }) => sum + files.size, 0),
  };
}

/** Yields while a token is asked for. */
function* complete(parts: readonly Part[], defaultMode: number): Steps<ReadonlyMap<string, VolumeFile>> {
  const all = new Map<string, VolumeFile>();
  const pace = new Pace(FILES_PER_STEP);
  for (const { files, modes } of parts) {
    for (const [path, content] of files) {
      if (pace.isDue()) yield;
      const bytes = typeof content === "function" ? yield* waitFor(content()) : content;
      all.set(path, { content: bytes, mode: modes?.get(path) ?? defaultMode });
    }
  }
  return all;
}

async function partsOf(volume: Received<Volume>, source: VolumeSource): Promise<readonly Part[]> {
  const sources: readonly Received<VolumeProjection>[] = absent(volume.projected)
    ? [{ ...volume, secret: secretReference(volume) }]
    : objects(object(volume.projected).sources);
  try {
    const parts: Part[] = [];
    for (const one of sources) parts.push(await partOf(one, source));
    return parts;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const name = JSON.stringify(text(volume.name));
    throw new VolumeError(`MountVolume.SetUp failed for volume ${name} : ${error.message}`);
  }
}

/** A volume calls the Secret secretName, a projection calls it name. */
function secretReference({ secret }: Received<Volume>): Received<SecretProjection> | undefined {
  if (absent(secret)) return undefined;
  return { ...object(secret), name: object(secret).secretName };
}

async function partOf(
  { configMap, secret, downwardAPI, serviceAccountToken }: Received<VolumeProjection>,
  source: VolumeSource,
): Promise<Part> {
  if (!absent(configMap)) return chosen("ConfigMap", object(configMap), source);
  if (!absent(secret)) return chosen("Secret", object(secret), source);
  if (!absent(downwardAPI)) {
    const items = objects(object(downwardAPI).items);
    const files = new Map(
      items.map((item) => [
        text(item.path),
        Buffer.from(
          absent(item.resourceFieldRef)
            ? podField(text(object(item.fieldRef).fieldPath), source)
            : resourceField(object(item.resourceFieldRef), source),
        ),
      ]),
    );
    return { files, modes: modesOf(items) };
  }
  if (absent(serviceAccountToken)) return NONE;
  const { path, audience, expirationSeconds } = object(serviceAccountToken);
  const seconds = typeof expirationSeconds === "number" ? expirationSeconds : undefined;
  const ask = async (): Promise<Uint8Array> => Buffer.from(await source.token(text(audience) || undefined, seconds));
  return { files: new Map([[text(path), ask]]) };
}

const NONE: Part = { files: new Map() };

const MISSING_KEY = {
  ConfigMap: "configmap references non-existent config key",
  Secret: "references non-existent secret key",
};

async function chosen(
  kind: "ConfigMap" | "Secret",
  reference: Received<SecretProjection | ConfigMapProjection>,
  source: VolumeSource,
): Promise<Part> {
  const data = (await dataOf(kind, text(reference.name), reference.optional === true, source)) ?? NONE.files;
  if (absent(reference.items)) return { files: data };
  const files = new Map<string, Uint8Array | AskToken>();
  const items = objects(reference.items);
  for (const item of items) {
    const content = data.get(text(item.key));
    if (content !== undefined) files.set(text(item.path), content);
    else if (reference.optional !== true) throw new ConfigError(`${MISSING_KEY[kind]}: ${text(item.key)}`);
  }
  return { files, modes: modesOf(items) };
}

const modesOf = (items: readonly Received<KeyToPath | DownwardAPIVolumeFile>[]): ReadonlyMap<string, number> =>
  new Map(items.flatMap(({ path, mode }) => (typeof mode === "number" ? [[text(path), number(mode)] as const] : [])));
