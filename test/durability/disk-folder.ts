import { tmpdir } from "node:os";

/** Temporary files of tests lie in memory where they can; what is flushed and must survive belongs on a disk. */
export const diskFolder = (): string => process.env["KUBETS_DISK_FOLDER"] ?? tmpdir();
