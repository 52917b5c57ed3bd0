-- Events for others: who wants them, who publishes them, and what someone did not take.
--
-- An event is written to `outbox_events` by the transaction that it tells of. A dispatcher, of one of the processes, holds the
-- shard that it belongs to, and offers it once to everyone who wants it; then it has `passed`. What a subscription did not take
-- is a row of `outbox_backlog`, and what comes later of the same run, for the same subscription, waits behind it: only the
-- first of them, the head, has a `next_at`. An event is published when nobody waits for it any more.
--
-- Lock order: outbox_shards, subscriptions, outbox_events, outbox_backlog. A dispatcher writes under a key-share lock of its shard;
-- an operator who changes the backlog locks the shards whole.

CREATE SEQUENCE cairn.subscription_changes;

CREATE TABLE cairn.subscriptions (
  id integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  namespace text NOT NULL,
  name text NOT NULL,
  -- Types of events, or beginnings of them before a star.
  types text[] NOT NULL,
  -- Kind and address. Secrets are named here, and never stored.
  target json NOT NULL,
  -- Of one event, before it is a dead letter.
  max_attempts integer NOT NULL CHECK (max_attempts >= 1),
  timeout_ms integer NOT NULL CHECK (timeout_ms >= 1),
  backoff_ms integer NOT NULL CHECK (backoff_ms >= 1),
  backoff_max_ms integer NOT NULL CHECK (backoff_max_ms >= backoff_ms),
  status text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'paused')),
  paused_reason text,
  -- Since nothing was taken, and why; null while it is well.
  failing_since timestamptz,
  last_error text,
  last_delivered_at timestamptz,
  delivered bigint NOT NULL DEFAULT 0,
  refused bigint NOT NULL DEFAULT 0,
  -- Another one with each change of what is wanted, and where: whoever knows the subscriptions compares.
  revision bigint NOT NULL DEFAULT nextval('cairn.subscription_changes'),
  created_at timestamptz NOT NULL,
  changed_at timestamptz NOT NULL,
  UNIQUE (namespace, name),
  CHECK ((status = 'paused') = (paused_reason IS NOT NULL))
) WITH (fillfactor = 50);

CREATE TABLE cairn.outbox_backlog (
  event_id bigint NOT NULL,
  subscription integer NOT NULL,
  run_id uuid NOT NULL,
  shard smallint NOT NULL,
  attempts integer NOT NULL DEFAULT 0,
  -- Of the head of its run; null: it waits behind another one.
  next_at timestamptz,
  last_error text,
  -- A dead letter waits for an operator, and nothing waits behind it.
  dead_at timestamptz,
  PRIMARY KEY (event_id, subscription),
  CHECK (dead_at IS NULL OR next_at IS NULL)
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
-- By an expression, as in `outbox_to_pass`.
CREATE INDEX outbox_backlog_by_run ON cairn.outbox_backlog (subscription, run_id, (event_id - 0)) WHERE dead_at IS NULL;
CREATE INDEX outbox_backlog_due ON cairn.outbox_backlog (shard, subscription, next_at) WHERE next_at IS NOT NULL;
CREATE INDEX outbox_backlog_dead ON cairn.outbox_backlog (subscription, event_id) WHERE dead_at IS NOT NULL;

CREATE TABLE cairn.outbox_dispatchers (
  id uuid PRIMARY KEY,
  address text NOT NULL,
  expires_at timestamptz NOT NULL
) WITH (fillfactor = 50);

CREATE TABLE cairn.outbox_shards (
  shard smallint PRIMARY KEY,
  holder uuid,
  expires_at timestamptz NOT NULL
) WITH (fillfactor = 50);
INSERT INTO cairn.outbox_shards SELECT n, NULL, cairn.now() FROM generate_series(0, 15) AS n;

-- Whether a pattern is for events of a type. What Cairn itself tells is for those who ask for it by name.
CREATE FUNCTION cairn.is_for(pattern text, type text) RETURNS boolean
LANGUAGE sql IMMUTABLE AS $$
  SELECT pattern = type OR right(pattern, 1) = '*' AND starts_with(type, left(pattern, -1))
    AND (starts_with(pattern, 'cairn.') OR NOT starts_with(type, 'cairn.'))
$$;

CREATE FUNCTION cairn.is_wanted(space text, type text) RETURNS boolean
LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT FROM cairn.subscriptions AS s, unnest(s.types) AS t (pattern)
    WHERE s.namespace = space AND cairn.is_for(t.pattern, is_wanted.type))
