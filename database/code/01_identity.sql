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

-- The human who acts, whichever account they act for.
create function app.person_id() returns uuid
language sql stable set search_path = ''
return coalesce(nullif(app.claims() ->> 'person', ''), nullif(app.claims() ->> 'sub', ''))::uuid;

-- The role in the account that the request acts for: everybody owns their own.
create function app.acting_role() returns text
language sql stable set search_path = ''
return case when app.claims() ->> 'person' is null then 'owner' else app.claims() ->> 'member_role' end;

-- The caller may speak for this account only; anything else is 42501, which the table door answers as 403.
create function app.require_self(account uuid) returns void
language plpgsql stable set search_path = '' as $$
begin
  if app.claims() ->> 'role' = 'service_role' then return; end if;
  if account is null or account is distinct from app.current_user_id() then
    raise insufficient_privilege using message = 'permission denied: this is not your account';
  end if;
end $$;

-- Trims the columns that the trigger names, as the forms do: their CHECKs do not count surrounding blanks, and so would
-- allow any number of them.
create function app.trim_texts() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  return jsonb_populate_record(new, (
    select jsonb_object_agg(c.name, app.trimmed(to_jsonb(new) ->> c.name)) from unnest(tg_argv) as c (name)));
end $$;

grant execute on function app.is_looked_up(text, text) to authenticated;
grant execute on function app.acting_role(), app.person_id()
  to anon, authenticated, hoplet_auth, hoplet_billing, hoplet_visits, hoplet_worker, service_role;
grant execute on function
  app.lookup_key(text)
  to anon, authenticated, hoplet_auth, hoplet_billing, hoplet_visits, hoplet_worker, service_role;
