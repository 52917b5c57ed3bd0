-- What people use from SQL: runs are started, cancelled and deleted inside their own transactions, and looked at.

-- Whoever listens learns of it when the transaction commits. NOTIFY takes a lock of the whole cluster while it commits:
-- SET cairn.notify = off in busy transactions; the work is then found by looking.
CREATE FUNCTION cairn.notify(channel text) RETURNS void
LANGUAGE sql VOLATILE AS $$
  SELECT pg_notify(channel, '') WHERE coalesce(current_setting('cairn.notify', true), '') <> 'off'
$$;

CREATE FUNCTION cairn.pool_of(namespace text, type text, kind text, lease_ms integer) RETURNS text
LANGUAGE sql IMMUTABLE AS $$
  SELECT namespace || ':' || coalesce('@' || lease_ms || ':', '') || CASE kind WHEN 'action' THEN split_part(type, '.', 1) ELSE '*' END
$$;

-- The codes of the library's errors are the hints of these.
CREATE FUNCTION cairn.refuse(code text, message text) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '%', message USING ERRCODE = '22023', HINT = code;
END $$;

CREATE FUNCTION cairn.time_option(options jsonb, name text) RETURNS timestamptz
LANGUAGE plpgsql AS $$
BEGIN
  -- Postgres also reads texts such as 'now', by a clock of its own.
  IF NOT options ? name THEN RETURN NULL; END IF;
  IF jsonb_typeof(options->name) = 'string' AND options->>name ~ '^\d{4}-\d\d-\d\d[T ]' THEN
    RETURN (options->>name)::timestamptz;
  END IF;
  RAISE datetime_field_overflow;
EXCEPTION WHEN data_exception THEN
  PERFORM cairn.refuse('InvalidOption', format('%s is a time as in ISO 8601, not %s', name, options->name));
END $$;

CREATE FUNCTION cairn.integer_option(options jsonb, name text, lowest integer, highest integer) RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
  given numeric := CASE WHEN jsonb_typeof(options->name) = 'number' THEN (options->>name)::numeric END;
BEGIN
  IF NOT options ? name THEN RETURN NULL; END IF;
  IF given = trunc(given) AND given BETWEEN lowest AND highest THEN RETURN given; END IF;
  PERFORM cairn.refuse('InvalidOption',
    format('%s is a whole number from %s to %s, not %s', name, lowest, highest, options->name));
END $$;

CREATE FUNCTION cairn.id_option(options jsonb) RETURNS uuid
LANGUAGE plpgsql AS $$
DECLARE
  id uuid;
BEGIN
  IF NOT options ? 'id' THEN RETURN cairn.new_id(); END IF;
  IF options->>'id' ~* '^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$' THEN
    id := options->>'id';
    IF cairn.time_of_id(id) - cairn.now() BETWEEN interval '-1 day' AND interval '1 hour' THEN RETURN id; END IF;
  END IF;
  PERFORM cairn.refuse('InvalidId',
    format('The id is no UUID of version 7 of the last day or the next hour: %s', options->'id'));
END $$;

-- What stands for a value elsewhere is none: it would be read as that one.
CREATE FUNCTION cairn.refuse_reference(value json) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  IF cairn.is_reference(value) THEN PERFORM cairn.refuse('InvalidInput', '{"$blob":"…","bytes":…} is no value'); END IF;
END $$;

-- Whether the run is there: started before with the same payload. Refuses one that was started with another.
CREATE FUNCTION cairn.is_started(run uuid, namespace text, type text, digest bytea) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
  same boolean := (SELECT r.namespace = is_started.namespace AND r.type = is_started.type
    AND cairn.value_digest(r.payload) = digest FROM cairn.runs AS r WHERE r.id = run);
BEGIN
  IF NOT same THEN PERFORM cairn.refuse('IdConflict', format('The id %s is that of another run', run)); END IF;
  RETURN coalesce(same, false);
END $$;

-- The run that an idempotency key belongs to: this one from now on, or one that was started before.
CREATE FUNCTION cairn.run_of_key(run uuid, namespace text, type text, key text, digest bytea) RETURNS uuid
LANGUAGE plpgsql AS $$
DECLARE
  first cairn.idempotency_keys;
