/** Values packed into a few buffers, which can be transferred to another thread without copying. */
export interface PackedValues {
  /** Every value lies whole in one slab. */
  readonly slabs: readonly Uint8Array<ArrayBuffer>[];
  /** The length of each value, in order. */
  readonly lengths: readonly number[];
}

/**
 * The size of a slab; a larger value gets its own. A buffer per value would cost several hundred bytes each. A slab stays in
 * memory as long as one of its values does.
 */
const SLAB = 64 * 1024;

export function packValues(values: readonly Uint8Array[]): PackedValues {
  const slabs: Uint8Array<ArrayBuffer>[] = [];
  let first = 0;
  let bytes = 0;
  const fill = (end: number): void => {
    if (bytes === 0) return;
    const slab = new Uint8Array(bytes);
    let offset = 0;
    for (const value of values.slice(first, end)) {
      slab.set(value, offset);
      offset += value.byteLength;
    }
    slabs.push(slab);
    [first, bytes] = [end, 0];
  };
  for (const [index, { byteLength }] of values.entries()) {
    if (bytes + byteLength > SLAB) fill(index);
    bytes += byteLength;
  }
  fill(values.length);
  return { slabs, lengths: values.map(({ byteLength }) => byteLength) };
}

/** Unpacks the values as views of their slabs. */
export function unpackValues({ slabs, lengths }: PackedValues): readonly Uint8Array[] {
  let at = 0;
  let offset = 0;
  return lengths.map((length) => {
    if (length > 0 && offset === slabs[at]?.byteLength) [at, offset] = [at + 1, 0];
    const start = offset;
    offset += length;
    return slabs[at]?.subarray(start, offset) ?? new Uint8Array();
  });
}
