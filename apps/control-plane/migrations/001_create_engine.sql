-- The engine's tables.
--
-- A run is a row of `runs`, written when it is started and when it ends. While it lives it has a row in `queue`: small,
-- hot, and the only place that says who owns it. What its VM has taken is `history`, numbered and append-only; the VM's
-- state after some of these inputs is in `snapshots`. Tries of its steps are shown by `step_attempts`. Who wants something of a
-- run puts a letter into `mailbox`: only the owner, or whoever holds the lock of an unowned queue row, changes a run.
--
-- Lock order: schedules, then owners, then queue, then runs, then the rest. Nobody waits for a queue row while holding a later one.
-- Time comes from cairn.now() alone. Values are tagged JSON, stored verbatim: json, never jsonb. In the place of a large
-- one stands a reference, {"$blob":"…"}, to a blob that was durable before.

CREATE FUNCTION cairn.now() RETURNS timestamptz
LANGUAGE sql VOLATILE AS $$ SELECT date_trunc('milliseconds', clock_timestamp()) $$;
COMMENT ON FUNCTION cairn.now() IS 'The time, in whole milliseconds. Tests replace it.';

-- The smallest run id of a point in time: UUIDv7 begins with 48 bits of milliseconds. Of a time before the first or after the last, that.
CREATE FUNCTION cairn.id_from_time(moment timestamptz) RETURNS uuid
LANGUAGE sql IMMUTABLE STRICT AS $$
  SELECT encode(substring(int8send(
      least(greatest(floor(extract(epoch FROM moment) * 1000), 0), 281474976710655)::bigint) FROM 3 FOR 6)
    || '\x70008000000000000000'::bytea, 'hex')::uuid
$$;

CREATE FUNCTION cairn.time_of_id(id uuid) RETURNS timestamptz
LANGUAGE sql IMMUTABLE STRICT AS $$
  SELECT to_timestamp(('x' || lpad(substring(replace(id::text, '-', '') FROM 1 FOR 12), 16, '0'))::bit(64)::bigint / 1000.0)
$$;

CREATE FUNCTION cairn.new_id() RETURNS uuid
LANGUAGE sql VOLATILE AS $$
  SELECT encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid())
    PLACING substring(int8send(floor(extract(epoch FROM cairn.now()) * 1000)::bigint) FROM 3 FOR 6) FROM 1 FOR 6),
    52, 1), 53, 1), 'hex')::uuid
$$;
COMMENT ON FUNCTION cairn.new_id() IS 'A new run id: a UUID of version 7.';

-- The span of a run, by that of whoever has started it: its id is the half of the run's that is drawn by chance.
CREATE FUNCTION cairn.run_span(started_by text, run uuid) RETURNS text
LANGUAGE sql IMMUTABLE STRICT AS $$
  SELECT overlay(started_by PLACING replace(right(run::text, 17), '-', '') FROM 37 FOR 16)
$$;

-- Whether a text stands for a value that is stored as a blob. No value is encoded so.
CREATE FUNCTION cairn.is_reference(stored json) RETURNS boolean
LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN octet_length(stored::text) < 100
    THEN stored::text ~ '^\{"\$blob":"[0-9a-f]{64}","bytes":[0-9]{1,10}\}$' ELSE false END
$$;

-- Of the value, wherever it is stored.
CREATE FUNCTION cairn.value_digest(stored json) RETURNS bytea
LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN cairn.is_reference(stored) THEN decode(stored->>'$blob', 'hex')
    ELSE sha256(convert_to(stored::text, 'UTF8')) END
$$;

-- What it takes to read the value, wherever it is stored.
CREATE FUNCTION cairn.value_bytes(stored json) RETURNS bigint
LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN cairn.is_reference(stored) THEN (stored->>'bytes')::bigint ELSE octet_length(stored::text) END
$$;

-- Programs -----------------------------------------------------------------------------------------------------------