BEGIN
  LOOP
    INSERT INTO cairn.idempotency_keys AS k (namespace, type, key, run_id, payload_digest)
      VALUES (run_of_key.namespace, run_of_key.type, run_of_key.key, run, digest) ON CONFLICT DO NOTHING;
    IF FOUND THEN RETURN run; END IF;
    SELECT k.* INTO first FROM cairn.idempotency_keys AS k
      WHERE k.namespace = run_of_key.namespace AND k.type = run_of_key.type AND k.key = run_of_key.key;
    -- Not there any more: its run was deleted just now.
    CONTINUE WHEN NOT FOUND;
    IF first.payload_digest <> digest THEN
      PERFORM cairn.refuse('IdempotencyConflict', format('The key %s was used for another input of %s', key, type));
    END IF;
    RETURN first.run_id;
  END LOOP;
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
LANGUAGE plpgsql AS $$
BEGIN
  IF coalesce(length(name), 0) NOT BETWEEN 1 AND 500 THEN
    PERFORM cairn.refuse('InvalidOption', 'The name of a signal is a text of 1 to 500 characters');
  END IF;
  IF octet_length(value::text) > 16777216 THEN
    PERFORM cairn.refuse('PayloadTooLarge', format('The value of the signal %s has more than 16777216 bytes', name));
  END IF;
  PERFORM cairn.refuse_reference(value);
  RETURN cairn.send_mail(run, 'signal', name, coalesce(value, 'null'));
END $$;

CREATE FUNCTION cairn.check_reason(reason text) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  IF length(reason) > 10000 THEN
    PERFORM cairn.refuse('InvalidOption', 'The reason is a text of 0 to 10000 characters');
  END IF;
END $$;

-- A run that never began is cancelled at once; another one when its owner reads of it. False if it has ended.
CREATE FUNCTION cairn.cancel_run(run uuid, reason text DEFAULT 'cancelled') RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
  why text := coalesce(reason, 'cancelled');
BEGIN
  PERFORM cairn.check_reason(why);
  DELETE FROM cairn.queue AS q WHERE q.run_id = run AND q.owner IS NULL AND q.started_at IS NULL;
  IF NOT FOUND THEN RETURN cairn.send_mail(run, 'cancel', NULL, to_json(why)); END IF;
  PERFORM cairn.end_unbegun(run, 'RunCancelled', why, cairn.now());
  RETURN true;
END $$;

-- Ends a run that never began, and has no row in the queue any more.
CREATE FUNCTION cairn.end_unbegun(run uuid, named text, reason text, moment timestamptz) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  failure json := json_build_object('$error', json_build_object('names', json_build_array(named, 'Error'),
    'message', reason));
  ended cairn.runs;
BEGIN
  UPDATE cairn.runs AS r SET status = 'cancelled', error = failure, last_error = left(named || ': ' || reason, 500),
      ended_at = moment
    WHERE r.id = run AND r.status = 'pending' RETURNING * INTO ended;
  WITH unread AS (DELETE FROM cairn.mailbox AS m WHERE m.run_id = run RETURNING m.id, m.kind, m.name, m.value)
  INSERT INTO cairn.run_events (run_id, kind, data, at)
    SELECT run, 'undelivered', json_build_object('kind', u.kind, 'name', u.name, 'value', u.value), moment
    FROM unread AS u ORDER BY u.id;
  INSERT INTO cairn.run_events (run_id, kind, data, at) VALUES (run, 'cancelled', failure, moment);
  PERFORM cairn.tell_of(run, 'cancelled', moment);
  IF ended.parent IS NOT NULL THEN
    INSERT INTO cairn.mailbox (run_id, kind, call, sender, value, sent_at)
      VALUES (ended.parent, 'error', ended.parent_call, run, failure, moment);
    PERFORM cairn.notify('cairn_mail');
  END IF;
  PERFORM cairn.notify('cairn_ended');
END $$;

-- A deleted run is never claimed again, nor are the children it waits for; who waits for it learns that it is gone. What
-- it has done stays, until retention removes it. False if there is none.
CREATE FUNCTION cairn.delete_run(run uuid, reason text DEFAULT NULL) RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM cairn.check_reason(reason);
  RETURN cairn.delete_with(run, reason, NULL);
END $$;

