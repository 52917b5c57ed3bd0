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
    IF later IS NOT NULL THEN
      -- The clock was ahead, and is right again: what was in a bucket then is in it now.
      UPDATE cairn.rate_buckets AS b SET filled_at = moment WHERE b.namespace = space AND b.action = named
        AND b.filled_at > moment AND b.key IN (SELECT cairn.waiting_rate_keys(space, named, of_key));
      RETURN QUERY SELECT NULL::uuid, NULL::text, NULL::integer, false, later;
    END IF;
  END IF;
END $$;

-- Starts that are one run, and runs that come too late ----------------------------------------------------------------

-- Runs that expire, which keepers look at, and when. A row goes when that time has come and the run has begun, or has ended.
CREATE TABLE cairn.expiring_runs (
  run_id uuid PRIMARY KEY,
  expires_at timestamptz NOT NULL
);
CREATE INDEX expiring_runs_by_time ON cairn.expiring_runs (expires_at);

-- Starts with such a key are the run, whatever their input, until it expires.
CREATE TABLE cairn.deduplication_keys (
  namespace text NOT NULL,
  type text NOT NULL,
  key text NOT NULL,
  run_id uuid NOT NULL,
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (namespace, type, key)
);
CREATE INDEX deduplication_keys_by_time ON cairn.deduplication_keys (expires_at);

-- Starts with such a key replace the input of the run, and move its time, while it has not begun.
CREATE TABLE cairn.debounce_keys (
  namespace text NOT NULL,
  type text NOT NULL,
  key text NOT NULL,
  run_id uuid NOT NULL,
  first_at timestamptz NOT NULL,
  due_at timestamptz NOT NULL,
  PRIMARY KEY (namespace, type, key)
);
CREATE INDEX debounce_keys_by_time ON cairn.debounce_keys (due_at);

-- Milliseconds, or a text such as '90 s', of an option that has parts.
CREATE FUNCTION cairn.duration_of(given jsonb, name text) RETURNS interval
LANGUAGE plpgsql AS $$
DECLARE
  length interval;
