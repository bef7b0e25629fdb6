/** How often addresses and ports are compared with the services that have them. */
export const REPAIR_MS = 180_000;
