-- How long things are kept, and what it takes to remove them while others work.
--
-- History, snapshots, failed attempts and events of a week's runs are partitions. Where most of one goes, what stays is copied into a
-- table beside it, which then takes its place: `begin_rewrite`, copying, `finish_rewrite`. Between the first and the last, whatever is
-- written to the partition is written to the other one too, by a trigger: so at the end nothing is missing, and the exchange moves no row.
-- A rewrite has a token in its names: whoever thinks it is still at it after another one has begun anew finds nothing to finish.
--
-- Lock order: as before; of a partitioned table first the whole, then its partition. One table at a time.

-- What people have said; where nothing is said, the process that does the work has its own settings.
CREATE TABLE cairn.retention (
  namespace text NOT NULL,
  what text NOT NULL CHECK (what IN ('events', 'outbox', 'runs', 'deleted', 'audit')),
  -- A type, or the beginning of types before a star.
  pattern text NOT NULL,
  -- Null: for ever.
  keep_ms bigint CHECK (keep_ms >= 0),
  changed_at timestamptz NOT NULL,
  PRIMARY KEY (namespace, what, pattern)
);

-- Work that one process does at a time, and what came of it the last time.
CREATE TABLE cairn.maintenance (
  task text PRIMARY KEY,
  holder uuid NOT NULL,
  expires_at timestamptz NOT NULL,
  done_at timestamptz,
  report json
) WITH (fillfactor = 50);

-- Weeks of runs of which something is known.
CREATE TABLE cairn.retained_weeks (
  week timestamptz PRIMARY KEY,
  -- Runs that were removed, and whose history is still there: the partitions are to be rewritten.
  removed bigint NOT NULL DEFAULT 0,
  -- When events that are over were last looked for.
  events_at timestamptz
) WITH (fillfactor = 50);

-- Up to which id rows that are told to those who watch may have been removed: whoever comes back from before that has missed some.
CREATE TABLE cairn.removed_rows (
  log text PRIMARY KEY,
  up_to bigint NOT NULL
) WITH (fillfactor = 50);

CREATE FUNCTION cairn.note_removed(of_log text, id bigint) RETURNS void
LANGUAGE sql AS $$
  INSERT INTO cairn.removed_rows AS r (log, up_to) SELECT of_log, id WHERE id IS NOT NULL
    ON CONFLICT (log) DO UPDATE SET up_to = excluded.up_to WHERE r.up_to < excluded.up_to
$$;

CREATE INDEX runs_deleted ON cairn.runs (deleted_at) WHERE deleted_at IS NOT NULL;
CREATE INDEX runs_by_origin ON cairn.runs (forked_from) WHERE forked_from IS NOT NULL;

-- Keeps a task, or takes it if nobody has it. False: another one has it.
CREATE FUNCTION cairn.lease_task(of_task text, me uuid, lease_ms integer) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
  moment timestamptz := cairn.now();
BEGIN
  INSERT INTO cairn.maintenance AS m (task, holder, expires_at) VALUES (of_task, me, moment + lease_ms * interval '1 ms')
    ON CONFLICT (task) DO UPDATE SET holder = excluded.holder, expires_at = excluded.expires_at
      WHERE m.holder = me OR m.expires_at <= moment;
  RETURN FOUND;
END $$;

-- Runs that nothing needs any more, except for time: nobody can go on with them. A child stays as long as its parent, which may be rolled back
-- to where it waits for it; a parent and the original of a fork stay while those live.
CREATE VIEW cairn.removable_runs AS
SELECT r.id, r.namespace, r.type, r.ended_at, r.deleted_at
FROM cairn.runs AS r
WHERE (r.status <> 'pending' OR r.deleted_at IS NOT NULL)
  AND NOT EXISTS (SELECT FROM cairn.queue AS q WHERE q.run_id = r.id)
  AND (r.parent IS NULL OR NOT EXISTS (SELECT FROM cairn.runs AS p WHERE p.id = r.parent))
  AND NOT EXISTS (SELECT FROM cairn.runs AS c WHERE c.parent = r.id AND c.status = 'pending' AND c.deleted_at IS NULL)
  AND NOT EXISTS (SELECT FROM cairn.runs AS f WHERE f.forked_from = r.id AND f.status = 'pending' AND f.deleted_at IS NULL);

CREATE FUNCTION cairn.part_of(parent text, week timestamptz) RETURNS text
LANGUAGE sql IMMUTABLE AS $$ SELECT parent || '_' || to_char(week AT TIME ZONE 'UTC', 'YYYYMMDD') $$;

