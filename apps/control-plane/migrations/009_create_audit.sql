-- Who did what, over REST and gRPC. What runs do by themselves are their events; what programs do in library mode, or in SQL, is theirs to write
-- down.
--
-- Rows are written after what they tell of, before that is answered, many in one statement. They are removed by retention.

CREATE SEQUENCE cairn.audit_ids;
CREATE TABLE cairn.audit_log (
  id bigint PRIMARY KEY DEFAULT nextval('cairn.audit_ids'),
  namespace text NOT NULL,
  at timestamptz NOT NULL,
  -- The name of a key, of a token, or of a certificate.
  who text NOT NULL,
  -- The id of the key, if it was one: names are free.
  key_id uuid,
  -- Such as `run.cancel`.
  action text NOT NULL,
  -- What it was done to, if that has a name, and its run, if it is one.
  subject text,
  run_id uuid,
  -- If it was done to many in one request: these.
  run_ids uuid[],
  -- What was said with it, without values of runs and secrets.
  detail json NOT NULL,
  -- How it was answered, by the numbers of HTTP: something that was refused was not done.
  status smallint NOT NULL,
  via text NOT NULL CHECK (via IN ('rest', 'grpc', 'direct')),
  -- Of whoever asked, in the network.
  address text
);
CREATE INDEX audit_by_namespace ON cairn.audit_log (namespace, id);
CREATE INDEX audit_by_run ON cairn.audit_log (run_id, id) WHERE run_id IS NOT NULL;
CREATE INDEX audit_by_runs ON cairn.audit_log USING gin (run_ids) WHERE run_ids IS NOT NULL;
CREATE INDEX audit_by_time ON cairn.audit_log (namespace, at);
-- Of each action the newest; who does something does few kinds of things. (One by `who` alone goes through all that someone did for the few
-- of one kind.) The second makes of 466 bytes of WAL for an entry 609.
CREATE INDEX audit_by_action ON cairn.audit_log (namespace, action, id);
CREATE INDEX audit_by_who ON cairn.audit_log (namespace, who, action, id);
