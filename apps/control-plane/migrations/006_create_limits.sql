-- Limits of actions: how many calls are open at one time, and how many begin in a length of time; of each key, over all
-- control planes and workers.
--
-- What is limited stands in `action_limits`; whoever registers last decides. A call of such an action has a row in
-- `limited_calls`, written by the commit that issues the call, and deleted by the commit that records its end: so a slot
-- belongs to a call and not to whoever holds its run. `grant_calls` hands out what is free, in a transaction of its own.
--
-- Lock order: action_limits, limits, limited_calls. A grant waits for none of the last: it passes over rows that a commit is
-- about to delete. Commits lock rows of `limited_calls` alone.

-- A row stays when an action has no limit any more: calls of it may be in `limited_calls`.
CREATE TABLE cairn.action_limits (
  namespace text NOT NULL,
  action text NOT NULL,
  -- Calls that are open at one time, of each key; null: any number.
  concurrency integer CHECK (concurrency >= 1),
  -- How a call's key comes from its arguments; null: all calls have the same. {"path":"0.tenant"} or {"program":…}.
  concurrency_key json,
  -- Calls that begin within `rate_ms`, of each key; null: any number.
  rate integer CHECK (rate >= 1),
  rate_ms bigint CHECK (rate_ms >= 1),
  rate_key json,
  changed_at timestamptz NOT NULL,
  PRIMARY KEY (namespace, action),
  CHECK ((rate IS NULL) = (rate_ms IS NULL))
);

-- Moves with each change: whoever knows the limits looks at it once a second.
CREATE SEQUENCE cairn.limit_changes;

