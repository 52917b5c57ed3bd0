-- What upgrades and restores need to know of owners, and of the database itself.

-- What an owner writes: the lowest format that any live owner understands.
ALTER TABLE cairn.owners ADD COLUMN written_format smallint NOT NULL DEFAULT 1;

-- Which past this database has: one row. Restored from a backup it gets another one, and whoever belongs to the past that
-- was lost is known by it. Null of owners that were there before this.
CREATE TABLE cairn.incarnation (
  id uuid NOT NULL,
  since timestamptz NOT NULL
);
CREATE UNIQUE INDEX incarnation_is_one ON cairn.incarnation ((true));
INSERT INTO cairn.incarnation (id, since) VALUES (gen_random_uuid(), cairn.now());
ALTER TABLE cairn.owners ADD COLUMN incarnation uuid;