$$;

-- What has become of a run, for those who want to know.
CREATE FUNCTION cairn.tell_of(run uuid, kind text, moment timestamptz) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO cairn.outbox_events (namespace, run_id, type, data, traceparent, created_at)
    SELECT r.namespace, r.id, 'cairn.run.' || kind || '.v1', json_build_object('type', r.type, 'version', r.version,
      'attempt', r.attempt, 'lastError', r.last_error), cairn.run_span(r.traceparent, r.id), moment
    FROM cairn.runs AS r WHERE r.id = run AND cairn.is_wanted(r.namespace, 'cairn.run.' || kind || '.v1');
  IF FOUND THEN PERFORM cairn.notify('cairn_outbox'); END IF;
END $$;

-- Keeps the shards of a dispatcher, and gives it free ones up to its share among all dispatchers.
CREATE FUNCTION cairn.lease_shards(dispatcher uuid, place text, lease_ms integer, OUT shards smallint[], OUT share integer)
LANGUAGE plpgsql AS $$
DECLARE
  moment timestamptz := cairn.now();
  until timestamptz := moment + lease_ms * interval '1 ms';
  held integer;
BEGIN
  INSERT INTO cairn.outbox_dispatchers (id, address, expires_at) VALUES (dispatcher, place, until)
    ON CONFLICT (id) DO UPDATE SET expires_at = excluded.expires_at;
  DELETE FROM cairn.outbox_dispatchers AS d USING (
    SELECT g.id FROM cairn.outbox_dispatchers AS g WHERE g.expires_at < moment - interval '1 minute' FOR UPDATE SKIP LOCKED
  ) AS gone WHERE d.id = gone.id;
  share := ceil(16.0 / (SELECT count(*) FROM cairn.outbox_dispatchers AS d WHERE d.expires_at > moment));
  -- In the order in which an operator locks them.
  PERFORM FROM cairn.outbox_shards AS s WHERE s.holder = dispatcher ORDER BY s.shard FOR NO KEY UPDATE;
  UPDATE cairn.outbox_shards AS s SET expires_at = until WHERE s.holder = dispatcher;
  GET DIAGNOSTICS held = ROW_COUNT;
  UPDATE cairn.outbox_shards AS s SET holder = dispatcher, expires_at = until FROM (
    SELECT f.shard FROM cairn.outbox_shards AS f WHERE f.holder IS NULL OR f.expires_at <= moment
    ORDER BY f.shard LIMIT greatest(0, share - held) FOR UPDATE SKIP LOCKED
  ) AS free WHERE s.shard = free.shard;
  shards := ARRAY(SELECT s.shard FROM cairn.outbox_shards AS s WHERE s.holder = dispatcher ORDER BY s.shard);
END $$;

-- The first of each of these runs that waits becomes due, unless it has its time.
CREATE FUNCTION cairn.promote_heads(subscriptions integer[], runs uuid[], moment timestamptz) RETURNS void
LANGUAGE sql VOLATILE AS $$
  UPDATE cairn.outbox_backlog AS b SET next_at = moment
  FROM (SELECT DISTINCT * FROM unnest(subscriptions, runs) AS u (subscription, run_id)) AS pair CROSS JOIN LATERAL (
    SELECT h.event_id, h.next_at FROM cairn.outbox_backlog AS h
    WHERE h.subscription = pair.subscription AND h.run_id = pair.run_id AND h.dead_at IS NULL ORDER BY h.event_id - 0 LIMIT 1
  ) AS head
  WHERE b.subscription = pair.subscription AND b.event_id = head.event_id AND head.next_at IS NULL
