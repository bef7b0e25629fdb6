/** Parts of a seat-second that a unit of work is; kube-apiserver's fixed point. */
const UNITS_PER_SECOND = 1e8;
const NANOSECONDS_PER_UNIT = 1e9 / UNITS_PER_SECOND;

/** The estimated work of a request. Source: kube-apiserver's WorkEstimate. */
export interface WorkEstimate {
  /** Seats while the request is handled. */
  readonly initialSeats: number;
  /** Seats behind the answer, for {@link additionalLatency}. */
  readonly finalSeats: number;
  /** How long seats stay taken behind the answer, in nanoseconds. */
  readonly additionalLatency: number;
}

/** The estimate of a request that occupies `seats` until it is answered. */
export const seatsAlone = (seats: number): WorkEstimate => ({
  initialSeats: seats,
  finalSeats: 0,
  additionalLatency: 0,
});

/** Returns the most seats that a request occupies at a time. */
export const mostSeats = ({ initialSeats, finalSeats }: WorkEstimate): number => Math.max(initialSeats, finalSeats);

/** Returns `seats` for so many nanoseconds as work, in units of 10 nanoseconds of a seat. Rounds as Go does: halves away from zero. */
export function workOf(seats: number, nanoseconds: number): number {
  const work = (seats * nanoseconds) / NANOSECONDS_PER_UNIT;
  return work < 0 ? -Math.round(-work) : Math.round(work);
}

/** Returns for how many nanoseconds `seats` do the work. */
export const nanosecondsPerSeat = (work: number, seats: number): number =>
  Math.trunc((work / seats) * NANOSECONDS_PER_UNIT);

/** Work in seats times seconds. */
export const seatSeconds = (work: number): number => work / UNITS_PER_SECOND;

/** "12.00300000ss", as kube-apiserver prints seat-seconds. */
export function formatWork(work: number): string {
  const seconds = Math.floor(work / UNITS_PER_SECOND);
  return `${seconds}.${String(work - seconds * UNITS_PER_SECOND).padStart(8, "0")}ss`;
}
