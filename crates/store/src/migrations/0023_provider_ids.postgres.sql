-- Summaries of all resources are found by the id that the provider has for them: notices of providers name it. Of activity and body,
-- it is there. PostgreSQL reads no document that has the character NUL, and looks up no long id.
UPDATE summaries SET provider_id = document::json ->> 'provider_id'
    WHERE provider_id IS NULL AND CASE
        WHEN document LIKE '%\\u0000%' THEN false
        ELSE json_typeof(document::json -> 'provider_id') = 'string'
            AND octet_length(document::json ->> 'provider_id') <= 1000
    END;
DROP INDEX summaries_by_provider_id;
CREATE INDEX summaries_by_provider_id ON summaries (user_row, resource, provider_id) WHERE provider_id IS NOT NULL;