-- With the run that waited for it, or alone.
CREATE FUNCTION cairn.delete_with(run uuid, reason text, waited uuid) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
  moment timestamptz := cairn.now();
  unowned boolean;
  is_new boolean;
  gone cairn.runs;
BEGIN
  WITH freed AS (DELETE FROM cairn.queue AS q WHERE q.run_id = run AND q.owner IS NULL RETURNING q.*)
  INSERT INTO cairn.deleted_queue (run_id, pool, priority, ready_at, wake_at, crashes, format, phase, waiting_for, attempt,
      last_error, started_at, calls_out, past_deadline, schedule)
    SELECT q.run_id, q.pool, q.priority, q.ready_at, q.wake_at, q.crashes, q.format,
      CASE WHEN q.paused THEN 'paused' ELSE q.phase END, q.waiting_for, q.attempt,
      q.last_error, q.started_at, q.calls_out, q.past_deadline, q.schedule FROM freed AS q;
  unowned := FOUND;
  UPDATE cairn.runs AS r SET deleted_at = moment, delete_reason = reason, deleted_with = waited
    WHERE r.id = run AND r.deleted_at IS NULL RETURNING * INTO gone;
  is_new := FOUND;
  IF NOT is_new AND NOT unowned THEN RETURN false; END IF;
  -- Deleted before, while someone held it who is gone, and did not read of it.
  IF NOT is_new THEN SELECT r.* INTO gone FROM cairn.runs AS r WHERE r.id = run; END IF;
  IF unowned THEN
    DELETE FROM cairn.limited_calls AS w WHERE w.run_id = run;
    PERFORM cairn.delete_with(r.id, 'The run that waited for it was deleted', run)
      FROM cairn.runs AS r WHERE r.parent = run AND r.status = 'pending';
    IF gone.parent IS NOT NULL THEN
      INSERT INTO cairn.mailbox (run_id, kind, call, sender, value, sent_at)
        VALUES (gone.parent, 'error', gone.parent_call, run, json_build_object('$error', json_build_object(
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
  IF is_new THEN
    INSERT INTO cairn.run_events (run_id, kind, data, at, after_input)
      VALUES (run, 'deleted', to_json(reason), moment, cairn.last_input(run));
  END IF;
  RETURN is_new;
END $$;

-- A deleted run is as it was: one that had ended, ended; one that lived goes on from what it had committed, with the letters that it
-- had not read. Children that were deleted with it come back with it. False if it is not deleted, or not there any more. Refused
-- while whoever holds one of them has not let go of it, and when another run has its key by now.
CREATE FUNCTION cairn.restore_run(run uuid) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
  family uuid[];
BEGIN
  PERFORM FROM cairn.runs AS r WHERE r.id = run AND r.deleted_at IS NOT NULL FOR UPDATE;
  IF NOT FOUND THEN RETURN false; END IF;
  -- Before the family is looked for: a child that has not read yet that it is deleted would be missing there.
  PERFORM FROM cairn.descendants_of(run) AS d JOIN cairn.queue AS q ON q.run_id = d.id
    WHERE d.deleted_at IS NOT NULL
      OR EXISTS (SELECT FROM cairn.mailbox AS m WHERE m.run_id = d.id AND m.kind = 'delete');
  IF FOUND THEN
    PERFORM cairn.refuse('HeldUp', format('The run %s is being deleted, and whoever holds it has not let go of it yet', run));
  END IF;
  family := ARRAY(
    WITH RECURSIVE taken AS (
      SELECT run AS id
      UNION ALL
      SELECT c.id FROM taken JOIN cairn.runs AS c ON c.parent = taken.id AND c.deleted_with = taken.id
    ) SELECT id FROM taken);
  PERFORM FROM cairn.runs AS r WHERE r.id = ANY (family) ORDER BY r.id FOR UPDATE;
  PERFORM cairn.restore_one(r) FROM cairn.runs AS r WHERE r.id = ANY (family) ORDER BY r.id;
  PERFORM cairn.notify('cairn_mail');
  PERFORM cairn.notify('cairn_work');
  RETURN true;
END $$;

-- The run, and those below it that have not ended.
CREATE FUNCTION cairn.descendants_of(run uuid) RETURNS TABLE (id uuid, deleted_at timestamptz)
LANGUAGE sql STABLE AS $$
  WITH RECURSIVE below AS (
    SELECT r.id, r.deleted_at FROM cairn.runs AS r WHERE r.id = run
    UNION ALL
    SELECT c.id, c.deleted_at FROM below JOIN cairn.runs AS c ON c.parent = below.id AND c.status = 'pending'
  ) SELECT below.id, below.deleted_at FROM below
$$;

CREATE FUNCTION cairn.restore_one(gone cairn.runs) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  moment timestamptz := cairn.now();
  lives boolean := gone.status = 'pending';
BEGIN
  IF gone.idempotency_key IS NOT NULL THEN
    INSERT INTO cairn.idempotency_keys (namespace, type, key, run_id, payload_digest)
      VALUES (gone.namespace, gone.type, gone.idempotency_key, gone.id, cairn.value_digest(gone.payload))
      ON CONFLICT DO NOTHING;
    IF NOT FOUND THEN
      PERFORM cairn.refuse('IdempotencyConflict', format('Another run of %s has the key %s by now', gone.type, gone.idempotency_key));
    END IF;
  END IF;
  -- What has passed meanwhile would end it at once.
  UPDATE cairn.runs AS r SET deleted_at = NULL, delete_reason = NULL, deleted_with = NULL,
      deadline = CASE WHEN lives AND r.deadline <= moment THEN NULL ELSE r.deadline END,
      expires_at = CASE WHEN lives AND r.expires_at <= moment THEN NULL ELSE r.expires_at END
    WHERE r.id = gone.id;
  INSERT INTO cairn.run_events (run_id, kind, at, after_input) VALUES (gone.id, 'restored', moment, cairn.last_input(gone.id));
  -- Whoever waits for it has been told that it is gone, and goes on waiting if that was not read.
  DELETE FROM cairn.mailbox AS m WHERE m.run_id = gone.parent AND m.kind = 'error' AND m.sender = gone.id;
  DELETE FROM cairn.deleted_mail AS m WHERE m.run_id = gone.parent AND m.kind = 'error' AND m.sender = gone.id;
  IF NOT lives THEN RETURN; END IF;
  -- What slept until its time, and what was paused, does so again, unless its deadline comes first; all else looks for itself what there
  -- is to do.
  WITH kept AS (DELETE FROM cairn.deleted_queue AS d WHERE d.run_id = gone.id RETURNING d.*, (d.phase = 'paused'
    OR (d.phase = 'sleeping' AND (d.started_at IS NULL OR d.waiting_for = 'its next attempt'))) AS rests)
  INSERT INTO cairn.queue (run_id, pool, priority, state, ready_at, wake_at, crashes, format, phase, waiting_for, attempt,
      last_error, started_at, calls_out, past_deadline, paused, schedule)
    SELECT d.run_id, d.pool, d.priority, CASE WHEN d.rests THEN 'parked' ELSE 'ready' END, moment,
      CASE WHEN d.rests AND d.phase = 'sleeping' THEN d.wake_at WHEN d.rests AND gone.deadline > moment THEN gone.deadline END,
      d.crashes, d.format,
      CASE WHEN d.rests THEN d.phase ELSE 'ready' END, CASE WHEN d.rests THEN d.waiting_for END, d.attempt,
      d.last_error, d.started_at, d.calls_out, d.past_deadline, d.phase = 'paused', d.schedule FROM kept AS d;
  -- Turns that had come have gone to others: it asks for them again.
  WITH kept AS (DELETE FROM cairn.deleted_mail AS m WHERE m.run_id = gone.id RETURNING m.*)
  INSERT INTO cairn.mailbox (run_id, id, kind, call, name, sender, value, sent_at)
    SELECT m.run_id, m.id, m.kind, m.call, m.name, m.sender, m.value, m.sent_at FROM kept AS m;
  DELETE FROM cairn.mailbox AS m WHERE m.run_id = gone.id AND m.kind IN ('granted', 'delete');
  INSERT INTO cairn.expiring_runs (run_id, expires_at)
    SELECT r.id, r.expires_at FROM cairn.runs AS r WHERE r.id = gone.id AND r.expires_at IS NOT NULL ON CONFLICT DO NOTHING;
END $$;

-- A run that has ended lives again: with this status, or any. A deadline that has passed would end it at once: it has none then.
-- (The lock of its row comes before that of the queue, since there is none in the queue: nobody waits for one who waits for it.)
CREATE FUNCTION cairn.revive_run(run uuid, ended text, attempts integer) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
  moment timestamptz := cairn.now();
  last text;
  revived cairn.runs;
BEGIN
  SELECT r.last_error INTO last FROM cairn.runs AS r
    WHERE r.id = run AND r.status <> 'pending' AND r.status = coalesce(ended, r.status) AND r.deleted_at IS NULL FOR UPDATE;
  IF NOT FOUND THEN RETURN false; END IF;
  UPDATE cairn.runs AS r SET status = 'pending', ended_at = NULL, former_status = r.status, former_end = r.ended_at,
      deadline = CASE WHEN r.deadline > moment THEN r.deadline END, attempt = r.attempt + attempts
    WHERE r.id = run RETURNING * INTO revived;
  INSERT INTO cairn.queue (run_id, pool, priority, state, ready_at, phase, attempt, last_error, started_at, format, schedule)
    SELECT run, cairn.pool_of(w.namespace, w.name, w.kind, w.lease_ms), revived.priority, 'ready', moment, 'ready',
      revived.attempt, last, revived.started_at, coalesce(revived.format, 1),
      (SELECT s.id FROM cairn.schedules AS s
       WHERE s.namespace = revived.namespace AND s.type = revived.type AND s.name = revived.schedule)
    FROM cairn.workflow_versions AS w
    WHERE w.namespace = revived.namespace AND w.name = revived.type AND w.version = revived.version;
  IF attempts > 0 THEN
    INSERT INTO cairn.run_events (run_id, kind, data, at, after_input)
      VALUES (run, 'retried', json_build_object('attempt', revived.attempt, 'by', 'operator'), moment, cairn.last_input(run));
    PERFORM cairn.tell_of(run, 'retried', moment);
  ELSE
    INSERT INTO cairn.run_events (run_id, kind, data, at, after_input)
      VALUES (run, 'revived', to_json(revived.former_status), moment, cairn.last_input(run));
  END IF;
  PERFORM cairn.notify('cairn_work');
  RETURN true;
END $$;

-- Whether something was asked for before, under this key.
CREATE FUNCTION cairn.was_asked(key uuid) RETURNS boolean
LANGUAGE sql STABLE AS $$ SELECT EXISTS (SELECT FROM cairn.sent_letters AS s WHERE s.key = was_asked.key) $$;

-- A run that has failed begins again. False if it has not failed. With a key, it can be asked for again.
CREATE FUNCTION cairn.retry_run(run uuid, key uuid DEFAULT NULL) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
  moment timestamptz := cairn.now();
BEGIN
  IF cairn.was_asked(key) THEN RETURN true; END IF;
  IF NOT cairn.revive_run(run, 'failed', 1) THEN RETURN false; END IF;
  INSERT INTO cairn.mailbox (run_id, kind, sent_at) VALUES (run, 'retry', moment);
  IF key IS NOT NULL THEN
    INSERT INTO cairn.sent_letters (key, digest, sent_at) VALUES (key, sha256(convert_to('retry ' || run, 'UTF8')), moment);
  END IF;
  RETURN true;
END $$;

-- A run, whether it lives or has ended, is sent the order to return to an earlier state. False if it was deleted.
CREATE FUNCTION cairn.roll_back_run(run uuid, wanted json, key uuid, digest bytea) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
  moment timestamptz := cairn.now();
BEGIN
  IF cairn.was_asked(key) THEN RETURN true; END IF;
  IF NOT cairn.revive_run(run, NULL, 0) THEN
    -- A statement of its own: it sees what others have committed while this waited for them.
    PERFORM FROM cairn.queue AS q WHERE q.run_id = run;
    -- It may have ended between the two looks.
    IF NOT FOUND AND NOT cairn.revive_run(run, NULL, 0) THEN RETURN false; END IF;
  END IF;
  INSERT INTO cairn.mailbox (run_id, kind, value, sent_at) VALUES (run, 'rollback', wanted, moment);
  INSERT INTO cairn.sent_letters (key, digest, sent_at) VALUES (key, digest, moment);
  PERFORM cairn.notify('cairn_mail');
  RETURN true;
END $$;

-- Why a run refuses an order, by how it is; null: it does not.
CREATE FUNCTION cairn.refusal_of(action text, status text, deleted_at timestamptz) RETURNS text
LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN action = 'restore' THEN NULL
    WHEN deleted_at IS NOT NULL THEN 'RunDeleted'
    WHEN action = 'delete' THEN NULL
    WHEN action = 'retry' THEN CASE WHEN status <> 'failed' THEN 'WrongStatus' END
    -- It is as it was wanted, by whoever asks again.
    WHEN action = 'cancel' AND status = 'cancelled' THEN NULL
    WHEN status <> 'pending' THEN 'RunEnded' END
$$;

-- Puts the same letter into the mailboxes of those runs that live, and returns these.
CREATE FUNCTION cairn.send_mails(runs uuid[], kind text, name text, value json) RETURNS uuid[]
LANGUAGE plpgsql AS $$
DECLARE
  sent uuid[];
BEGIN
  WITH letters AS (
    INSERT INTO cairn.mailbox (run_id, kind, name, value, sent_at)
    SELECT q.run_id, send_mails.kind, send_mails.name, send_mails.value, cairn.now() FROM cairn.queue AS q
    WHERE q.run_id = ANY (runs) RETURNING run_id
  ) SELECT coalesce(array_agg(l.run_id), '{}') INTO sent FROM letters AS l;
  IF cardinality(sent) > 0 THEN PERFORM cairn.notify('cairn_mail'); END IF;
  RETURN sent;
END $$;

-- Cancels those of the runs that live, as cancel_run does, and returns these. Rows of the queue are locked before anything else is.
CREATE FUNCTION cairn.cancel_runs(runs uuid[], reason text) RETURNS uuid[]
LANGUAGE plpgsql AS $$
DECLARE
  unbegun uuid[];
BEGIN
  PERFORM cairn.check_reason(reason);
  WITH freed AS (
    DELETE FROM cairn.queue AS q WHERE q.run_id = ANY (ARRAY(
      SELECT w.run_id FROM cairn.queue AS w WHERE w.run_id = ANY (runs) AND w.owner IS NULL AND w.started_at IS NULL
      ORDER BY w.run_id FOR UPDATE)) RETURNING q.run_id
  ) SELECT coalesce(array_agg(f.run_id), '{}') INTO unbegun FROM freed AS f;
  PERFORM cairn.end_unbegun(u.id, 'RunCancelled', reason, cairn.now()) FROM unnest(unbegun) AS u (id);
  RETURN unbegun || cairn.send_mails(runs, 'cancel', NULL, to_json(reason));
END $$;

-- An order for many runs, in one transaction: cancel, delete (with a reason), restore, retry, pause, resume or signal (with a name and a value).
-- Returns those that refuse it, why, and how they are. With the key of a row of bulk_orders, it is carried out once, and answered as it was
-- then. Those that are held up by whoever lets go of them may be asked again in a moment: such an order is not done yet, unless it is the last try.
CREATE FUNCTION cairn.order_runs(key uuid, runs uuid[], action text, reason text, name text, value json, is_last boolean)
RETURNS TABLE (id uuid, code text, status text, detail text)
LANGUAGE plpgsql AS $$
DECLARE
  one uuid;
  done uuid[] := '{}';
  why text;
  hint text;
  -- By restores, which say it themselves.
  refusing jsonb := '[]';
  kept json;
BEGIN
  SELECT b.refused INTO kept FROM cairn.bulk_orders AS b WHERE b.key = order_runs.key FOR UPDATE;
  IF kept IS NOT NULL THEN
    RETURN QUERY SELECT r.* FROM json_to_recordset(kept) AS r (id uuid, code text, status text, detail text);
    RETURN;
  END IF;
  CASE action
  WHEN 'cancel' THEN
    done := cairn.cancel_runs(runs, coalesce(reason, 'cancelled'));
    done := done || ARRAY(SELECT r.id FROM cairn.runs AS r
      WHERE r.id = ANY (runs) AND r.status = 'cancelled' AND r.deleted_at IS NULL);
  WHEN 'delete' THEN
    PERFORM FROM cairn.queue AS q WHERE q.run_id = ANY (runs) AND q.owner IS NULL ORDER BY q.run_id FOR UPDATE;
    done := ARRAY(SELECT r.id FROM unnest(runs) AS r (id) WHERE cairn.delete_run(r.id, reason));
  WHEN 'retry' THEN done := ARRAY(SELECT r.id FROM unnest(runs) AS r (id) WHERE cairn.retry_run(r.id));
  WHEN 'restore' THEN
    FOREACH one IN ARRAY runs LOOP
      BEGIN
        -- False: it has come back with the one that it was deleted with, or is gone.
        PERFORM cairn.restore_run(one);
      EXCEPTION WHEN invalid_parameter_value THEN
        GET STACKED DIAGNOSTICS why = MESSAGE_TEXT, hint = PG_EXCEPTION_HINT;
        refusing := refusing || jsonb_build_object('id', one, 'code', hint, 'detail', why);
      END;
    END LOOP;
    done := ARRAY(SELECT r.id FROM cairn.runs AS r
      WHERE r.id = ANY (runs) AND r.id NOT IN (SELECT s.id FROM jsonb_to_recordset(refusing) AS s (id uuid)));
  ELSE done := cairn.send_mails(runs, action, name, value);
  END CASE;
  SELECT coalesce(json_agg(json_build_object('id', w.id, 'status', r.status, 'detail', s.detail,
      'code', CASE WHEN r.id IS NULL THEN 'NotFound' ELSE coalesce(s.code, cairn.refusal_of(action, r.status, r.deleted_at), 'RunEnded') END)
      ORDER BY w.place), '[]') INTO kept
    FROM unnest(runs) WITH ORDINALITY AS w (id, place) LEFT JOIN cairn.runs AS r ON r.id = w.id
    LEFT JOIN jsonb_to_recordset(refusing) AS s (id uuid, code text, detail text) ON s.id = w.id
    WHERE w.id NOT IN (SELECT d.id FROM unnest(done) AS d (id));
  IF is_last OR NOT refusing @> '[{"code":"HeldUp"}]' THEN
    UPDATE cairn.bulk_orders AS b SET refused = kept WHERE b.key = order_runs.key;
  END IF;
  RETURN QUERY SELECT r.* FROM json_to_recordset(kept) AS r (id uuid, code text, status text, detail text);
END $$;

-- Whether a value contains JSON, as jsonb means it. What jsonb cannot hold (NUL, half of a surrogate pair, a number with too many digits)
-- contains nothing.
CREATE FUNCTION cairn.contains_json(stored json, wanted jsonb) RETURNS boolean
LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN stored::text::jsonb @> wanted;
EXCEPTION WHEN data_exception OR program_limit_exceeded THEN
  RETURN false;
END $$;

CREATE VIEW cairn.workflow_run AS
SELECT r.id, r.namespace, r.type, r.version,
  CASE WHEN r.status = 'pending' AND q.state = 'held' THEN 'leased' ELSE r.status END AS status,
  r.priority, r.idempotency_key, r.payload, CASE WHEN r.status <> 'pending' THEN r.result END AS result,
  CASE WHEN r.status <> 'pending' THEN r.error END AS error,
  CASE WHEN r.status <> 'pending' THEN r.last_error ELSE q.last_error END AS last_error,
  CASE WHEN r.status = 'pending' THEN coalesce(q.attempt, r.attempt) ELSE r.attempt END AS attempt, r.max_attempts,
  coalesce(q.wake_at, r.run_at) AS run_at, o.expires_at AS lease_until, o.address AS leased_by, r.created_at,
  greatest(r.created_at, q.started_at, r.started_at, r.ended_at, r.deleted_at) AS updated_at,
  r.deleted_at, r.delete_reason, q.phase, q.waiting_for, r.parent, r.tags, r.deadline,
  coalesce(r.started_at, q.started_at) AS started_at, r.ended_at,
  CASE WHEN r.status <> 'pending' THEN r.trace END AS trace, r.schedule, r.scheduled_for
FROM cairn.runs AS r
LEFT JOIN cairn.queue AS q ON q.run_id = r.id
LEFT JOIN cairn.owners AS o ON o.id = q.owner;

CREATE VIEW cairn.workflow_event AS
SELECT id, run_id AS workflow_id, kind AS event_type, data, at AS created_at FROM cairn.run_events;

CREATE VIEW cairn.outbox_event AS
SELECT id, run_id AS aggregate_id, type AS event_type, data AS payload, created_at, published_at FROM cairn.outbox_events;
