-- The schemas, who may use them, and how SQL learns on whose behalf it runs.
--
-- `auth` holds accounts and sessions, `app` the base tables and their rules, `api` what the table door serves.
-- Everything is owned by hoplet_owner, which cannot log in. server/postgres/roles.ts creates the roles before the
-- first migration. Row security is forced on every table of `app`, so that even the owner needs a policy.
--
-- Each of the following files holds one subject: its tables, then its functions and triggers, then who may read and
-- write which rows. 0013_api.sql holds the views and the procedures that clients call.

alter default privileges revoke execute on functions from public;

create schema auth;
create schema app;
create schema api;
create schema extensions;

grant usage on schema auth to hoplet_auth, authenticated;
grant usage on schema app to hoplet_auth, hoplet_visits, hoplet_worker, hoplet_billing;
grant usage on schema api to anon, authenticated, service_role;

-- The claims of the verified token. transactionAs() in server/postgres/database.ts sets them for one transaction.
create function app.claims() returns jsonb
language sql stable set search_path = '' as $$
  select coalesce(nullif(current_setting('request.jwt.claims', true), '')::jsonb, '{}'::jsonb)
$$;

-- In standard form (`return`), such a body is bound when the function is created. A quoted body would look up `app`
-- with the rights of the caller, and the API roles have none there.
create function app.current_user_id() returns uuid
language sql stable set search_path = ''
return nullif(app.claims() ->> 'sub', '')::uuid;

-- A public look-up names the one row it wants: the table door puts '<relation>:<key>' here, and the row policies
-- disclose that row only. Listing the rows of other people is impossible even if the door had a hole.
create function app.lookup_key(relation text) returns text
language sql stable set search_path = '' as $$
  select case
    when starts_with(current_setting('hoplet.lookup', true), relation || ':')
      then substr(current_setting('hoplet.lookup', true), length(relation) + 2)
  end
$$;

-- The same as a condition that no index serves, for the policies of people, who mostly list their own rows: with
-- `column = app.lookup_key(…)` the planner would combine two indexes and sort all rows of the owner for each page.
-- (In standard form, because the API roles cannot name `app.lookup_key` themselves.)
create function app.is_looked_up(relation text, key text) returns boolean
language sql stable set search_path = ''
return is_looked_up.key = app.lookup_key(relation);

grant execute on function app.is_looked_up(text, text) to authenticated;
grant execute on function app.claims(), app.current_user_id(), app.lookup_key(text)
  to anon, authenticated, service_role, hoplet_auth, hoplet_visits, hoplet_worker, hoplet_billing;

-- Trigram search needs two contrib modules that every managed PostgreSQL has. Without them search still works, only
-- slower: the indexes that need them are skipped (0002 and 0007).
do $$
begin
  create extension if not exists pg_trgm schema extensions;
  create extension if not exists btree_gin schema extensions;
exception when others then
  raise notice 'pg_trgm or btree_gin is not available: link search will scan (%)', sqlerrm;
end $$;

-- Days are UTC days by the clock of the database, for every quota.
create function app.today() returns date
language sql stable set search_path = '' as $$ select (now() at time zone 'utc')::date $$;
grant execute on function app.today() to authenticated, service_role, hoplet_worker;
