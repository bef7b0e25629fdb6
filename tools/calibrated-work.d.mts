/** How many milliseconds of CPU time this thread needs now for what the reference machine does in one; takes about 4 ms. */
export function measurePace(): number;
/** CPU time of this thread where Linux tells it, else of the whole process, which is more. */
export function cpuMilliseconds(): number;
