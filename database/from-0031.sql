-- Brings the tables of a database with the former migrations (former-migrations.json), of which at least the first 31 are
-- complete, to those of the present ones.
alter table auth.oauth_clients add column if not exists document_url text unique check (length(document_url) <= 500);
alter table auth.oauth_consents
  add column if not exists resources text[] not null default '{}' check (cardinality(resources) <= 10);
alter table auth.oauth_authorizations add column if not exists origin text check (length(origin) <= 64);
create index if not exists oauth_authorizations_pending on auth.oauth_authorizations (client_id, origin, created_at)
  where status = 'pending';
create index if not exists sessions_newest on auth.sessions (user_id, refreshed_at desc);
drop index if exists auth.sessions_user_id;

-- Not valid: the rows that are there satisfied less, and a look at each of them would hold up the clicks.
do $$
declare
  events regclass;
begin
  foreach events in array '{app.click_events,app.popup_events}'::regclass[] loop
    execute format('alter table %s drop constraint %I', events, (select c.conname from pg_constraint c
      where c.conrelid = events and c.contype = 'c' and pg_get_constraintdef(c.oid) ~ 'verdict'));
    execute format('alter table %s add check (verdict in (''c'', ''r'', ''o'', ''h'', ''f'', ''p'', ''b'', ''m'', ''g'')) not valid',
      events);
  end loop;
end $$;
alter table app.click_incidents add column if not exists account integer;
alter table app.click_incidents drop constraint if exists click_incidents_check, drop constraint click_incidents_kind_check,
  add check (kind in ('clock', 'replay', 'sources')), add check ((kind = 'sources') = (account is not null));
