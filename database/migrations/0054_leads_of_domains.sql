-- The place of a lead on a domain is a host and a name. Each row meets the narrower rule from before, so none is read again.
alter table app.leads drop constraint leads_row,
  add constraint leads_row check (length(email) between 3 and 254 and length(consent_text) <= 500 and length(code) <= 304
    and length(source) <= 100 and state in ('pending', 'confirmed', 'unsubscribed')) not valid;
