-- What is run for operators: schedules, limits, and what workers say of themselves.

CREATE TABLE cairn.schedules (
  namespace text NOT NULL,
  -- What is started: the current version of it.
  type text NOT NULL,
  name text NOT NULL,
  -- Either a cron expression, in a time zone, or a length of time.
  cron text,
  time_zone text,
  interval_ms bigint CHECK (interval_ms > 0),
  jitter_ms bigint NOT NULL DEFAULT 0 CHECK (jitter_ms >= 0),
  payload json NOT NULL,
  priority smallint NOT NULL DEFAULT 0 CHECK (priority BETWEEN -100 AND 100),
  -- Whether one that is due starts while the run before it lives.
  allow_duplicate boolean NOT NULL DEFAULT false,
  -- Of firings that were missed: none, the last one, or all of them.
  catch_up text NOT NULL DEFAULT 'last' CHECK (catch_up IN ('none', 'last', 'all')),
  status text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'paused')),
  last_run_at timestamptz,
  last_run_id uuid,
  next_run_at timestamptz,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (namespace, type, name),
  CHECK ((cron IS NULL) <> (interval_ms IS NULL)),
  CHECK ((cron IS NULL) = (time_zone IS NULL))
);
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
  actions_per_second double precision NOT NULL,
  latency_p50_ms double precision,
  latency_p95_ms double precision,
  latency_p99_ms double precision,
  connected_at timestamptz NOT NULL,
  last_seen timestamptz NOT NULL,
  PRIMARY KEY (namespace, pool, worker)
) WITH (fillfactor = 50);
