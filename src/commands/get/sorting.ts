/** Loaded when a command line asks for it: most do not, and would start later for it. */
let loaded: typeof import("./sort-by.js") | undefined;

/** Loads what --sort-by needs. */
export async function loadSorting(): Promise<void> {
  loaded ??= await import("./sort-by.js");
}

/** Undefined without --sort-by. */
export const sorting = (): typeof loaded => loaded;
