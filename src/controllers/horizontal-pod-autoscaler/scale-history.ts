/** A scale that metrics asked for, before limits. */
export interface Recommendation {
  readonly replicas: number;
  /** In milliseconds. */
  readonly at: number;
}

/** A change of scale: by how many replicas. */
export interface ScaleChange {
  readonly replicas: number;
  /** In milliseconds. */
  readonly at: number;
}

/** What the controller remembers of an autoscaler. It is lost when the controller stops, as in Kubernetes. */
export interface ScaleHistory {
  readonly recommendations: readonly Recommendation[];
  readonly ups: readonly ScaleChange[];
  readonly downs: readonly ScaleChange[];
}

/** The list with `sample` in the place of its last old one, or behind the others. */
export function remember<T>(samples: readonly T[], isOld: (sample: T) => boolean, sample: T): readonly T[] {
  const place = samples.findLastIndex(isOld);
  return place < 0 ? [...samples, sample] : samples.with(place, sample);
}

/** By how many replicas the scale changed in the last seconds. `now` in milliseconds. */
export const changeWithin = (changes: readonly ScaleChange[], seconds: number, now: number): number =>
  changes.reduce((sum, { replicas, at }) => (at > now - seconds * 1000 ? sum + replicas : sum), 0);