CREATE TABLE cairn.workflow_versions (
  namespace text NOT NULL,
  name text NOT NULL,
  version text NOT NULL,
  -- A run of an action alone is a job: its program is one call.
  kind text NOT NULL CHECK (kind IN ('workflow', 'action')),
  program_hash text NOT NULL,
  program json NOT NULL,
  input_schema json,
  max_attempts integer NOT NULL DEFAULT 1 CHECK (max_attempts >= 1),
  tags text[] NOT NULL DEFAULT '{}',
  -- How long its runs stay with an owner that says nothing, if that is not as usual.
  lease_ms integer CHECK (lease_ms > 0),
  created_at timestamptz NOT NULL,
  PRIMARY KEY (namespace, name, version)
);

-- Texts of source files, by SHA-256; bytes, since a text may hold what Postgres does not take as text.
CREATE TABLE cairn.source_files (
  digest bytea PRIMARY KEY,
  bytes bytea NOT NULL
);

-- What the code of a version looked like: its hash covers neither formatting nor comments, so there may be several.
CREATE TABLE cairn.workflow_sources (
  namespace text NOT NULL,
  name text NOT NULL,
  version text NOT NULL,
  source_hash text NOT NULL,
  -- Where in these files the program's instructions come from.
  debug json NOT NULL,
  -- Names of files, and the digests of their texts in hex.
  files json NOT NULL,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (namespace, name, version, source_hash)
);

CREATE TABLE cairn.current_versions (
  namespace text NOT NULL,
  name text NOT NULL,
  version text NOT NULL,
  since timestamptz NOT NULL,
  PRIMARY KEY (namespace, name)
);

-- Runs ---------------------------------------------------------------------------------------------------------------

CREATE TABLE cairn.runs (
  id uuid PRIMARY KEY,
  namespace text NOT NULL,
  type text NOT NULL,
  version text NOT NULL,
  -- `leased` is what the view says of a pending run that has an owner.
  status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'succeeded', 'failed', 'cancelled')),
  priority smallint NOT NULL DEFAULT 0 CHECK (priority BETWEEN -100 AND 100),
  payload json NOT NULL,
  -- Whether the payload was checked before it was stored; SQL's start_run() leaves that to the first claim.
  checked boolean NOT NULL DEFAULT false,
  result json,
  error json,
  -- Where in the source a failure came from, innermost first.
  trace json,
  last_error text,
  attempt integer NOT NULL DEFAULT 1 CHECK (attempt >= 1),
  max_attempts integer NOT NULL DEFAULT 1 CHECK (max_attempts >= 1),
  run_at timestamptz NOT NULL,
  -- The name of the schedule that has started it, and the time for which: null if somebody wanted it at once.
  schedule text,
  scheduled_for timestamptz,
  parent uuid,
  parent_call text,
  tags text[] NOT NULL DEFAULT '{}',
  deadline timestamptz,
  -- A run that has not begun then never begins.
  expires_at timestamptz,
  idempotency_key text,
  dead_letter_type text,
  -- Of a fork: the run whose state after an input it began with.
  forked_from uuid,
  forked_number integer,
  -- Actions and children that it may not have; null: it may have all.
  effects json,
  -- The span of whoever has started it, as W3C's traceparent says it; null: nobody traces the run.
  traceparent text,
  -- Of one that has ended: what whoever takes it back must understand.
  format smallint,
  -- Of one that lives again, until it has: how it had ended, and when. Its result or error are still there.
  former_status text,
  former_end timestamptz,
  created_at timestamptz NOT NULL,
  started_at timestamptz,
  ended_at timestamptz,
  deleted_at timestamptz,
  delete_reason text,
  -- The run that waited for it, if it was deleted with that one: they are restored together.
  deleted_with uuid,
  CHECK ((status = 'pending') = (ended_at IS NULL)),
  CHECK ((parent IS NULL) = (parent_call IS NULL)),
  CHECK ((forked_from IS NULL) = (forked_number IS NULL))
);
CREATE INDEX runs_by_type ON cairn.runs (namespace, type, id);
-- Those that few are, and people look for. (It takes 2 % of the time of writing a run that starts and ends.)
CREATE INDEX runs_that_went_wrong ON cairn.runs (namespace, status, id) WHERE status IN ('failed', 'cancelled') AND deleted_at IS NULL;
-- Not one of the queue: that would be written at each of a run's steps, this one is when it starts.
CREATE INDEX runs_that_live ON cairn.runs (namespace, id) WHERE status = 'pending' AND deleted_at IS NULL;
CREATE INDEX runs_by_parent ON cairn.runs (parent) WHERE parent IS NOT NULL;
-- A due time of a schedule is one run, whoever starts it, and however often.
CREATE UNIQUE INDEX runs_by_due_time ON cairn.runs (namespace, type, schedule, scheduled_for) WHERE scheduled_for IS NOT NULL;

