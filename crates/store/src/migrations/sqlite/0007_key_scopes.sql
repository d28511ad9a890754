-- What the owner of a key may do: names separated by spaces. Keys of earlier versions read.
ALTER TABLE keys ADD COLUMN scopes TEXT NOT NULL DEFAULT 'read';