BEGIN
  IF given IS NULL THEN RETURN NULL; END IF;
  length := CASE jsonb_typeof(given) WHEN 'number' THEN (given #>> '{}')::float8 * interval '1 ms'
    WHEN 'string' THEN (given #>> '{}')::interval END;
  IF length >= interval '1 ms' AND length <= interval '36500 days' THEN RETURN length; END IF;
  RAISE datetime_field_overflow;
EXCEPTION WHEN data_exception THEN
  PERFORM cairn.refuse('InvalidOption', format('%s is a number of milliseconds or a text such as "90 s", not %s', name, given));
END $$;

-- An option with a key and lengths of time.
CREATE FUNCTION cairn.check_shape(options jsonb, name text, known text[]) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  IF NOT options ? name THEN RETURN; END IF;
  IF jsonb_typeof(options->name) <> 'object' OR jsonb_typeof(options->name->'key') IS DISTINCT FROM 'string'
    OR length(options->name->>'key') NOT BETWEEN 1 AND 500 OR NOT options->name ? known[2]
    OR EXISTS (SELECT FROM jsonb_object_keys(options->name) AS part WHERE part <> ALL (known)) THEN
    PERFORM cairn.refuse('InvalidOption',
      format('%s is an object with %s; the key is a text of 1 to 500 characters', name, array_to_string(known, ', ')));
  END IF;
END $$;

-- Options without those that are null. Refuses what start_run() does not know, and texts that are none.
CREATE FUNCTION cairn.start_options(given jsonb) RETURNS jsonb
LANGUAGE plpgsql AS $$
DECLARE
  known CONSTANT text[] := ARRAY['namespace', 'id', 'runAt', 'priority', 'idempotencyKey', 'maxAttempts', 'tags',
    'deadline', 'version', 'deadLetterType', 'debounce', 'deduplicate', 'ttl', 'traceparent'];
  options jsonb := coalesce(given, '{}');
  name text;
BEGIN
  IF jsonb_typeof(options) <> 'object' THEN
    PERFORM cairn.refuse('InvalidOption', 'The options are a JSON object, not ' || jsonb_typeof(options));
  END IF;
  options := jsonb_strip_nulls(options);
  FOR name IN SELECT key FROM jsonb_object_keys(options) AS key WHERE key <> ALL (known) LOOP
    PERFORM cairn.refuse('InvalidOption',
      format('start_run() has no option %s. There are %s', name, array_to_string(known, ', ')));
  END LOOP;
  FOREACH name IN ARRAY ARRAY['namespace', 'idempotencyKey', 'version', 'deadLetterType'] LOOP
    IF options ? name AND (jsonb_typeof(options->name) <> 'string' OR length(options->>name) NOT BETWEEN 1 AND 500) THEN
      PERFORM cairn.refuse('InvalidOption', name || ' is a text of 1 to 500 characters');
    END IF;
  END LOOP;
  IF options ? 'tags' AND (jsonb_typeof(options->'tags') <> 'array' OR jsonb_array_length(options->'tags') > 50
    OR EXISTS (SELECT FROM jsonb_array_elements(options->'tags') AS tag
      WHERE jsonb_typeof(tag) <> 'string' OR length(tag #>> '{}') NOT BETWEEN 1 AND 200)) THEN
    PERFORM cairn.refuse('InvalidOption', 'tags is an array of at most 50 texts of 1 to 200 characters');
  END IF;
  IF options ? 'traceparent' AND NOT coalesce(options->>'traceparent' ~ '^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$', false) THEN
    PERFORM cairn.refuse('InvalidOption', 'traceparent is one of version 00, as W3C defines it');
  END IF;
  PERFORM cairn.check_shape(options, 'debounce', ARRAY['key', 'delay', 'max']);
  PERFORM cairn.check_shape(options, 'deduplicate', ARRAY['key', 'for']);
  IF num_nonnulls(options->'debounce', options->'deduplicate', options->'idempotencyKey') > 1 THEN
    PERFORM cairn.refuse('InvalidOption', 'A run has one of debounce, deduplicate and idempotencyKey');
  END IF;
  IF options ? 'debounce' AND options ? 'runAt' THEN
    PERFORM cairn.refuse('InvalidOption', 'A run with debounce has no runAt: it begins after the delay');
  END IF;
  RETURN options;
END $$;

-- The run that a deduplication key belongs to: this one, if the key is free, has expired, or was that of a deleted one.
CREATE FUNCTION cairn.run_of_deduplication(run uuid, space text, of_type text, of_key text, expires timestamptz, moment timestamptz)
RETURNS uuid
LANGUAGE plpgsql AS $$
DECLARE
  first uuid;
BEGIN
  LOOP
    INSERT INTO cairn.deduplication_keys AS k (namespace, type, key, run_id, expires_at)
      VALUES (space, of_type, of_key, run, expires)
      ON CONFLICT (namespace, type, key) DO UPDATE SET run_id = excluded.run_id, expires_at = excluded.expires_at
        WHERE k.expires_at <= moment;
    IF FOUND THEN RETURN run; END IF;
    SELECT k.run_id INTO first FROM cairn.deduplication_keys AS k
      WHERE k.namespace = space AND k.type = of_type AND k.key = of_key;
    -- By a statement of its own: whoever was waited for above has started its run since that one began to look.
    IF EXISTS (SELECT FROM cairn.runs AS r WHERE r.id = first AND r.deleted_at IS NULL) THEN RETURN first; END IF;
    UPDATE cairn.deduplication_keys AS k SET run_id = run, expires_at = expires
      WHERE k.namespace = space AND k.type = of_type AND k.key = of_key AND k.run_id = first;
    IF FOUND THEN RETURN run; END IF;
  END LOOP;
END $$;

-- The run that a debounce key belongs to, and when it is due: the earlier one, which gets the input, or this one from now on. Who
-- is just about to begin it is not waited for: then it has begun.
CREATE FUNCTION cairn.debounced(run uuid, space text, of_type text, of_key text, delay interval, most interval,
  moment timestamptz, OUT first uuid, OUT due timestamptz)
LANGUAGE plpgsql AS $$
DECLARE
  known cairn.debounce_keys;
BEGIN
  INSERT INTO cairn.debounce_keys AS k (namespace, type, key, run_id, first_at, due_at)
    VALUES (space, of_type, of_key, run, moment, moment + least(delay, most))
    ON CONFLICT (namespace, type, key) DO UPDATE SET due_at = k.due_at RETURNING * INTO known;
  IF known.run_id <> run THEN
    PERFORM FROM cairn.queue AS q
      WHERE q.run_id = known.run_id AND q.owner IS NULL AND q.started_at IS NULL AND q.phase <> 'paused'
      FOR UPDATE SKIP LOCKED;
    IF NOT FOUND THEN known.run_id := run; known.first_at := moment; END IF;
  END IF;
  first := known.run_id;
  due := greatest(moment, least(moment + delay, known.first_at + most));
  UPDATE cairn.debounce_keys AS k SET run_id = known.run_id, first_at = known.first_at, due_at = due
    WHERE k.namespace = space AND k.type = of_type AND k.key = of_key;
END $$;

-- Starts a run, or finds the one that it is: what start_run() and the library do where starts have more than an id.
CREATE FUNCTION cairn.start_as(type text, stored json, digest bytea, options jsonb, is_checked boolean,
  OUT run uuid, OUT existed boolean)
LANGUAGE plpgsql AS $$
DECLARE
  given jsonb := cairn.start_options(options);
  space text := coalesce(given->>'namespace', 'default');
  moment timestamptz := cairn.now();
  due timestamptz := greatest(cairn.time_option(given, 'runAt'), moment);
  last timestamptz := cairn.time_option(given, 'deadline');
  urgency integer := coalesce(cairn.integer_option(given, 'priority', -100, 100), 0);
  attempts integer := cairn.integer_option(given, 'maxAttempts', 1, 1000);
  delay interval := cairn.duration_of(given->'debounce'->'delay', 'debounce.delay');
  most interval := cairn.duration_of(given->'debounce'->'max', 'debounce.max');
  same_for interval := cairn.duration_of(given->'deduplicate'->'for', 'deduplicate.for');
  ttl interval := cairn.duration_of(given->'ttl', 'ttl');
  made uuid := cairn.id_option(given);
  first uuid := made;
  declared cairn.workflow_versions;
BEGIN
  existed := true;
  IF last <= moment THEN PERFORM cairn.refuse('DeadlinePassed', format('The deadline %s has passed', last)); END IF;
  IF last <= due THEN PERFORM cairn.refuse('InvalidOption', 'The run would begin after its deadline'); END IF;
  SELECT w.* INTO declared FROM cairn.workflow_versions AS w
    WHERE w.namespace = space AND w.name = start_as.type AND w.version = coalesce(given->>'version',
      (SELECT c.version FROM cairn.current_versions AS c WHERE c.namespace = space AND c.name = start_as.type));
  IF NOT FOUND THEN
    PERFORM cairn.refuse('UnknownType',
      format('Nothing is registered as %s in the namespace %s', concat_ws(' ', type, given->>'version'), space));
  END IF;
  run := made;
  IF given ? 'id' AND given ? 'debounce' THEN
    -- A start that is repeated has the input that it had; the run may have that of a later one.
    PERFORM FROM cairn.runs AS r WHERE r.id = made AND r.namespace = space AND r.type = start_as.type;
    IF FOUND THEN RETURN; END IF;
  END IF;
  IF given ? 'id' AND cairn.is_started(made, space, type, digest) THEN RETURN; END IF;
  IF given ? 'idempotencyKey' THEN
    first := cairn.run_of_key(made, space, type, given->>'idempotencyKey', digest);
  ELSIF given ? 'deduplicate' THEN
    first := cairn.run_of_deduplication(made, space, type, given->'deduplicate'->>'key', moment + same_for, moment);
  ELSIF given ? 'debounce' THEN
    SELECT d.first, d.due INTO first, due
      FROM cairn.debounced(made, space, type, given->'debounce'->>'key', delay, most, moment) AS d;
  END IF;
  run := first;
  IF first <> made THEN
    IF given ? 'debounce' THEN
      UPDATE cairn.runs AS r SET payload = stored, checked = is_checked, version = declared.version, run_at = due,
          expires_at = CASE WHEN r.expires_at IS NOT NULL OR ttl IS NOT NULL THEN due + coalesce(ttl, r.expires_at - r.run_at) END
        WHERE r.id = first;
      INSERT INTO cairn.expiring_runs (run_id, expires_at)
        SELECT r.id, r.expires_at FROM cairn.runs AS r WHERE r.id = first AND r.expires_at IS NOT NULL
        ON CONFLICT (run_id) DO UPDATE SET expires_at = excluded.expires_at;
      UPDATE cairn.queue AS q SET state = CASE WHEN due <= moment THEN 'ready' ELSE 'parked' END, ready_at = due,
          wake_at = CASE WHEN due > moment THEN due END, phase = CASE WHEN due <= moment THEN 'ready' ELSE 'sleeping' END
        WHERE q.run_id = first;
      INSERT INTO cairn.run_events (run_id, kind, data, at)
        VALUES (first, 'debounced', json_build_object('runAt', floor(extract(epoch FROM due) * 1000)), moment);
      PERFORM cairn.notify('cairn_work');
    END IF;
    RETURN;
  END IF;
  INSERT INTO cairn.runs (id, namespace, type, version, priority, payload, checked, max_attempts, run_at, tags, deadline,
      idempotency_key, dead_letter_type, created_at, expires_at, traceparent)
    VALUES (made, space, start_as.type, declared.version, urgency, stored, is_checked,
      coalesce(attempts, declared.max_attempts),
      CASE WHEN given ? 'debounce' THEN due ELSE coalesce(cairn.time_option(given, 'runAt'), moment) END,
      declared.tags || ARRAY(SELECT jsonb_array_elements_text(given->'tags')),
      last, given->>'idempotencyKey', given->>'deadLetterType', moment, due + ttl, given->>'traceparent')
    ON CONFLICT (id) DO NOTHING;
  -- Another transaction was about to start it, and has.
  IF NOT FOUND AND cairn.is_started(made, space, type, digest) THEN RETURN; END IF;
  INSERT INTO cairn.queue (run_id, pool, priority, state, ready_at, wake_at, phase)
    VALUES (made, cairn.pool_of(space, start_as.type, declared.kind, declared.lease_ms), urgency,
      CASE WHEN due <= moment THEN 'ready' ELSE 'parked' END, due,
      CASE WHEN due > moment THEN due END, CASE WHEN due <= moment THEN 'ready' ELSE 'sleeping' END);
  IF ttl IS NOT NULL THEN INSERT INTO cairn.expiring_runs (run_id, expires_at) VALUES (made, due + ttl); END IF;
  INSERT INTO cairn.run_events (run_id, kind, at) VALUES (made, 'created', moment);
  PERFORM cairn.tell_of(made, 'created', moment);
  PERFORM cairn.notify('cairn_work');
  existed := false;
END $$;

-- Options: namespace, id, runAt, priority, idempotencyKey, maxAttempts, tags, deadline, version, deadLetterType, debounce,
-- deduplicate, ttl, traceparent.
CREATE FUNCTION cairn.start_run(type text, payload json DEFAULT 'null', options jsonb DEFAULT '{}') RETURNS uuid
LANGUAGE plpgsql AS $$
DECLARE
  input json := coalesce(payload, 'null');
BEGIN
  IF octet_length(input::text) > 16777216 THEN
    PERFORM cairn.refuse('PayloadTooLarge', format('The input of %s has more than 16777216 bytes', type));
  END IF;
  PERFORM cairn.refuse_reference(input);
  RETURN (SELECT s.run FROM cairn.start_as(type, input, sha256(convert_to(input::text, 'UTF8')), options, false) AS s);
END $$;

-- Whether nothing of a run was ever made: it was not claimed, or it is a job whose call was never dispatched, since it waits
-- for its turn or for a worker.
CREATE FUNCTION cairn.is_unbegun(queued cairn.queue) RETURNS boolean
LANGUAGE sql STABLE AS $$
  SELECT queued.started_at IS NULL OR (queued.pool NOT LIKE '%:*' AND NOT queued.calls_out
    AND NOT EXISTS (SELECT FROM cairn.failed_attempts AS f WHERE f.run_id = queued.run_id))
$$;

-- Ends runs that have not begun in time; at most 1,000. Jobs that someone holds may be about to begin, or wait again soon: these
-- are looked at again, the later the more seldom.
CREATE FUNCTION cairn.end_expired() RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
  moment timestamptz := cairn.now();
  expired uuid;
  queued cairn.queue;
  ended integer := 0;
BEGIN
  FOR expired IN
    SELECT e.run_id FROM cairn.expiring_runs AS e WHERE e.expires_at <= moment
    ORDER BY e.expires_at LIMIT 1000 FOR UPDATE SKIP LOCKED
  LOOP
    SELECT q.* INTO queued FROM cairn.queue AS q WHERE q.run_id = expired AND q.owner IS NULL FOR UPDATE SKIP LOCKED;
    IF FOUND AND cairn.is_unbegun(queued) THEN
      DELETE FROM cairn.queue AS q WHERE q.run_id = expired;
      DELETE FROM cairn.limited_calls AS w WHERE w.run_id = expired;
      PERFORM cairn.end_unbegun(expired, 'Expired', 'The run did not begin in time', moment);
      UPDATE cairn.runs AS r SET format = queued.format WHERE r.id = expired AND queued.started_at IS NOT NULL;
      ended := ended + 1;
    END IF;
    UPDATE cairn.expiring_runs AS e SET expires_at = moment + greatest(interval '1 s', moment - r.expires_at)
      FROM cairn.runs AS r, cairn.queue AS q
      WHERE e.run_id = expired AND r.id = expired AND q.run_id = expired AND q.pool NOT LIKE '%:*'
        AND NOT EXISTS (SELECT FROM cairn.failed_attempts AS f WHERE f.run_id = expired);
    IF NOT FOUND THEN DELETE FROM cairn.expiring_runs AS e WHERE e.run_id = expired; END IF;
  END LOOP;
  RETURN ended;
END $$;
