-- The source of a chunk of a pull, and the hash of what came last as that chunk with the time zone that its times were read in. Chunks
-- of complete pulls stay, without their values. Of those that came before, neither is known.
ALTER TABLE pull_chunks ADD COLUMN source TEXT;
ALTER TABLE pull_chunks ADD COLUMN hash BLOB;