-- Removes runs of one week that ended, or were deleted, before these times, if that is still so: what has begun to live again stays, and what
-- someone is about to change is left. Their history goes with them, or with the rewrite of their week.
CREATE FUNCTION cairn.remove_runs(of_week timestamptz, ids uuid[], ended_before timestamptz, deleted_before timestamptz,
  with_history boolean) RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
  locked uuid[];
  gone uuid[];
  parent text;
BEGIN
  -- By a statement of its own: what was waited for here is seen by the next.
  locked := ARRAY(SELECT r.id FROM cairn.runs AS r WHERE r.id = ANY (ids) FOR UPDATE SKIP LOCKED);
  WITH over AS MATERIALIZED (
    SELECT v.id FROM cairn.removable_runs AS v
    WHERE v.id = ANY (locked) AND (v.ended_at < ended_before OR v.deleted_at < deleted_before)
  ), removed AS (
    DELETE FROM cairn.runs AS r USING over WHERE r.id = over.id RETURNING r.id, r.namespace, r.type, r.idempotency_key
  ), freed AS (
    DELETE FROM cairn.idempotency_keys AS k USING removed
    WHERE k.namespace = removed.namespace AND k.type = removed.type AND k.key = removed.idempotency_key AND k.run_id = removed.id
  )
  SELECT array_agg(id) INTO gone FROM removed;
  IF gone IS NULL THEN RETURN 0; END IF;
  PERFORM cairn.note_removed('run_events', max(e.id)) FROM unnest(gone) AS g (id) CROSS JOIN LATERAL (
    SELECT e.id FROM cairn.run_events AS e WHERE e.run_id = g.id ORDER BY e.id DESC LIMIT 1
  ) AS e;
  DELETE FROM cairn.mailbox AS m WHERE m.run_id = ANY (gone);
  DELETE FROM cairn.deleted_queue AS d WHERE d.run_id = ANY (gone);
  DELETE FROM cairn.deleted_mail AS d WHERE d.run_id = ANY (gone);
  DELETE FROM cairn.expiring_runs AS e WHERE e.run_id = ANY (gone);
  DELETE FROM cairn.heartbeat_details AS h WHERE h.run_id = ANY (gone);
  DELETE FROM cairn.limited_calls AS l WHERE l.run_id = ANY (gone);
  DELETE FROM cairn.stream_chunks AS s WHERE s.run_id = ANY (gone);
  IF with_history THEN
    FOREACH parent IN ARRAY ARRAY['history', 'snapshots', 'failed_attempts', 'run_events'] LOOP
      EXECUTE format('DELETE FROM cairn.%I WHERE run_id = ANY ($1)', cairn.part_of(parent, of_week)) USING gone;
    END LOOP;
  ELSE
    INSERT INTO cairn.retained_weeks AS w (week, removed) VALUES (of_week, cardinality(gone))
      ON CONFLICT (week) DO UPDATE SET removed = w.removed + excluded.removed;
  END IF;
  RETURN cardinality(gone);
END $$;

-- What is written to a partition that is being rewritten.
CREATE FUNCTION cairn.mirror_row() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('INSERT INTO cairn.%I SELECT ($1).* ON CONFLICT DO NOTHING', TG_ARGV[0]) USING NEW;
  RETURN NULL;
END $$;

-- Nobody waits longer for one who waits for these locks: commits give up after 200 ms.
CREATE FUNCTION cairn.wait_briefly() RETURNS void
LANGUAGE sql VOLATILE AS $$ SELECT set_config('lock_timeout', '100', true) $$;

-- What rewrites that were not finished have left: of one partition, or of all.
CREATE FUNCTION cairn.abandon_rewrites(of_part text DEFAULT NULL) RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
  left_over record;
  dropped integer := 0;
BEGIN
  PERFORM cairn.wait_briefly();
  FOR left_over IN
    SELECT c.relname AS part, t.tgname AS name FROM pg_trigger AS t JOIN pg_class AS c ON c.oid = t.tgrelid
    WHERE c.relnamespace = 'cairn'::regnamespace AND t.tgname ~ '^cairn_mirror_' AND c.relname = coalesce(of_part, c.relname)
  LOOP
    EXECUTE format('DROP TRIGGER %I ON cairn.%I', left_over.name, left_over.part);
  END LOOP;
  FOR left_over IN
    SELECT c.relname AS name FROM pg_class AS c
    WHERE c.relnamespace = 'cairn'::regnamespace AND c.relkind = 'r' AND NOT c.relispartition
      AND c.relname ~ ('^' || coalesce(of_part, '(history|snapshots|failed_attempts|run_events)_\d{8}') || '_next_')
  LOOP
    EXECUTE format('DROP TABLE cairn.%I', left_over.name);
    dropped := dropped + 1;
  END LOOP;
  RETURN dropped;
