-- What people use from SQL: runs are started, cancelled and deleted inside their own transactions, and looked at.

-- Whoever listens learns of it when the transaction commits. NOTIFY takes a lock of the whole cluster while it commits:
-- SET cairn.notify = off in busy transactions; the work is then found by looking.
CREATE FUNCTION cairn.notify(channel text) RETURNS void
LANGUAGE sql VOLATILE AS $$
  SELECT pg_notify(channel, '') WHERE coalesce(current_setting('cairn.notify', true), '') <> 'off'
$$;

CREATE FUNCTION cairn.pool_of(namespace text, type text, kind text) RETURNS text
LANGUAGE sql IMMUTABLE AS $$
  SELECT namespace || ':' || CASE kind WHEN 'action' THEN split_part(type, '.', 1) ELSE '*' END
$$;

-- Options: namespace, id, runAt, priority, idempotencyKey, maxAttempts, tags, deadline, version.
CREATE FUNCTION cairn.start_run(type text, payload json DEFAULT 'null', options jsonb DEFAULT '{}') RETURNS uuid
LANGUAGE plpgsql AS $$
DECLARE
  known CONSTANT text[] := ARRAY['namespace', 'id', 'runAt', 'priority', 'idempotencyKey', 'maxAttempts', 'tags',
    'deadline', 'version'];
  unknown text := (SELECT string_agg(key, ', ') FROM jsonb_object_keys(options) AS key WHERE key <> ALL (known));
  space text := coalesce(options->>'namespace', 'default');
  moment timestamptz := cairn.now();
  due timestamptz := coalesce((options->>'runAt')::timestamptz, moment);
  last timestamptz := (options->>'deadline')::timestamptz;
  run uuid := coalesce((options->>'id')::uuid, cairn.new_id());
  unique_key text := options->>'idempotencyKey';
  digest bytea := sha256(convert_to(payload::text, 'UTF8'));
  declared cairn.workflow_versions;
  first cairn.idempotency_keys;
BEGIN
  IF unknown IS NOT NULL THEN
    RAISE EXCEPTION 'start_run() has no option %', unknown USING ERRCODE = '22023', HINT = 'UnknownOption';
  END IF;
  IF abs(extract(epoch FROM cairn.time_of_id(run) - moment)) > 86400 THEN
    RAISE EXCEPTION 'The id % is not of a time within a day of now', run USING ERRCODE = '22023', HINT = 'InvalidId';
  END IF;
  IF last <= moment THEN
    RAISE EXCEPTION 'The deadline % has passed', last USING ERRCODE = '22023', HINT = 'DeadlinePassed';
  END IF;
  SELECT w.* INTO declared FROM cairn.workflow_versions AS w
    WHERE w.namespace = space AND w.name = start_run.type AND w.version = coalesce(options->>'version',
      (SELECT c.version FROM cairn.current_versions AS c WHERE c.namespace = space AND c.name = start_run.type));
  IF NOT FOUND THEN
    RAISE EXCEPTION 'Nothing is registered as % in the namespace %', concat_ws(' ', type, options->>'version'), space
      USING ERRCODE = '22023', HINT = 'UnknownType';
  END IF;
  IF unique_key IS NOT NULL THEN
    INSERT INTO cairn.idempotency_keys (namespace, type, key, run_id, payload_digest)
      VALUES (space, start_run.type, unique_key, run, digest) ON CONFLICT DO NOTHING;
    IF NOT FOUND THEN
      SELECT k.* INTO first FROM cairn.idempotency_keys AS k
        WHERE k.namespace = space AND k.type = start_run.type AND k.key = unique_key;
      IF first.payload_digest <> digest THEN
        RAISE EXCEPTION 'The idempotency key % was used for a run with another payload', unique_key
          USING ERRCODE = '23505', HINT = 'IdempotencyConflict';
      END IF;
      RETURN first.run_id;
    END IF;
  END IF;
  INSERT INTO cairn.runs (id, namespace, type, version, priority, payload, max_attempts, run_at, tags, deadline,
      idempotency_key, created_at)
    VALUES (run, space, start_run.type, declared.version, coalesce((options->>'priority')::smallint, 0), payload,
      coalesce((options->>'maxAttempts')::integer, declared.max_attempts), due,
      declared.tags || coalesce((SELECT array_agg(tag) FROM jsonb_array_elements_text(options->'tags') AS tag), '{}'),
      last, unique_key, moment);
  INSERT INTO cairn.queue (run_id, pool, priority, state, ready_at, wake_at, phase)
    VALUES (run, cairn.pool_of(space, start_run.type, declared.kind), coalesce((options->>'priority')::smallint, 0),
      CASE WHEN due <= moment THEN 'ready' ELSE 'parked' END, greatest(due, moment),
      CASE WHEN due > moment THEN due END, CASE WHEN due <= moment THEN 'ready' ELSE 'sleeping' END);
  INSERT INTO cairn.run_events (run_id, kind, at) VALUES (run, 'created', moment);
  PERFORM cairn.notify('cairn_work');
  RETURN run;
