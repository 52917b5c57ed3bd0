-- Secrets, in envelope encryption (AES-256-GCM): each is encrypted by a data key, and data keys by a master key that no table has.
--
-- A data key may have several rows: the same key, wrapped by different master keys, so that processes with the old and with the new one
-- work side by side while master keys are changed. One that is retired encrypts nothing any more: whoever encrypts reads the row of its key
-- FOR SHARE, so that retiring it waits, and nothing is encrypted by it afterwards.
--
-- Lock order: data_keys before secrets and signing_keys, secrets before subscriptions.

CREATE TABLE cairn.data_keys (
  id uuid NOT NULL,
  -- Which master key wraps it: a digest of that key, from which nobody comes back to it.
  master_key text NOT NULL,
  -- Nonce, encrypted key, tag.
  wrapped bytea NOT NULL CHECK (length(wrapped) = 60),
  -- The later the master key came into use, the higher, the same in all rows of it: whoever has an earlier one removes nothing of a later one.
  master_order bigint NOT NULL CHECK (master_order >= 1),
  created_at timestamptz NOT NULL,
  retired_at timestamptz,
  PRIMARY KEY (id, master_key)
);

CREATE TABLE cairn.secrets (
  namespace text NOT NULL,
  name text NOT NULL,
  -- Counts what was set; it is part of what is authenticated, with namespace and name.
  version bigint NOT NULL CHECK (version >= 1),
  data_key uuid NOT NULL,
  -- Nonce, encrypted value, tag.
  sealed bytea NOT NULL,
  changed_at timestamptz NOT NULL,
  -- Who has set it, for people.
  changed_by text NOT NULL,
  PRIMARY KEY (namespace, name)
);

-- That of a master key, or of one that comes into use now. For whoever has locked the table.
CREATE FUNCTION cairn.master_order_of(master text) RETURNS bigint
LANGUAGE sql STABLE AS $$
  SELECT coalesce((SELECT k.master_order FROM cairn.data_keys AS k WHERE k.master_key = master LIMIT 1),
    (SELECT max(k.master_order) + 1 FROM cairn.data_keys AS k), 1)
$$;

-- Adds a data key, wrapped by some master keys, and retires the others. Of several processes that want to add the first one, one does. False: it is not added,
-- since there are some already, or, for a further one, since those that are in use are wrapped by a master key that this one is not. The first of the
-- master keys is the one to stay.
CREATE FUNCTION cairn.add_data_key(key uuid, masters text[], wraps bytea[], is_first boolean) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
  place integer;
BEGIN
  LOCK TABLE cairn.data_keys IN SHARE ROW EXCLUSIVE MODE;
  IF is_first AND EXISTS (SELECT FROM cairn.data_keys) THEN
    RETURN false;
  END IF;
  IF EXISTS (SELECT FROM cairn.data_keys AS k WHERE k.retired_at IS NULL AND k.master_key <> ALL (masters)) THEN
    RETURN false;
  END IF;
  -- Here and nowhere else, so that of two rotations at a time one has the last word, and one key is always in use.
  UPDATE cairn.data_keys SET retired_at = cairn.now() WHERE retired_at IS NULL;
  FOR place IN REVERSE cardinality(masters) .. 1 LOOP
    INSERT INTO cairn.data_keys (id, master_key, wrapped, master_order, created_at)
      VALUES (key, masters[place], wraps[place], cairn.master_order_of(masters[place]), cairn.now());
  END LOOP;
  RETURN true;
END $$;

-- Wraps a data key by one more master key. False: it was already.
CREATE FUNCTION cairn.wrap_data_key(key uuid, master text, wrap bytea) RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
  LOCK TABLE cairn.data_keys IN SHARE ROW EXCLUSIVE MODE;
  INSERT INTO cairn.data_keys (id, master_key, wrapped, master_order, created_at, retired_at)
    SELECT k.id, master, wrap, cairn.master_order_of(master), k.created_at, k.retired_at FROM cairn.data_keys AS k WHERE k.id = key LIMIT 1
    ON CONFLICT DO NOTHING;
  RETURN FOUND;
