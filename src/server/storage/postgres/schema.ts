/** The version of the tables and of the function below. A server does not touch a database of another version. */
export const SCHEMA_VERSION = 1;

/** Notified with each batch of writes; the schema's name keeps clusters in one database apart. */
export const CHANNEL = "SELECT 'kubets_' || current_schema() AS channel";

/**
 * Makes the tables in the first schema of the search path. `kubets_revisions` has a row for each write, `kubets_state` a single one.
 *
 * `previous` is the revision of the key's value before, 0 without one. `batch` and `place` tell a server whose connection broke which of its
 * writes were done. A row without a value is a deletion. Keys are in byte order.
 */
export const CREATE_SCHEMA = `
CREATE TABLE IF NOT EXISTS kubets_state (
  one boolean PRIMARY KEY DEFAULT true CHECK (one),
  version integer NOT NULL,
  revision bigint NOT NULL,
  compacted bigint NOT NULL,
  removed bigint NOT NULL DEFAULT 0
);
CREATE TABLE IF NOT EXISTS kubets_revisions (
  revision bigint PRIMARY KEY,
  key text COLLATE "C" NOT NULL,
  created bigint NOT NULL,
  previous bigint NOT NULL,
  batch bigint NOT NULL,
  place integer NOT NULL,
  expires bigint,
  value bytea
);
CREATE INDEX IF NOT EXISTS kubets_revisions_by_key ON kubets_revisions (key, revision DESC);
CREATE INDEX IF NOT EXISTS kubets_revisions_expiring ON kubets_revisions (revision) WHERE expires IS NOT NULL;
INSERT INTO kubets_state (version, revision, compacted) VALUES (${SCHEMA_VERSION}, 1, 1) ON CONFLICT DO NOTHING;
CREATE OR REPLACE FUNCTION kubets_write(
  kinds smallint[], keys text[], sizes integer[], bytes bytea, expected bigint[], expiring bigint[], batch bigint
) RETURNS TABLE (place integer, revision bigint, created bigint, previous bigint, previous_created bigint, previous_value bytea)
LANGUAGE plpgsql AS $write$
#variable_conflict use_column
DECLARE
  first bigint;
  last bigint;
  at integer := 1;
  size integer;
  now record;
  is_there boolean;
BEGIN
  -- Batches wait for each other here, so that their revisions become visible in order.
  SELECT s.revision INTO last FROM kubets_state s FOR UPDATE;
  first := last;
  FOR i IN 1 .. cardinality(kinds) LOOP
    size := sizes[i];
    SELECT r.revision, r.created, r.value INTO now
      FROM kubets_revisions r WHERE r.key = keys[i] ORDER BY r.revision DESC LIMIT 1;
    is_there := FOUND AND now.value IS NOT NULL;
    place := i;
    revision := NULL;
    created := NULL;
    previous := 0;
    previous_created := NULL;
    previous_value := NULL;
    IF is_there THEN
      previous := now.revision;
      previous_created := now.created;
      previous_value := now.value;
    END IF;
    IF (kinds[i] = 0 AND NOT is_there) OR (kinds[i] > 0 AND is_there AND now.revision = expected[i]) THEN
      last := last + 1;
      revision := last;
      created := CASE WHEN is_there THEN now.created ELSE last END;
      INSERT INTO kubets_revisions (revision, key, created, previous, batch, place, expires, value) VALUES (
        last, keys[i], created, previous, batch, i, expiring[i],
        CASE WHEN kinds[i] = 2 THEN NULL ELSE substring(bytes FROM at FOR size) END
      );
    END IF;
    at := at + size;
    RETURN NEXT;
  END LOOP;
  IF last > first THEN
    UPDATE kubets_state s SET revision = last;
    PERFORM pg_notify('kubets_' || current_schema(), last::text);
  END IF;
END
$write$;
`;