END $$;

-- Puts a letter into the mailbox of a live run, and says whether there was one.
CREATE FUNCTION cairn.send_mail(run uuid, kind text, name text, value json) RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM cairn.queue AS q WHERE q.run_id = run;
  IF NOT FOUND THEN RETURN false; END IF;
  INSERT INTO cairn.mailbox (run_id, kind, name, value, sent_at) VALUES (run, kind, name, value, cairn.now());
  PERFORM cairn.notify('cairn_mail');
  RETURN true;
END $$;

CREATE FUNCTION cairn.signal_run(run uuid, name text, value json DEFAULT 'null') RETURNS boolean
LANGUAGE sql VOLATILE AS $$ SELECT cairn.send_mail(run, 'signal', name, value) $$;

-- A run that never began is cancelled at once; another one when its owner reads of it. False if it has ended.
CREATE FUNCTION cairn.cancel_run(run uuid, reason text DEFAULT 'cancelled') RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
  moment timestamptz := cairn.now();
BEGIN
  DELETE FROM cairn.queue AS q WHERE q.run_id = run AND q.owner IS NULL AND q.started_at IS NULL;
  IF NOT FOUND THEN RETURN cairn.send_mail(run, 'cancel', NULL, to_json(reason)); END IF;
  PERFORM cairn.end_unstarted(run, reason, moment);
  RETURN true;
END $$;

CREATE FUNCTION cairn.end_unstarted(run uuid, reason text, moment timestamptz) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  failure json := json_build_object('$error', json_build_object('names', json_build_array('RunCancelled', 'Error'),
    'message', reason));
  ended cairn.runs;
BEGIN
  UPDATE cairn.runs AS r SET status = 'cancelled', error = failure, last_error = reason, ended_at = moment
    WHERE r.id = run AND r.status = 'pending' RETURNING * INTO ended;
  INSERT INTO cairn.run_events (run_id, kind, data, at) VALUES (run, 'cancelled', to_json(reason), moment);
  DELETE FROM cairn.mailbox AS m WHERE m.run_id = run;
  IF ended.parent IS NOT NULL THEN
    INSERT INTO cairn.mailbox (run_id, kind, call, value, sent_at)
      VALUES (ended.parent, 'error', ended.parent_call, failure, moment);
    PERFORM cairn.notify('cairn_mail');
  END IF;
  PERFORM cairn.notify('cairn_ended');
END $$;

-- A deleted run is never claimed again, nor are the children it waits for; who waits for it learns that it is gone. What
-- it has done stays, until retention removes it. False if there is none.
CREATE FUNCTION cairn.delete_run(run uuid, reason text DEFAULT NULL) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
  moment timestamptz := cairn.now();
  unowned boolean;
  gone cairn.runs;
BEGIN
  DELETE FROM cairn.queue AS q WHERE q.run_id = run AND q.owner IS NULL;
  unowned := FOUND;
  UPDATE cairn.runs AS r SET deleted_at = moment, delete_reason = reason WHERE r.id = run AND r.deleted_at IS NULL
    RETURNING * INTO gone;
  IF NOT FOUND THEN RETURN false; END IF;
  IF unowned THEN
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

CREATE VIEW cairn.workflow_run AS
SELECT r.id, r.namespace, r.type, r.version,
  CASE WHEN r.status = 'pending' AND q.state = 'held' THEN 'leased' ELSE r.status END AS status,
  r.priority, r.idempotency_key, r.payload, r.result, r.error, coalesce(r.last_error, q.last_error) AS last_error,
  CASE WHEN r.status = 'pending' THEN coalesce(q.attempt, r.attempt) ELSE r.attempt END AS attempt, r.max_attempts,
  coalesce(q.wake_at, r.run_at) AS run_at, o.expires_at AS lease_until, o.address AS leased_by, r.created_at,
  greatest(r.created_at, q.started_at, r.started_at, r.ended_at, r.deleted_at) AS updated_at,
  r.deleted_at, r.delete_reason, q.phase, q.waiting_for, r.parent, r.tags, r.deadline,
  coalesce(r.started_at, q.started_at) AS started_at, r.ended_at
FROM cairn.runs AS r
LEFT JOIN cairn.queue AS q ON q.run_id = r.id
LEFT JOIN cairn.owners AS o ON o.id = q.owner;

CREATE VIEW cairn.workflow_event AS
SELECT id, run_id AS workflow_id, kind AS event_type, data, at AS created_at FROM cairn.run_events;

CREATE VIEW cairn.outbox_event AS
SELECT id, run_id AS aggregate_id, type AS event_type, data AS payload, created_at, published_at FROM cairn.outbox_events;