-- Calls that wait for their turn, and those that have had it and are open.
CREATE SEQUENCE cairn.limited_ids;
CREATE TABLE cairn.limited_calls (
  run_id uuid NOT NULL,
  call text NOT NULL,
  -- The try that waits; of one that is lost, the next one has the same slot.
  attempt integer NOT NULL,
  namespace text NOT NULL,
  action text NOT NULL,
  -- Of the concurrency, and of the rate; empty without a key.
  key text NOT NULL,
  rate_key text NOT NULL,
  priority smallint NOT NULL,
  id bigint NOT NULL DEFAULT nextval('cairn.limited_ids'),
  -- Null: it waits.
  granted_at timestamptz,
  -- Whether a letter says that it was granted; else its owner was told directly.
  told boolean NOT NULL DEFAULT false,
  PRIMARY KEY (run_id, call)
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
CREATE INDEX limited_calls_waiting ON cairn.limited_calls (namespace, action, key, priority DESC, id) WHERE granted_at IS NULL;
CREATE INDEX limited_calls_by_rate ON cairn.limited_calls (namespace, action, key, rate_key, priority DESC, id)
  WHERE granted_at IS NULL;
CREATE INDEX limited_calls_open ON cairn.limited_calls (namespace, action, key) WHERE granted_at IS NOT NULL;
CREATE INDEX limited_calls_untold ON cairn.limited_calls (granted_at) WHERE granted_at IS NOT NULL AND NOT told;

-- In `limits`, `name` is the action, and the row is the lock under which calls are granted: of its key, or of all keys (the empty
-- one) where there is a rate, whose keys may be others. `open` is what it was after the last grant.

-- Token buckets: what was in one at some time. It fills with time; none: it is full.
CREATE TABLE cairn.rate_buckets (
  namespace text NOT NULL,
  action text NOT NULL,
  key text NOT NULL,
  tokens double precision NOT NULL,
  filled_at timestamptz NOT NULL,
  PRIMARY KEY (namespace, action, key)
) WITH (fillfactor = 50);

ALTER TABLE cairn.mailbox DROP CONSTRAINT mailbox_kind_check, DROP CONSTRAINT mailbox_check;
ALTER TABLE cairn.mailbox
  ADD CONSTRAINT mailbox_kind_check CHECK (kind IN ('signal', 'cancel', 'pause', 'resume', 'delete', 'retry', 'rollback',
    'fork', 'result', 'error', 'outcome', 'granted')),
  ADD CONSTRAINT mailbox_check CHECK ((kind IN ('result', 'error', 'outcome', 'granted')) = (call IS NOT NULL));

-- Of the calls of a key that wait, those whose turn it is: as many as there are slots, and tokens for; at most `most`. By
-- priority, then by age; of the keys of a rate, none comes before another by its name.
CREATE FUNCTION cairn.next_limited(limited cairn.action_limits, of_key text, most integer, moment timestamptz)
RETURNS SETOF cairn.limited_calls
LANGUAGE plpgsql AS $$
BEGIN
  IF limited.rate IS NULL THEN
    RETURN QUERY SELECT w.* FROM cairn.limited_calls AS w
      WHERE w.namespace = limited.namespace AND w.action = limited.action AND w.key = of_key AND w.granted_at IS NULL
      ORDER BY w.priority DESC, w.id LIMIT most FOR UPDATE SKIP LOCKED;
    RETURN;
  END IF;
  RETURN QUERY
    SELECT w.* FROM cairn.waiting_rate_keys(limited.namespace, limited.action, of_key) AS r (rate_key), LATERAL (
      SELECT w.* FROM cairn.limited_calls AS w
      WHERE w.namespace = limited.namespace AND w.action = limited.action AND w.key = of_key
        AND w.rate_key = r.rate_key AND w.granted_at IS NULL
      ORDER BY w.priority DESC, w.id
      LIMIT least(most, floor(cairn.tokens_of(limited, r.rate_key, moment))::integer) FOR UPDATE SKIP LOCKED
    ) AS w
    ORDER BY w.priority DESC, w.id LIMIT most;
END $$;

-- By one look at the index for each.
CREATE FUNCTION cairn.waiting_rate_keys(space text, named text, of_key text) RETURNS SETOF text
LANGUAGE sql STABLE AS $$
  WITH RECURSIVE keys AS (
    (SELECT w.rate_key FROM cairn.limited_calls AS w
     WHERE w.namespace = space AND w.action = named AND w.key = of_key AND w.granted_at IS NULL
     ORDER BY w.rate_key LIMIT 1)
    UNION ALL
    SELECT (SELECT w.rate_key FROM cairn.limited_calls AS w
      WHERE w.namespace = space AND w.action = named AND w.key = of_key AND w.granted_at IS NULL
        AND w.rate_key > keys.rate_key ORDER BY w.rate_key LIMIT 1)
    FROM keys WHERE keys.rate_key IS NOT NULL
  ) SELECT rate_key FROM keys WHERE rate_key IS NOT NULL
$$;

CREATE FUNCTION cairn.tokens_of(limited cairn.action_limits, of_key text, moment timestamptz) RETURNS double precision
LANGUAGE sql STABLE AS $$
  SELECT coalesce((
    SELECT least(limited.rate::float8, b.tokens
      + greatest(0, extract(epoch FROM moment - b.filled_at) * 1000)::float8 * limited.rate / limited.rate_ms)
    FROM cairn.rate_buckets AS b
    WHERE b.namespace = limited.namespace AND b.action = limited.action AND b.key = of_key
  ), limited.rate::float8)
$$;

-- Hands free slots and tokens to the first calls of a key that wait. Those of runs that `me` holds are returned; to the runs
-- of others a letter is sent. With a rate, the last row has no run: it says when there will be a token for those that wait,
-- if there is none now.
CREATE FUNCTION cairn.grant_calls(me uuid, space text, named text, of_key text)
RETURNS TABLE (run_id uuid, call text, attempt integer, mine boolean, next_at timestamptz)
LANGUAGE plpgsql AS $$
DECLARE
  most CONSTANT integer := 1000;
  limited cairn.action_limits;
  moment timestamptz;
  free integer := most;
  taken integer;
  later timestamptz;
BEGIN
  -- What is registered does not change while it is handed out.
  SELECT l.* INTO limited FROM cairn.action_limits AS l WHERE l.namespace = space AND l.action = named FOR SHARE;
  IF NOT FOUND THEN RETURN; END IF;
  INSERT INTO cairn.limits (namespace, name, key, changed_at)
    VALUES (space, named, CASE WHEN limited.rate IS NULL THEN of_key ELSE '' END, cairn.now()) ON CONFLICT DO NOTHING;
  PERFORM FROM cairn.limits AS l
    WHERE l.namespace = space AND l.name = named AND l.key = CASE WHEN limited.rate IS NULL THEN of_key ELSE '' END
    FOR UPDATE;
  moment := cairn.now();
  IF limited.concurrency IS NOT NULL THEN
    SELECT count(*) INTO taken FROM cairn.limited_calls AS w
      WHERE w.namespace = space AND w.action = named AND w.key = of_key AND w.granted_at IS NOT NULL;
    free := least(most, limited.concurrency - taken);
  END IF;
  IF free > 0 THEN
    RETURN QUERY
      WITH chosen AS MATERIALIZED (SELECT n.* FROM cairn.next_limited(limited, of_key, free, moment) AS n),
      placed AS MATERIALIZED (
        SELECT c.run_id, c.call, c.attempt, c.rate_key, EXISTS (
          SELECT FROM cairn.queue AS q WHERE q.run_id = c.run_id AND q.state = 'held' AND q.owner = me
        ) AS mine FROM chosen AS c
      ),
      given AS (
        UPDATE cairn.limited_calls AS w SET granted_at = moment, told = NOT p.mine
        FROM placed AS p WHERE w.run_id = p.run_id AND w.call = p.call
      ),
      drawn AS (
        INSERT INTO cairn.rate_buckets AS b (namespace, action, key, tokens, filled_at)
        SELECT space, named, p.rate_key, cairn.tokens_of(limited, p.rate_key, moment) - count(*), moment
        FROM placed AS p WHERE limited.rate IS NOT NULL GROUP BY p.rate_key
        ON CONFLICT (namespace, action, key) DO UPDATE SET tokens = excluded.tokens, filled_at = excluded.filled_at
      ),
      letters AS (
        INSERT INTO cairn.mailbox (run_id, kind, call, value, sent_at)
        SELECT p.run_id, 'granted', p.call, to_json(p.attempt), moment FROM placed AS p WHERE NOT p.mine
      )
      SELECT p.run_id, p.call, p.attempt, p.mine, NULL::timestamptz FROM placed AS p;
  END IF;
  IF limited.rate IS NOT NULL THEN
    SELECT min(moment + (1 - t.tokens) * limited.rate_ms / limited.rate * interval '1 ms') INTO later
      FROM cairn.waiting_rate_keys(space, named, of_key) AS r (rate_key),
        LATERAL (SELECT cairn.tokens_of(limited, r.rate_key, moment) AS tokens) AS t
      WHERE t.tokens < 1;
    IF later IS NOT NULL THEN RETURN QUERY SELECT NULL::uuid, NULL::text, NULL::integer, false, later; END IF;
  END IF;
END $$;

-- A deleted run has no calls any more. (As before, but for them.)
CREATE OR REPLACE FUNCTION cairn.delete_run(run uuid, reason text DEFAULT NULL) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
  moment timestamptz := cairn.now();
  unowned boolean;
  gone cairn.runs;
BEGIN
  PERFORM cairn.check_reason(reason);
  DELETE FROM cairn.queue AS q WHERE q.run_id = run AND q.owner IS NULL;
  unowned := FOUND;
  UPDATE cairn.runs AS r SET deleted_at = moment, delete_reason = reason WHERE r.id = run AND r.deleted_at IS NULL
    RETURNING * INTO gone;
  IF NOT FOUND THEN RETURN false; END IF;
  IF unowned THEN
    DELETE FROM cairn.limited_calls AS w WHERE w.run_id = run;
    PERFORM cairn.delete_run(r.id, 'The run that waited for it was deleted')
      FROM cairn.runs AS r WHERE r.parent = run AND r.status = 'pending';
    IF gone.parent IS NOT NULL THEN
      INSERT INTO cairn.mailbox (run_id, kind, call, value, sent_at)
        VALUES (gone.parent, 'error', gone.parent_call, json_build_object('$error', json_build_object(
          'names', json_build_array('RunCancelled', 'Error'), 'message', format('The run %s was deleted', run))), moment);
      PERFORM cairn.notify('cairn_mail');
    END IF;
    PERFORM cairn.notify('cairn_ended');
  ELSE
    -- Its owner lets go of it, and of its children.
    PERFORM cairn.send_mail(run, 'delete', NULL, to_json(reason));
  END IF;
  DELETE FROM cairn.idempotency_keys AS k USING cairn.runs AS r
    WHERE r.id = run AND k.namespace = r.namespace AND k.type = r.type AND k.key = r.idempotency_key
      AND k.run_id = run;
  INSERT INTO cairn.run_events (run_id, kind, data, at) VALUES (run, 'deleted', to_json(reason), moment);
  RETURN true;
END $$;
