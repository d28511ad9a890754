-- What the owner of a key may do: names separated by spaces. Keys of earlier versions read.
ALTER TABLE keys ADD COLUMN scopes text COLLATE "C" NOT NULL DEFAULT 'read';
