-- Three schemas: `auth` (accounts and sessions), `app` (base tables and rules), `api` (all that the table door sees).
-- Everything is owned by hoplet_owner, a role that nobody logs in as. Row security is forced, so even the owner
-- needs a policy; the roles themselves are made by server/postgres/roles.ts before the first migration.

alter default privileges revoke execute on functions from public;

create schema auth;
create schema app;
create schema api;
create schema extensions;

grant usage on schema auth to hoplet_auth;
grant usage on schema app to hoplet_auth, hoplet_visits, hoplet_worker;
grant usage on schema api to anon, authenticated, service_role;

-- Who is asking. The claims are set for the transaction by transactionAs(role, claims, …).
create function app.claims() returns jsonb
language sql stable set search_path = '' as $$
  select coalesce(nullif(current_setting('request.jwt.claims', true), '')::jsonb, '{}'::jsonb)
$$;

-- (A body in standard form is bound when it is made; a quoted one would look up `app` with the caller's rights.)
create function app.current_user_id() returns uuid
language sql stable set search_path = ''
return nullif(app.claims() ->> 'sub', '')::uuid;

-- A public look-up names the row it wants: the table door puts '<relation>:<key>' here, and the row policies
-- disclose that row only. Listing other people's rows is impossible even if the door had a hole.
create function app.lookup_key(relation text) returns text
language sql stable set search_path = '' as $$
  select case
    when starts_with(current_setting('hoplet.lookup', true), relation || ':')
      then substr(current_setting('hoplet.lookup', true), length(relation) + 2)
  end
$$;

-- Trigram search needs two contrib modules that every managed PostgreSQL has; without them search still
-- works, only slower (migration 0005 makes the index when they are there).
do $$
begin
  create extension if not exists pg_trgm schema extensions;
  create extension if not exists btree_gin schema extensions;
exception when others then
  raise notice 'pg_trgm or btree_gin is not available: link search will scan (%)', sqlerrm;
end $$;

grant execute on function app.claims(), app.current_user_id(), app.lookup_key(text)
  to anon, authenticated, service_role, hoplet_auth, hoplet_visits, hoplet_worker;