END $$;

-- Whoever has two master keys says which of them takes the place of the other: also if that is one which was in use before.
CREATE FUNCTION cairn.prefer_master_key(master text, replaced text[]) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  LOCK TABLE cairn.data_keys IN SHARE ROW EXCLUSIVE MODE;
  UPDATE cairn.data_keys AS k SET master_order = (SELECT max(every.master_order) + 1 FROM cairn.data_keys AS every)
    WHERE k.master_key = master AND EXISTS (
      SELECT FROM cairn.data_keys AS other WHERE other.master_key = ANY (replaced) AND other.master_order > k.master_order
    );
END $$;

-- Removes what other master keys wrap, where this one wraps it too: a row for each, which says by which. Nothing, if one of them came later.
CREATE FUNCTION cairn.drop_other_wraps(master text) RETURNS TABLE (dropped text)
LANGUAGE plpgsql AS $$
BEGIN
  LOCK TABLE cairn.data_keys IN SHARE ROW EXCLUSIVE MODE;
  IF EXISTS (SELECT FROM cairn.data_keys AS k WHERE k.master_order > cairn.master_order_of(master)) THEN
    RETURN;
  END IF;
  RETURN QUERY DELETE FROM cairn.data_keys AS k WHERE k.master_key <> master
    AND EXISTS (SELECT FROM cairn.data_keys AS mine WHERE mine.id = k.id AND mine.master_key = master) RETURNING k.master_key;
END $$;

-- Tokens with which a signal can be sent once are signed with these. Where a control plane has a master key they are encrypted as secrets are; else
-- they are plain. One that is retired signs nothing any more: what it has signed is valid until it expires, or the key is removed.
CREATE TABLE cairn.signing_keys (
  -- Stands in tokens.
  id text PRIMARY KEY CHECK (id ~ '^[0-9a-f]{12}$'),
  plain bytea CHECK (octet_length(plain) = 32),
  data_key uuid,
  -- Nonce, encrypted key, tag.
  sealed bytea CHECK (octet_length(sealed) = 60),
  created_at timestamptz NOT NULL,
  retired_at timestamptz,
  CHECK ((plain IS NULL) = (sealed IS NOT NULL) AND (sealed IS NULL) = (data_key IS NULL))
);
CREATE UNIQUE INDEX signing_key_in_use ON cairn.signing_keys ((true)) WHERE retired_at IS NULL;

-- Adds a signing key, plain or encrypted by a data key that is in use, and retires the one from before. Those that were retired longer ago than `kept`
-- are removed; with null, all. False: it is not added, since there is one already, or its data key was retired meanwhile, or it is plain beside others
-- that are not.
CREATE FUNCTION cairn.add_signing_key(
  key text, plain_key bytea, master text, sealed_by uuid, sealed_key bytea, is_first boolean, kept interval
) RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
  IF sealed_by IS NOT NULL THEN
    PERFORM FROM cairn.data_keys AS k WHERE k.id = sealed_by AND k.master_key = master AND k.retired_at IS NULL FOR SHARE;
    IF NOT FOUND THEN
      RETURN false;
    END IF;
  END IF;
  LOCK TABLE cairn.signing_keys IN SHARE ROW EXCLUSIVE MODE;
  IF EXISTS (SELECT FROM cairn.signing_keys AS s WHERE is_first OR (sealed_by IS NULL AND s.sealed IS NOT NULL)) THEN
    RETURN false;
  END IF;
  UPDATE cairn.signing_keys SET retired_at = cairn.now() WHERE retired_at IS NULL;
  DELETE FROM cairn.signing_keys WHERE kept IS NULL OR retired_at < cairn.now() - kept;
  INSERT INTO cairn.signing_keys (id, plain, data_key, sealed, created_at)
    VALUES (key, plain_key, sealed_by, sealed_key, cairn.now());
  RETURN true;
END $$;
