-- Control planes that workers connect to, and what calls have told in heartbeats.

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
