-- Summaries of all resources are found by the id that the provider has for them: notices of providers name it. Of activity and body,
-- it is there.
UPDATE summaries SET provider_id = document ->> '$.provider_id'
    WHERE provider_id IS NULL AND json_type(document, '$.provider_id') = 'text'
        AND octet_length(document ->> '$.provider_id') <= 1000;
DROP INDEX summaries_by_provider_id;
CREATE INDEX summaries_by_provider_id ON summaries (user_row, resource, provider_id) WHERE provider_id IS NOT NULL;
