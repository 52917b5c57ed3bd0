-- Control planes that workers connect to, what calls have told in heartbeats, and what they stream.

CREATE TABLE cairn.control_planes (
  id text PRIMARY KEY,
  -- Where workers reach its gRPC; null: nobody is told.
  url text,
  started_at timestamptz NOT NULL,
  -- One that is not heard of until then is gone, and with it what `worker_status` says of its workers.
  expires_at timestamptz NOT NULL
) WITH (fillfactor = 50);

-- In `worker_status`, `pool` is the id of the control plane. Among `actions` are the workflows whose steps a worker has, with
-- a slash behind.

-- What tries have told last, for the next ones: these may be dispatched by another control plane. In the place of a large
-- value stands a reference to a blob, as everywhere.
CREATE TABLE cairn.heartbeat_details (
  run_id uuid NOT NULL,
  call text NOT NULL,
  attempt integer NOT NULL,
  details json NOT NULL,
  told_at timestamptz NOT NULL,
  PRIMARY KEY (run_id, call)
) WITH (fillfactor = 50);

-- What calls stream to those who watch their runs, for a while. Not logged: nothing depends on it, and it is the largest part of
-- what such calls write. After a crash of the server it is empty, and so it is on a standby that is promoted.
--
-- A try has one writer at a time, and the next one begins with what was not acknowledged: it finds the rows of the one before by
-- this key, and waits for them if they are not committed. So of a try no row becomes visible before those with lower numbers,
-- whoever writes them: who watches goes by numbers alone.
CREATE UNLOGGED TABLE cairn.stream_chunks (
  run_id uuid NOT NULL,
  call text NOT NULL,
  attempt integer NOT NULL,
  number integer NOT NULL CHECK (number > 0),
  value json NOT NULL,
  at timestamptz NOT NULL,
  PRIMARY KEY (run_id, call, attempt, number)
) WITH (autovacuum_vacuum_scale_factor = 0.05);
CREATE INDEX stream_chunks_by_age ON cairn.stream_chunks (at);
