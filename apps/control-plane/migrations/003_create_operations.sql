-- What is run for operators: schedules, limits, and what workers say of themselves.

CREATE TABLE cairn.schedules (
  namespace text NOT NULL,
  -- What is started: the current version of it.
  type text NOT NULL,
  name text NOT NULL,
  -- Of this one: another one of the same name may follow it.
  id uuid NOT NULL UNIQUE,
  -- Changes with every change. Who has thought about what to do says what it thought about: under the lock of the row it is
  -- done only if that is still so.
  revision bigint NOT NULL DEFAULT 1,
  -- Either a cron expression, in a time zone, or a length of time, counted from the anchor.
  cron text,
  time_zone text,
  interval_ms bigint CHECK (interval_ms > 0),
  anchor timestamptz,
  -- Runs begin up to so long after they are due.
  jitter_ms bigint NOT NULL DEFAULT 0 CHECK (jitter_ms >= 0),
  -- What its runs get, as starts of people say it.
  payload json NOT NULL,
  priority smallint NOT NULL DEFAULT 0 CHECK (priority BETWEEN -100 AND 100),
  max_attempts integer CHECK (max_attempts >= 1),
  tags text[] NOT NULL DEFAULT '{}',
  -- After they begin.
  deadline_ms bigint CHECK (deadline_ms > 0),
  dead_letter_type text,
  -- Whether one that is due starts while a run of this schedule lives.
  allow_duplicate boolean NOT NULL DEFAULT false,
  -- Of firings that were missed: none, the last one, or all of them.
  catch_up text NOT NULL DEFAULT 'last' CHECK (catch_up IN ('none', 'last', 'all')),
  status text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'paused')),
  pause_reason text,
  -- Null: never again, or it is paused.
  next_run_at timestamptz,
  last_run_at timestamptz,
  last_run_id uuid,
  -- Of the last run: null if somebody wanted it at once.
  last_due_at timestamptz,
  fired bigint NOT NULL DEFAULT 0,
  -- Due while a run lived.
  skipped bigint NOT NULL DEFAULT 0,
  last_skipped_at timestamptz,
  -- Due while nobody was there to start them, and not caught up.
  missed bigint NOT NULL DEFAULT 0,
  -- Why the last one that was due could not be started; null after one that could.
  last_error text,
  last_error_at timestamptz,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  PRIMARY KEY (namespace, type, name),
  CHECK ((cron IS NULL) <> (interval_ms IS NULL)),
  CHECK ((cron IS NULL) = (time_zone IS NULL)),
  CHECK ((interval_ms IS NULL) = (anchor IS NULL)),
  CHECK (status = 'active' OR next_run_at IS NULL)
) WITH (fillfactor = 50);
CREATE INDEX schedules_due ON cairn.schedules (next_run_at) WHERE status = 'active';

-- Open calls per limit and key, whoever holds them. The row is the lock under which they are counted.
CREATE TABLE cairn.limits (
  namespace text NOT NULL,
  name text NOT NULL,
  key text NOT NULL,
  open integer NOT NULL DEFAULT 0 CHECK (open >= 0),
  changed_at timestamptz NOT NULL,
  PRIMARY KEY (namespace, name, key)
) WITH (fillfactor = 50);

CREATE TABLE cairn.worker_status (
  namespace text NOT NULL,
  pool text NOT NULL,
  worker text NOT NULL,
  prefixes text[] NOT NULL,
  actions text[] NOT NULL,
  capacity integer NOT NULL,
  in_flight integer NOT NULL,
  queue_depth integer NOT NULL,
  -- As of the last heartbeat: since the one before, and of the last 1,000 calls of five minutes.
  actions_per_second double precision NOT NULL,
  latency_p50_ms double precision,
  latency_p95_ms double precision,
  latency_p99_ms double precision,
  connected_at timestamptz NOT NULL,
  last_seen timestamptz NOT NULL,
  -- Calls that have ended since it is connected.
  completed bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (namespace, pool, worker)
) WITH (fillfactor = 50);
