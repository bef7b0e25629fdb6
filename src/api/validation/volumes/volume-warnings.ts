import { goQuote } from "../../../base/text/go-quote.js";
import { withoutTrailing } from "../../../base/text/without-trailing.js";
import { absent, object, objects, type Received, text } from "../../../machinery/meta/received.js";
import type {
  ConfigMapVolumeSource,
  DownwardAPIProjection,
  DownwardAPIVolumeSource,
  ProjectedVolumeSource,
  SecretVolumeSource,
  Volume,
  VolumeProjection,
} from "../../types/core/v1.js";

/** What has files: of each only its path is looked at. */
type WithItems = Received<ConfigMapVolumeSource | SecretVolumeSource | DownwardAPIVolumeSource | DownwardAPIProjection>;

interface Target {
  readonly path: string;
  readonly source: string;
}

/** Returns the warnings about files of one volume that would be at the same path, or below one another. */
export function overlappingPathWarnings(volumes: readonly Received<Volume>[]): string[] {
  return volumes.flatMap((volume) => {
    const name = goQuote(text(volume.name));
    const within = (source: WithItems | null | undefined, described: string) =>
      overlaps(targets(source, "")).map((body) => `volume ${name} (${described}): overlapping paths: ${body}`);
    const config = object(volume.configMap);
    const secret = object(volume.secret);
    return [
      ...within(config, `ConfigMap ${goQuote(text(config.name))}`),
      ...within(secret, `Secret ${goQuote(text(secret.secretName))}`),
      ...within(volume.downwardAPI, "DownwardAPI"),
      ...(absent(volume.projected) ? [] : projectedWarnings(object(volume.projected), name)),
    ];
  });
}

function projectedWarnings(projected: Received<ProjectedVolumeSource>, name: string): string[] {
  const warnings: string[] = [];
  const all: Target[] = [];
  for (const source of objects(projected.sources)) {
    if (Object.values(source).every(absent)) {
      warnings.push(`volume ${name} (Projected) has no sources provided`);
      continue;
    }
    for (const target of projectedTargets(source)) {
      for (const other of collisions(all, target)) {
        warnings.push(`volume ${name} (Projected): overlapping paths: ${shown(target)} with ${shown(other)}`);
      }
      all.push(target);
    }
  }
  return warnings;
}

/** Of several kinds in one source only the first is looked at. */
function projectedTargets({
  configMap,
  secret,
  downwardAPI,
  serviceAccountToken: token,
}: Received<VolumeProjection>): Target[] {
  if (!absent(object(configMap).items)) return targets(configMap, `ConfigMap ${goQuote(text(object(configMap).name))}`);
  if (!absent(object(secret).items)) return targets(secret, `Secret ${goQuote(text(object(secret).name))}`);
  if (!absent(object(downwardAPI).items)) return targets(downwardAPI, "DownwardAPI");
  if (absent(token)) return [];
  return [{ path: withoutTrailing(text(object(token).path), "/"), source: "ServiceAccountToken" }];
}

function targets(source: WithItems | null | undefined, described: string): Target[] {
  return objects(object(source).items).map(({ path }) => ({
    path: withoutTrailing(text(path), "/"),
    source: described,
  }));
}

function overlaps(list: readonly Target[]): string[] {
  return list.flatMap((target, index) =>
    collisions(list.slice(0, index), target).map((other) => `${shown(target)} with ${shown(other)}`),
  );
}

function collisions(others: readonly Target[], { path }: Target): Target[] {
  if (path === "") return [];
  return others.filter(
    (other) =>
      other.path !== "" && (`${other.path}/`.startsWith(`${path}/`) || `${path}/`.startsWith(`${other.path}/`)),
  );
}

const shown = ({ path, source }: Target): string => (source === "" ? goQuote(path) : `${goQuote(path)} (${source})`);
