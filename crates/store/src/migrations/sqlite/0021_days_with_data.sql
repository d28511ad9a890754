-- Whether there are values of a day. It was assumed of all days that an arrival named, of whatever days its values were. Of those
-- between summaries, these tell. Before the first one, they may have gone because of their age.
ALTER TABLE days ADD COLUMN has_data INTEGER NOT NULL DEFAULT 1;
UPDATE days SET has_data = 0
    WHERE day > (SELECT min(day) FROM summaries AS stored WHERE stored.user_row = days.user_row
            AND stored.resource = days.resource AND stored.provider = days.provider)
        AND NOT EXISTS (SELECT 1 FROM summaries AS stored WHERE stored.user_row = days.user_row
            AND stored.resource = days.resource AND stored.day = days.day AND stored.provider = days.provider);
