/** A statement that the database plans once for each connection. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

const EVENT = `r.revision, r.key, r.created, r.previous, r.place, r.batch::text AS batch, r.expires, r.value,
  p.created AS previous_created, p.value AS previous_value`;

/** A past write, with the value before it. */
export interface EventRow {
  readonly revision: number;
  readonly key: string;
  readonly created: number;
  readonly previous: number;
  readonly place: number;
  /** A 64-bit number. */
  readonly batch: string;
  /** Milliseconds since the epoch. */
  readonly expires: number | null;
  readonly value: Uint8Array | null;
  readonly previous_created: number | null;
  readonly previous_value: Uint8Array | null;
}

/** The result of kubets_write for one write. `revision` is null where it was rejected: `previous` is the current revision then. */
export interface WrittenRow {
  readonly place: number;
  readonly revision: number | null;
  readonly created: number | null;
  readonly previous: number;
  readonly previous_created: number | null;
  readonly previous_value: Uint8Array | null;
}

export interface StateRow {
  readonly now: number;
  readonly compacted: number;
}

/** The state of the store with one row of a statement's result; `key` is null where the result is empty. */
export type InState<Row> = StateRow & (Row | { readonly [Column in keyof Row]: null });

export interface ItemRow {
  readonly key: string;
  readonly revision: number;
  readonly created: number;
  readonly value: Uint8Array;
}

export const WRITE: Statement = {
  name: "kubets_write",
  text: "SELECT * FROM kubets_write($1::smallint[], $2::text[], $3::integer[], $4::bytea, $5::bigint[], $6::bigint[], $7::bigint)",
};

/** Reads the writes of a batch that were executed. */
export const BATCH: Statement = {
  name: "kubets_batch",
  text: `SELECT ${EVENT} FROM kubets_revisions r LEFT JOIN kubets_revisions p ON p.revision = r.previous
    WHERE r.revision > $1 AND r.batch = $2 ORDER BY r.revision`,
};

export const GET: Statement = {
  name: "kubets_get",
  text: `SELECT s.revision AS now, s.compacted, r.key, r.revision, r.created, r.value FROM kubets_state s
    LEFT JOIN LATERAL (SELECT * FROM kubets_revisions WHERE key = $1 ORDER BY revision DESC LIMIT 1) r
    ON r.value IS NOT NULL`,
};

const latest = (limit: string): string => `SELECT * FROM (
      SELECT DISTINCT ON (key) key, revision, created, value FROM kubets_revisions
      WHERE key >= $1 AND key < $2 AND revision <= coalesce($3, s.revision) ORDER BY key, revision DESC
    ) latest WHERE value IS NOT NULL ORDER BY key ${limit}`;

export const PAGE: Statement = {
  name: "kubets_page",
  text: `SELECT s.revision AS now, s.compacted, r.key, r.revision, r.created, r.value FROM kubets_state s
    LEFT JOIN LATERAL (${latest("LIMIT $4")}) r ON true ORDER BY r.key`,
};

export const COUNT: Statement = {
  name: "kubets_count",
  text: `SELECT count(r.key) AS total FROM kubets_state s LEFT JOIN LATERAL (${latest("")}) r ON true`,
};

export const STATE: Statement = {
  name: "kubets_state",
  text: "SELECT s.revision AS now, s.compacted, pg_is_in_recovery() AS recovering FROM kubets_state s",
};

export const EVENTS: Statement = {
  name: "kubets_events",
  text: `SELECT s.revision AS now, s.compacted, e.* FROM kubets_state s LEFT JOIN LATERAL (
      SELECT ${EVENT} FROM kubets_revisions r LEFT JOIN kubets_revisions p ON p.revision = r.previous
      WHERE r.revision > $1 ORDER BY r.revision LIMIT $2
    ) e ON true ORDER BY e.revision`,
};

/** Reads the keys that expire, with the write that set the time. */
export const EXPIRING: Statement = {
  name: "kubets_expiring",
  text: `SELECT r.key, r.revision, r.expires FROM kubets_revisions r WHERE r.expires IS NOT NULL AND r.value IS NOT NULL
    AND NOT EXISTS (SELECT FROM kubets_revisions n WHERE n.key = r.key AND n.revision > r.revision)`,
};

/** Imports keys from another store: $1 is the revision, $2 are the keys to remove. It may be repeated. */
export const RESTORE: Statement = {
  name: "kubets_restore",
  text: `WITH raised AS (
      UPDATE kubets_state SET revision = greatest(revision, $1), compacted = greatest(revision, $1), removed = greatest(revision, $1)
    ), replaced AS (
      DELETE FROM kubets_revisions
      WHERE (key = ANY ($2::text[]) OR key = ANY ($4::text[])) AND NOT revision = ANY ($3::bigint[])
    ) INSERT INTO kubets_revisions (revision, key, created, previous, batch, place, expires, value)
      SELECT i.revision, i.key, i.created, 0, 0, i.place, i.expires, i.value
      FROM unnest($3::bigint[], $4::text[], $5::bigint[], $6::bigint[], $7::bytea[]) WITH ORDINALITY
        AS i (revision, key, created, expires, value, place)
      ON CONFLICT (revision) DO UPDATE SET key = excluded.key, created = excluded.created, previous = 0, batch = 0,
        place = excluded.place, expires = excluded.expires, value = excluded.value`,
};

/** The batch that wrote a revision, in the state that there is. */
export const WRITER: Statement = {
  name: "kubets_writer",
  text: `SELECT s.revision AS now, s.compacted, r.batch::text AS batch FROM kubets_state s
    LEFT JOIN kubets_revisions r ON r.revision = $1`,
};

/** Skips all revisions that a client may have seen, so that clients which resume from one of them list again. */
export const SKIP_REVISIONS: Statement = {
  name: "kubets_skip",
  text: `UPDATE kubets_state SET revision = greatest(revision, $1) + 1000, compacted = greatest(revision, $1) + 1000
    RETURNING revision AS now, compacted`,
};

export const MARK_COMPACTED: Statement = {
  name: "kubets_mark_compacted",
  text: "UPDATE kubets_state SET compacted = least($1, revision) WHERE compacted < least($1, revision)",
};

/** Reads up to which revision compacted rows were removed, and up to which they may be. */
export const REMOVED: Statement = {
  name: "kubets_removed",
  text: "SELECT removed, compacted FROM kubets_state",
};

/** Removes the values that the writes of a range of revisions replaced, and the range's deletions. */
export const REMOVE: Statement = {
  name: "kubets_remove",
  text: `WITH replaced AS (
      DELETE FROM kubets_revisions r USING kubets_revisions n
      WHERE n.revision > $1 AND n.revision <= $2 AND n.previous = r.revision
    ), deletions AS (
      DELETE FROM kubets_revisions WHERE revision > $1 AND revision <= $2 AND value IS NULL
    ) UPDATE kubets_state SET removed = greatest(removed, $2)`,
};

/** Reads the id of this connection's process in the database, for {@link END_PROCESS}. */
export const OWN_PROCESS: Statement = {
  name: "kubets_own_process",
  text: "SELECT pid, backend_start::text AS since FROM pg_stat_activity WHERE pid = pg_backend_pid()",
};

/** Ends a process of a connection that is lost; no row once it has ended. */
export const END_PROCESS: Statement = {
  name: "kubets_end_process",
  text: "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid = $1 AND backend_start::text = $2",
};
