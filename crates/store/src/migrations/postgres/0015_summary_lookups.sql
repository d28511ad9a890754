-- Whether the service derived the id of a summary. Of those that were stored before, it is not known until they change.
ALTER TABLE summaries
    ADD COLUMN derived_id bigint,
    -- The id that the provider has for it.
    ADD COLUMN provider_id text COLLATE "C";
-- PostgreSQL reads no document that has the character NUL, and looks up no long id.
UPDATE summaries SET provider_id = document::json ->> 'provider_id'
    WHERE resource IN ('activity', 'body') AND CASE
        WHEN document LIKE '%\\u0000%' THEN false
        ELSE json_typeof(document::json -> 'provider_id') = 'string'
            AND octet_length(document::json ->> 'provider_id') <= 1000
    END;
CREATE INDEX summaries_by_session ON summaries (user_row, resource, ends, starts);
CREATE INDEX summaries_by_provider_id ON summaries (user_row, resource, provider_id)
    WHERE resource IN ('activity', 'body');