$$;

-- Those of these events that nobody waits for any more are published.
CREATE FUNCTION cairn.publish_settled(events bigint[], moment timestamptz) RETURNS void
LANGUAGE sql VOLATILE AS $$
  UPDATE cairn.outbox_events AS e SET published_at = moment
  WHERE e.id = ANY (events) AND e.passed AND e.published_at IS NULL
    AND NOT EXISTS (SELECT FROM cairn.outbox_backlog AS b WHERE b.event_id = e.id)
$$;

-- Events were offered to everyone: these passed, and those were not taken; one that was tried, and has no time for another try, is
-- a dead letter. False: the shard is another one's by now.
CREATE FUNCTION cairn.pass_events(mine smallint, dispatcher uuid, events bigint[], waiting bigint[], wanted_by integer[],
  tries integer[], delays double precision[], errors text[]) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
  moment timestamptz := cairn.now();
BEGIN
  PERFORM FROM cairn.outbox_shards AS s WHERE s.shard = mine AND s.holder = dispatcher FOR KEY SHARE;
  IF NOT FOUND THEN RETURN false; END IF;
  -- One that is deleted meanwhile wants nothing.
  PERFORM FROM cairn.subscriptions AS s WHERE s.id = ANY (wanted_by) ORDER BY s.id FOR KEY SHARE;
  UPDATE cairn.outbox_events AS e SET passed = true WHERE e.id = ANY (events);
  INSERT INTO cairn.outbox_backlog (event_id, subscription, run_id, shard, attempts, next_at, last_error, dead_at)
    SELECT w.event_id, w.subscription, e.run_id, mine, w.attempts, moment + w.delay_ms * interval '1 ms', w.error,
      CASE WHEN w.attempts > 0 AND w.delay_ms IS NULL THEN moment END
    FROM unnest(waiting, wanted_by, tries, delays, errors) AS w (event_id, subscription, attempts, delay_ms, error)
    JOIN cairn.outbox_events AS e ON e.id = w.event_id
    WHERE EXISTS (SELECT FROM cairn.subscriptions AS s WHERE s.id = w.subscription)
    ON CONFLICT DO NOTHING;
  PERFORM cairn.promote_heads(wanted_by, ARRAY(
    SELECT e.run_id FROM unnest(waiting) WITH ORDINALITY AS w (id, n) JOIN cairn.outbox_events AS e ON e.id = w.id ORDER BY w.n
  ), moment);
  PERFORM cairn.publish_settled(events, moment);
  RETURN true;
END $$;

-- What has become of events of the backlog that were offered again. A null delay of one that was not taken: it is a dead letter.
CREATE FUNCTION cairn.settle_backlog(mine smallint, dispatcher uuid, for_subscription integer, taken bigint[], refused bigint[],
  tries integer[], delays double precision[], errors text[]) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
  moment timestamptz := cairn.now();
  runs uuid[];
BEGIN
  PERFORM FROM cairn.outbox_shards AS s WHERE s.shard = mine AND s.holder = dispatcher FOR KEY SHARE;
  IF NOT FOUND THEN RETURN false; END IF;
  PERFORM FROM cairn.outbox_events AS e WHERE e.id = ANY (taken) ORDER BY e.id FOR UPDATE;
  runs := ARRAY(SELECT DISTINCT b.run_id FROM cairn.outbox_backlog AS b
    WHERE b.event_id = ANY (taken || refused) AND b.subscription = for_subscription);
  DELETE FROM cairn.outbox_backlog AS b WHERE b.event_id = ANY (taken) AND b.subscription = for_subscription;
  UPDATE cairn.outbox_backlog AS b SET attempts = b.attempts + r.counted, last_error = r.error,
      next_at = moment + r.delay_ms * interval '1 ms', dead_at = CASE WHEN r.delay_ms IS NULL THEN moment END
    FROM unnest(refused, tries, delays, errors) AS r (event_id, counted, delay_ms, error)
    WHERE b.event_id = r.event_id AND b.subscription = for_subscription;
  PERFORM cairn.promote_heads(array_fill(for_subscription, ARRAY[cardinality(runs)]), runs, moment);
  PERFORM cairn.publish_settled(taken, moment);
  RETURN true;