CREATE TABLE cairn.idempotency_keys (
  namespace text NOT NULL,
  type text NOT NULL,
  key text NOT NULL,
  run_id uuid NOT NULL,
  -- Of the payload: the same key with another payload is a mistake, and is refused.
  payload_digest bytea NOT NULL,
  PRIMARY KEY (namespace, type, key)
);

CREATE TABLE cairn.queue (
  run_id uuid PRIMARY KEY,
  -- namespace:first segment of a job's type, or namespace:* for workflows; namespace:@milliseconds:… with another lease.
  pool text NOT NULL,
  priority smallint NOT NULL,
  state text NOT NULL CHECK (state IN ('ready', 'parked', 'held')),
  ready_at timestamptz NOT NULL,
  wake_at timestamptz,
  owner uuid,
  -- Take-overs since the last committed transition.
  crashes smallint NOT NULL DEFAULT 0,
  -- Claims take what they understand.
  format smallint NOT NULL DEFAULT 1,
  phase text NOT NULL CHECK (phase IN ('ready', 'running', 'sleeping', 'waiting', 'paused', 'cancelling', 'compensating')),
  waiting_for text,
  attempt integer NOT NULL DEFAULT 1,
  last_error text,
  started_at timestamptz,
  -- Whether someone may be running calls of it: not while it is parked with nothing under way.
  calls_out boolean NOT NULL DEFAULT false,
  -- A run that is cancelled because its deadline has passed ends as failed.
  past_deadline boolean NOT NULL DEFAULT false,
  -- Whoever claims it takes no inputs before it is resumed: it may be woken for something else, and let go of again.
  paused boolean NOT NULL DEFAULT false,
  -- The schedule that has started the run: whether one of its runs lives is asked here.
  schedule uuid,
  CHECK ((state = 'held') = (owner IS NOT NULL)),
  CHECK (state = 'parked' OR wake_at IS NULL),
  CHECK (paused OR phase <> 'paused')
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
CREATE INDEX queue_by_priority ON cairn.queue (pool, priority DESC, ready_at) WHERE state = 'ready' AND crashes < 2;
CREATE INDEX queue_by_age ON cairn.queue (pool, ready_at) WHERE state = 'ready' AND crashes < 2;
CREATE INDEX queue_in_quarantine ON cairn.queue (ready_at) WHERE state = 'ready' AND crashes >= 2;
-- What waits for a worker that is not there, until one comes.
CREATE INDEX queue_unserved ON cairn.queue (ready_at) WHERE state = 'parked' AND waiting_for LIKE 'a worker %';
CREATE INDEX queue_to_wake ON cairn.queue (wake_at) WHERE state = 'parked' AND wake_at IS NOT NULL;
CREATE INDEX queue_by_owner ON cairn.queue (owner) WHERE state = 'held';
CREATE INDEX queue_by_schedule ON cairn.queue (schedule) WHERE schedule IS NOT NULL;

CREATE TABLE cairn.owners (
  id uuid PRIMARY KEY,
  expires_at timestamptz NOT NULL,
  lease_ms integer NOT NULL CHECK (lease_ms > 0),
  address text NOT NULL,
  format smallint NOT NULL,
  -- An advisory lock that the owner's session holds: when it is free, the process or its connection is gone, and nobody
  -- has to wait for the lease. Null where sessions are shared (pgbouncer in transaction mode).
  session_lock bigint,
  -- Which life of the server its session belongs to; without one, in which it was last kept. When there is another one, the
  -- server went down, and not the owner.
  server_started_at timestamptz NOT NULL DEFAULT pg_postmaster_start_time(),
  -- Holds one run at a time, of those that were taken over again and again.
  alone boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL
) WITH (fillfactor = 50);

CREATE SEQUENCE cairn.mail_ids;
CREATE TABLE cairn.mailbox (
  run_id uuid NOT NULL,
  id bigint NOT NULL DEFAULT nextval('cairn.mail_ids'),
  kind text NOT NULL CHECK (kind IN ('signal', 'cancel', 'pause', 'resume', 'delete', 'retry', 'rollback', 'fork',
    'result', 'error', 'outcome', 'granted')),
  -- Of a child's result or error, of the outcome of a try that a former owner asked for, and of a slot: the call.
  call text,
  -- Of a signal.
  name text,
  -- Of a child's result or error: the child. After a rollback another one may stand behind the same call.
  sender uuid,
  value json,
  -- What it takes to read it: asked before it is read, without looking at the value.
  bytes bigint NOT NULL GENERATED ALWAYS AS (coalesce(cairn.value_bytes(value), 0)) STORED,
  sent_at timestamptz NOT NULL,
  PRIMARY KEY (run_id, id),
  CHECK ((kind IN ('result', 'error', 'outcome', 'granted')) = (call IS NOT NULL)),
  CHECK ((kind = 'signal') = (name IS NOT NULL))
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
-- What people want of a run is found among however many signals.
CREATE INDEX mailbox_orders ON cairn.mailbox (run_id, id)
  WHERE kind IN ('cancel', 'delete', 'pause', 'resume', 'retry', 'rollback', 'fork');

-- Letters of people, for an hour: whoever was not told whether a letter was sent sends it again under the same key. One that was sent with a
-- token is kept as long as that is valid.
CREATE TABLE cairn.sent_letters (
  key uuid PRIMARY KEY,
  -- SHA-256 of what was sent: something else under the same key is refused.
  digest bytea NOT NULL CHECK (octet_length(digest) = 32),
  sent_at timestamptz NOT NULL,
  kept_until timestamptz NOT NULL DEFAULT cairn.now() + interval '1 hour'
);
CREATE INDEX sent_letters_by_time ON cairn.sent_letters (kept_until);

-- What runs that were deleted while they lived had in the queue and in the mailbox, for the case that they are restored.
CREATE TABLE cairn.deleted_queue (
  run_id uuid PRIMARY KEY,
  pool text NOT NULL,
  priority smallint NOT NULL,
  ready_at timestamptz NOT NULL,
  wake_at timestamptz,
  crashes smallint NOT NULL,
  format smallint NOT NULL,
  phase text NOT NULL,
  waiting_for text,
  attempt integer NOT NULL,
  last_error text,
  started_at timestamptz,
  calls_out boolean NOT NULL,
  past_deadline boolean NOT NULL,
  schedule uuid
);
CREATE TABLE cairn.deleted_mail (
  run_id uuid NOT NULL,
  id bigint NOT NULL,
  kind text NOT NULL,
  call text,
  name text,
  sender uuid,
  value json,
  sent_at timestamptz NOT NULL,
  PRIMARY KEY (run_id, id)
);

-- Ids that were given to what is to be made by a request, for some hours: asked for again under the same key, it is the same.
CREATE TABLE cairn.given_ids (
  key uuid PRIMARY KEY,
  -- SHA-256 of what was asked for, as for letters.
  digest bytea NOT NULL CHECK (octet_length(digest) = 32),
  id uuid NOT NULL,
  given_at timestamptz NOT NULL
);
CREATE INDEX given_ids_by_time ON cairn.given_ids (given_at);

-- Pages of orders for many runs that were given under a key, for some hours: the runs that they are for, and, once they were carried out,
-- those that have refused. Asked for again, such a page is for the same runs, is carried out once, and is answered as it was.
CREATE TABLE cairn.bulk_orders (
  -- Of the order's own id, which is one of given_ids, and of where the page begins.
  key uuid PRIMARY KEY,
  run_ids uuid[] NOT NULL,
  -- Behind which run others may be.
  next uuid,
  -- Null: not carried out yet.
  refused json,
  given_at timestamptz NOT NULL
);
CREATE INDEX bulk_orders_by_time ON cairn.bulk_orders (given_at);

-- What happened ------------------------------------------------------------------------------------------------------

CREATE TABLE cairn.history (
  run_id uuid NOT NULL,
  number integer NOT NULL,
  kind text NOT NULL CHECK (kind IN ('start', 'result', 'error', 'timer', 'signal', 'cancel', 'undo', 'rollback', 'fork')),
  call text,
  node text,
  -- Of a signal.
  name text,
  -- Null in a start: it is the run's payload.
  value json,
  at timestamptz NOT NULL,
  -- Of the effects that this input had; loading a run compares.
  digest bytea NOT NULL,
  -- Of the result of an action: the try that it came from. Of a start: which attempt of the run begins.
  attempt integer,
  action text,
  worker text,
  started_at timestamptz,
  PRIMARY KEY (run_id, number)
) PARTITION BY RANGE (run_id);
-- They are few, and say which inputs count no more: nobody goes through all inputs of a run for them.
CREATE INDEX ON cairn.history (run_id, number) WHERE kind = 'rollback';

CREATE TABLE cairn.snapshots (
  run_id uuid NOT NULL,
  number integer NOT NULL,
  -- The full snapshot that this is a delta of, over those between; its own number if it is full.
  base integer NOT NULL,
  bytes bytea,
  -- The digest of the blob that has the bytes, if they are many, and how many.
  blob bytea,
  blob_bytes integer,
  -- Calls, children, sleeps and waits that are open in this state, as they were issued.
  open json NOT NULL,
  PRIMARY KEY (run_id, number),
  CHECK (num_nonnulls(bytes, blob) = 1),
  CHECK ((blob IS NULL) = (blob_bytes IS NULL))
) PARTITION BY RANGE (run_id);

-- Tries that came to nothing. The one that succeeded is in the history, with its result: one row a step.
CREATE TABLE cairn.failed_attempts (
  run_id uuid NOT NULL,
  call text NOT NULL,
  attempt integer NOT NULL,
  node text NOT NULL,
  action text NOT NULL,
  worker text,
  started_at timestamptz NOT NULL,
  ended_at timestamptz NOT NULL,
  -- Lost: whoever ran it is gone, or it was given up since the one before had ended after all. It does not count against
  -- the action's attempts.
  outcome text NOT NULL CHECK (outcome IN ('failed', 'lost')),
  error json,
  -- When the next one is due, if there is one.
  retry_at timestamptz,
  PRIMARY KEY (run_id, call, attempt)
) PARTITION BY RANGE (run_id);

-- All tries that have ended.
CREATE VIEW cairn.step_attempts AS
SELECT run_id, call, attempt, node, action, worker, started_at, at AS ended_at, 'succeeded' AS outcome,
  NULL::json AS error, NULL::timestamptz AS retry_at
FROM cairn.history WHERE kind = 'result' AND attempt IS NOT NULL
UNION ALL
SELECT run_id, call, attempt, node, action, worker, started_at, ended_at, outcome, error, retry_at
FROM cairn.failed_attempts;

CREATE SEQUENCE cairn.event_ids;
CREATE TABLE cairn.run_events (
  run_id uuid NOT NULL,
  id bigint NOT NULL DEFAULT nextval('cairn.event_ids'),
  kind text NOT NULL,
  data json,
  at timestamptz NOT NULL,
  -- The number of the last input that the run had taken, at least: of the events of a run, in the order of their ids, the highest so far
  -- counts. Between the inputs of a run, an event stands behind that one.
  after_input integer NOT NULL DEFAULT 0,
  PRIMARY KEY (run_id, id)
) PARTITION BY RANGE (run_id);
-- For those who watch all runs: they go through events in the order of their ids.
CREATE INDEX ON cairn.run_events (id);

-- For events of whoever does not hold the run. Who writes an event has the lock of its table before this looks: those who watch wait for him
-- before they are told of later inputs.
CREATE FUNCTION cairn.last_input(run uuid) RETURNS integer
LANGUAGE sql STABLE AS $$
  SELECT coalesce((SELECT h.number FROM cairn.history AS h WHERE h.run_id = run ORDER BY h.number DESC LIMIT 1), 0)
$$;

CREATE SEQUENCE cairn.outbox_ids;
CREATE TABLE cairn.outbox_events (
  id bigint PRIMARY KEY DEFAULT nextval('cairn.outbox_ids'),
  namespace text NOT NULL,
  run_id uuid NOT NULL,
  type text NOT NULL,
  data json NOT NULL,
  -- The span of its run; null: nobody traces it.
  traceparent text,
  created_at timestamptz NOT NULL,
  -- Whether it was offered to everyone once. What someone did not take waits in `outbox_backlog`.
  passed boolean NOT NULL DEFAULT false,
  -- When everyone who wants it had it.
  published_at timestamptz,
  -- By run, so that one dispatcher has all events of a run; the last byte of an id is random.
  shard smallint NOT NULL GENERATED ALWAYS AS (get_byte(uuid_send(run_id), 15) & 15) STORED
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
-- An expression, which nothing but this can order by: the planner went through all of the primary key for the first rows of a shard.
CREATE INDEX outbox_to_pass ON cairn.outbox_events (shard, (id - 0)) WHERE NOT passed AND published_at IS NULL;

-- Large values, found by the SHA-256 of what they are. Nothing here if they are kept in a folder.
CREATE TABLE cairn.blobs (
  digest bytea PRIMARY KEY CHECK (octet_length(digest) = 32),
  bytes bytea NOT NULL,
  created_at timestamptz NOT NULL
);
ALTER TABLE cairn.blobs ALTER COLUMN bytes SET STORAGE EXTERNAL;

-- Partitions hold the runs of one week each, by the time in their ids. They are made apart and then attached: CREATE TABLE
-- … PARTITION OF would wait for everyone who has looked at the parent, and everyone else would wait for it.
CREATE FUNCTION cairn.create_partitions(until timestamptz) RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
  parent text;
  week timestamptz := date_trunc('week', cairn.now() - interval '1 day', 'UTC');
  part text;
  made integer := 0;
BEGIN
  -- Two that make the same one at once would collide.
  PERFORM pg_advisory_xact_lock(hashtext('cairn.create_partitions'));
  WHILE week <= until LOOP
    FOREACH parent IN ARRAY ARRAY['history', 'snapshots', 'failed_attempts', 'run_events'] LOOP
      part := parent || '_' || to_char(week AT TIME ZONE 'UTC', 'YYYYMMDD');
      IF to_regclass('cairn.' || part) IS NULL THEN
        EXECUTE format('CREATE TABLE cairn.%I (LIKE cairn.%I INCLUDING ALL)', part, parent);
        EXECUTE format('ALTER TABLE cairn.%I ATTACH PARTITION cairn.%I FOR VALUES FROM (%L) TO (%L)',
          parent, part, cairn.id_from_time(week), cairn.id_from_time(week + interval '7 days'));
        made := made + 1;
      END IF;
    END LOOP;
    week := week + interval '7 days';
  END LOOP;
  RETURN made;
END $$;

-- Whether events of the run can be written: a week without runs has no partition any more, and nobody may be kept from claiming runs
-- because of one that is not there.
CREATE FUNCTION cairn.keeps_events(run uuid) RETURNS boolean
LANGUAGE sql STABLE AS $$
  SELECT to_regclass('cairn.run_events_'
    || to_char(date_trunc('week', cairn.time_of_id(run), 'UTC') AT TIME ZONE 'UTC', 'YYYYMMDD')) IS NOT NULL
$$;

SELECT cairn.create_partitions(cairn.now() + interval '28 days');
