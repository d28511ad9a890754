-- Whether the service derived the id of a summary. Of those that were stored before, it is not known until they change.
ALTER TABLE summaries ADD COLUMN derived_id INTEGER;
-- The id that the provider has for it.
ALTER TABLE summaries ADD COLUMN provider_id TEXT;
UPDATE summaries SET provider_id = document ->> '$.provider_id'
    WHERE resource IN ('activity', 'body') AND json_type(document, '$.provider_id') = 'text'
        AND octet_length(document ->> '$.provider_id') <= 1000;
CREATE INDEX summaries_by_session ON summaries (user_row, resource, ends, starts);
CREATE INDEX summaries_by_provider_id ON summaries (user_row, resource, provider_id)
    WHERE resource IN ('activity', 'body');