END $$;

-- Dead letters are offered again, before what waits of their runs.
CREATE FUNCTION cairn.redrive_letters(events bigint[], subscriptions integer[]) RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
  moment timestamptz := cairn.now();
  runs uuid[];
  of integer[];
  count integer;
BEGIN
  PERFORM FROM cairn.outbox_shards AS s ORDER BY s.shard FOR UPDATE;
  WITH again AS (
    UPDATE cairn.outbox_backlog AS b SET dead_at = NULL, attempts = 0
    FROM unnest(events, subscriptions) AS r (event_id, subscription)
    WHERE b.event_id = r.event_id AND b.subscription = r.subscription AND b.dead_at IS NOT NULL
    RETURNING b.subscription, b.run_id
  ) SELECT array_agg(subscription), array_agg(run_id), count(*) INTO of, runs, count FROM again;
  UPDATE cairn.outbox_backlog AS b SET next_at = NULL FROM unnest(of, runs) AS r (subscription, run_id)
    WHERE b.subscription = r.subscription AND b.run_id = r.run_id AND b.next_at IS NOT NULL;
  PERFORM cairn.promote_heads(of, runs, moment);
  PERFORM cairn.notify('cairn_outbox');
  RETURN count;
END $$;

-- Dead letters are given up; one that somebody has offered again meanwhile is none.
CREATE FUNCTION cairn.discard_letters(events bigint[], subscriptions integer[]) RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
  moment timestamptz := cairn.now();
  gone bigint[];
  runs uuid[];
  of integer[];
BEGIN
  PERFORM FROM cairn.outbox_shards AS s ORDER BY s.shard FOR UPDATE;
  PERFORM FROM cairn.outbox_events AS e WHERE e.id = ANY (events) ORDER BY e.id FOR UPDATE;
  WITH dropped AS (
    DELETE FROM cairn.outbox_backlog AS b USING unnest(events, subscriptions) AS r (event_id, subscription)
    WHERE b.event_id = r.event_id AND b.subscription = r.subscription AND b.dead_at IS NOT NULL
    RETURNING b.event_id, b.subscription, b.run_id
  ) SELECT array_agg(event_id), array_agg(subscription), array_agg(run_id) INTO gone, of, runs FROM dropped;
  PERFORM cairn.promote_heads(of, runs, moment);
  PERFORM cairn.publish_settled(gone, moment);
  PERFORM cairn.notify('cairn_outbox');
  RETURN coalesce(cardinality(gone), 0);
END $$;

-- With all that waits for it.
CREATE FUNCTION cairn.delete_subscription(space text, named text) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
  gone integer;
  events bigint[];
BEGIN
  PERFORM FROM cairn.outbox_shards AS s ORDER BY s.shard FOR UPDATE;
  DELETE FROM cairn.subscriptions AS s WHERE s.namespace = space AND s.name = named RETURNING s.id INTO gone;
  IF NOT FOUND THEN RETURN false; END IF;
  PERFORM nextval('cairn.subscription_changes');
  WITH dropped AS (DELETE FROM cairn.outbox_backlog AS b WHERE b.subscription = gone RETURNING b.event_id)
  SELECT array_agg(event_id) INTO events FROM dropped;
  PERFORM cairn.publish_settled(events, cairn.now());
  RETURN true;
END $$;
