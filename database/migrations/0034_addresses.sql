-- Addresses with the characters of the HTML standard's pattern, and people who come back after they unsubscribed.

-- A mailto: address with nothing behind it: a '?' would start headers, such as a bcc to someone else. Escapes are those of
-- characters that a mailbox may have and an address may not: # % & ? ^ and the grave accent.
create or replace function app.is_mail_address(url text) returns boolean
language sql immutable set search_path = '' as $$
  select url ~* '^mailto:([a-z0-9.!$''*+/=_{|}~-]|%(23|25|26|3f|5e|60)){1,200}@[a-z0-9-]+(\.[a-z0-9-]+)*$' and length(url) <= 320
$$;

-- When the last email asked for a confirmation.
alter table app.leads add asked_at timestamptz;

-- A person who unsubscribed and gives the address again has a second row until the confirmation.
drop index app.leads_once;
create unique index leads_once on app.leads (popup_id, lower(email)) where popup_id is not null and state <> 'unsubscribed';
