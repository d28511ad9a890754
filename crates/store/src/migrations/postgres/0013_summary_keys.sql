-- Summaries of different resources may have the same id, such as a sleep and its cycle.
ALTER TABLE summaries
    DROP CONSTRAINT summaries_user_row_summary_id_key,
    ADD UNIQUE (user_row, resource, summary_id);