END $$;

-- Makes the table that is to take the place of a partition, and has it written to from now on.
CREATE FUNCTION cairn.begin_rewrite(parent text, of_week timestamptz, token text) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  part text := cairn.part_of(parent, of_week);
  next text := part || '_next_' || token;
BEGIN
  PERFORM cairn.wait_briefly();
  PERFORM cairn.abandon_rewrites(part);
  -- Said here, so that nobody has to look for it when it is attached.
  EXECUTE format('CREATE TABLE cairn.%I (LIKE cairn.%I INCLUDING ALL, CONSTRAINT in_week CHECK (run_id >= %L AND run_id < %L))',
    next, parent, cairn.id_from_time(of_week), cairn.id_from_time(of_week + interval '7 days'));
  -- Waits for those who have written to it and not committed: what they wrote is seen by whoever copies afterwards.
  EXECUTE format('CREATE TRIGGER %I AFTER INSERT ON cairn.%I FOR EACH ROW EXECUTE FUNCTION cairn.mirror_row(%L)',
    'cairn_mirror_' || token, part, next);
END $$;

-- Whoever holds a lock of a table in a transaction of more than a second would be waited for in vain: it is as if that had been tried.
CREATE FUNCTION cairn.refuse_held(named text) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM pg_locks AS l JOIN pg_stat_activity AS a ON a.pid = l.pid
    WHERE l.relation = to_regclass('cairn.' || named) AND l.granted AND l.pid <> pg_backend_pid()
      AND l.database = (SELECT d.oid FROM pg_database AS d WHERE d.datname = current_database())
      AND a.xact_start < clock_timestamp() - interval '1 s';
  IF FOUND THEN RAISE lock_not_available USING MESSAGE = format('cairn.%s is held by a transaction that is open for long', named); END IF;
END $$;

-- What was copied takes the place of the partition. Whoever has begun anew since has made this token worthless.
CREATE FUNCTION cairn.finish_rewrite(parent text, of_week timestamptz, token text) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  part text := cairn.part_of(parent, of_week);
  next text := part || '_next_' || token;
BEGIN
  PERFORM cairn.refuse_held(parent), cairn.refuse_held(part), cairn.wait_briefly();
  EXECUTE format('LOCK TABLE ONLY cairn.%I IN ACCESS EXCLUSIVE MODE', parent);
  EXECUTE format('DROP TRIGGER %I ON cairn.%I', 'cairn_mirror_' || token, part);
  EXECUTE format('ALTER TABLE cairn.%I DETACH PARTITION cairn.%I', parent, part);
  EXECUTE format('DROP TABLE cairn.%I', part);
  EXECUTE format('ALTER TABLE cairn.%I RENAME TO %I', next, part);
  EXECUTE format('ALTER TABLE cairn.%I ATTACH PARTITION cairn.%I FOR VALUES FROM (%L) TO (%L)',
    parent, part, cairn.id_from_time(of_week), cairn.id_from_time(of_week + interval '7 days'));
  EXECUTE format('ALTER TABLE cairn.%I DROP CONSTRAINT in_week', part);
END $$;

-- Drops a partition of a week that has no runs any more: none will come, since ids are of about now. False: it has.
CREATE FUNCTION cairn.drop_part(parent text, of_week timestamptz) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
  part text := cairn.part_of(parent, of_week);
BEGIN
  PERFORM FROM cairn.runs AS r
    WHERE r.id >= cairn.id_from_time(of_week) AND r.id < cairn.id_from_time(of_week + interval '7 days') LIMIT 1;
  IF FOUND OR of_week > cairn.now() - interval '9 days' THEN RETURN false; END IF;
  PERFORM cairn.refuse_held(parent), cairn.wait_briefly();
  EXECUTE format('DROP TABLE IF EXISTS cairn.%I', part);
  RETURN true;
END $$;

-- Blobs -----------------------------------------------------------------------------------------------------------------------

-- When somebody last wanted it to be there: whoever puts a blob that is there says so, once a day at most.
ALTER TABLE cairn.blobs ADD COLUMN touched_at timestamptz NOT NULL DEFAULT cairn.now();

-- Blobs that nothing has named since, wherever they are kept.
CREATE TABLE cairn.unnamed_blobs (
  digest bytea PRIMARY KEY,
  since timestamptz NOT NULL
);

-- What is named, as one look has found it. Not logged: after a crash it is looked again.
CREATE UNLOGGED TABLE cairn.named_blobs (
  digest bytea PRIMARY KEY
);
