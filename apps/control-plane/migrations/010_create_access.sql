-- Who may ask.
--
-- A key is shown once, when it is made; what is here is its hash, by which it is found. It has 256 bits of chance, so a plain SHA-256 says
-- nothing of it. Of a key that is revoked or expired the row stays: what was done with it is told by its name.
-- A session is what a browser has instead of a key. It ends with the key, or with the token of a control plane's settings, that it was
-- opened with: of the latter there is a proof, made with the session's own secret, which is not here either.
--
-- Lock order: as before; keys, then sessions.

CREATE TABLE cairn.api_keys (
  id uuid PRIMARY KEY,
  -- The only one that it is for; null: all.
  namespace text,
  name text NOT NULL,
  -- The part of it that people are shown.
  prefix text NOT NULL,
  hash bytea NOT NULL UNIQUE CHECK (octet_length(hash) = 32),
  scopes text[] NOT NULL CHECK (cardinality(scopes) > 0 AND scopes <@ ARRAY['read', 'operate', 'admin', 'worker']),
  created_at timestamptz NOT NULL,
  created_by text NOT NULL,
  expires_at timestamptz,
  revoked_at timestamptz,
  -- Once a minute at most.
  last_used_at timestamptz
) WITH (fillfactor = 80);

CREATE FUNCTION cairn.is_living_key(revoked_at timestamptz, expires_at timestamptz) RETURNS boolean
LANGUAGE sql VOLATILE AS $$ SELECT revoked_at IS NULL AND (expires_at IS NULL OR expires_at > cairn.now()) $$;

CREATE TABLE cairn.sessions (
  hash bytea PRIMARY KEY CHECK (octet_length(hash) = 32),
  key_id uuid REFERENCES cairn.api_keys (id) ON DELETE CASCADE,
  token_proof bytea,
  -- Which of the tokens it may be: the few letters of its name. For counting, not for finding it.
  token_mark text,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  CHECK ((key_id IS NULL) <> (token_proof IS NULL)),
  CHECK ((token_mark IS NULL) = (token_proof IS NULL))
);

CREATE INDEX sessions_by_key ON cairn.sessions (key_id) WHERE key_id IS NOT NULL;
CREATE INDEX sessions_by_mark ON cairn.sessions (token_mark) WHERE token_mark IS NOT NULL;
CREATE INDEX sessions_over ON cairn.sessions (expires_at);

-- Which large values callers of one namespace may read, or name in what they send: those that they were sent, or have put themselves. Others are found
-- by what they are, in all namespaces. It is a matter of hours: what is old is removed, and written anew when it is sent again.
CREATE TABLE cairn.blob_readers (
  namespace text NOT NULL,
  digest bytea NOT NULL CHECK (octet_length(digest) = 32),
  granted_at timestamptz NOT NULL,
  PRIMARY KEY (namespace, digest)
);
CREATE INDEX blob_readers_over ON cairn.blob_readers (granted_at);
