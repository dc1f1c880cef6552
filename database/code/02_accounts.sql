-- A role that a claim gave is good in sessions with claims that still count (docs/decisions/0068).
create function app.has_admin_role() returns boolean
language sql stable security definer set search_path = '' as $$
  select exists (select 1 from app.user_roles r where r.user_id = app.current_user_id() and r.role = 'admin'
    and (r.claim_provider is null or exists (select 1 from auth.sessions s
      where s.id = nullif(app.claims() ->> 'session_id', '')::uuid and s.user_id = r.user_id and s.claims_until > now())))
$$;

-- An app or API key of an admin has the rights of any owner (docs/decisions/0062).
create function app.is_admin() returns boolean
language sql stable security definer set search_path = '' as $$
  select app.claims() ->> 'client_id' is null and app.has_admin_role()
$$;

-- Admins, and the service itself, have the rights of every owner.
create function app.is_admin_or_service() returns boolean
language sql stable security definer set search_path = '' as $$
  select coalesce(app.claims() ->> 'role' = 'service_role', false) or app.is_admin()
$$;

-- For functions of admins; anybody else gets 42501, which the table door answers as 403.
create function app.require_admin() returns void
language plpgsql stable security definer set search_path = '' as $$
begin
  if not app.is_admin_or_service() then
    raise insufficient_privilege using message = 'permission denied: this is for admins';
  end if;
end $$;

-- One role row per person: inserting the other role replaces the row, so that a demotion demotes. Only admins write it
-- (anyone else who tries learns nothing), soon after a sign-in, with a line in the audit log. The last admin stays.
create function app.before_role_write() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  account uuid := case tg_op when 'DELETE' then old.user_id else new.user_id end;
  role_before text;
  role_after text := case when tg_op <> 'DELETE' then new.role end;
begin
  -- Deeper down an account comes or goes.
  if app.claims() ->> 'role' = 'authenticated' and pg_trigger_depth() = 1 then perform app.require_admin(); end if;
  -- Two admins who demote each other queue here. A sign-up takes no lock.
  if role_after = 'admin' or (tg_op <> 'INSERT' and old.role = 'admin') then
    perform pg_advisory_xact_lock(hashtextextended('hoplet.user_roles', 0));
  end if;
  if tg_op <> 'INSERT' and old.role = 'admin'
      and (tg_op = 'DELETE' or new.role <> 'admin' or new.user_id <> old.user_id)
      and not exists (select 1 from app.user_roles r where r.role = 'admin' and r.user_id <> old.user_id) then
    raise exception using errcode = 'P0001', message = 'The last admin cannot be removed or demoted.';
  end if;
  -- Deeper down it is an account that comes or goes, or the row that an insert replaces.
  if pg_trigger_depth() = 1 then
    role_before := case tg_op when 'INSERT' then (select r.role from app.user_roles r where r.user_id = new.user_id)
      else old.role end;
    if role_after is distinct from role_before or (tg_op = 'UPDATE' and new.user_id <> old.user_id) then
      perform app.require_recent_sign_in();
      if role_after = 'admin' and exists (select from auth.users u where u.id = account and u.kind = 'space') then
        raise exception using errcode = 'P0001', message = 'Only a person can be an admin.';
      end if;
      if role_after = 'admin' and app.is_blocked_user(account) then
        raise exception using errcode = 'P0001', message = 'A blocked user cannot be an admin.';
      end if;
      if app.is_admin_act() then
        perform app.audit('role.change', 'user', account::text,
          jsonb_build_object('role', role_before), jsonb_build_object('role', role_after));
      end if;
    end if;
  end if;
  if tg_op = 'INSERT' then
    delete from app.user_roles r where r.user_id = new.user_id and r.role <> new.role;
  end if;
  if role_after = 'user' then new.claim_provider := null; end if;
  return case tg_op when 'DELETE' then old else new end;
end $$;
create trigger before_write before insert or update or delete on app.user_roles
  for each row execute function app.before_role_write();

create function app.trim_display_name() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  new.display_name := nullif(app.trimmed(new.display_name), '');
  return new;
end $$;
create trigger trim before insert or update of display_name on app.profiles
  for each row execute function app.trim_display_name();

-- Takes display name and referrer from the metadata of a sign-up: of the first one, or of one that starts the account
-- over.
create function app.take_sign_up(account uuid) returns void
language plpgsql security definer set search_path = '' as $$
declare
  person auth.users;
begin
  select * into strict person from auth.users u where u.id = account;
  insert into app.profiles (id, email, display_name)
    values (account, person.email, left(app.trimmed(person.user_metadata ->> 'display_name'), 100))
    on conflict (id) do update set display_name = excluded.display_name;
  if person.user_metadata ? 'referral_code' then
    perform app.record_referral(account, left(person.user_metadata ->> 'referral_code', 64));
  end if;
end $$;

-- An account starts complete: profile, plan free, usage, role user. Nothing in its metadata grants anything.
create function app.after_account_insert() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform app.take_sign_up(new.id);
  insert into app.user_plans (user_id) values (new.id);
  insert into app.user_usage (user_id) values (new.id);
  insert into app.user_roles (user_id) values (new.id);
  return new;
end $$;
create trigger after_insert after insert on auth.users
  for each row execute function app.after_account_insert();

create function app.after_account_email_change() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  update app.profiles set email = new.email where id = new.id;
  return new;
end $$;
create trigger after_email_change after update of email on auth.users
  for each row execute function app.after_account_email_change();

-- The links go first, so that no popup is taken off each of them before. Their triggers leave it to this: counters and
-- webhooks end with the account, and its names are released at once. Locks in the order in which deleting a link
-- does (link, then name); the cascades would take the opposite order.
create function app.before_account_delete() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform 1 from app.shortened_urls s where s.user_id = old.id order by s.id for update;
  perform pg_notify('hoplet_names', n.name) from app.names n where n.owner_id = old.id and n.released_at is null;
  delete from app.names n using app.shortened_urls s
    where n.owner_id = old.id and s.short_code = coalesce(n.alias_of, n.name) and s.click_count = 0;
  update app.names n set owner_id = null, alias_of = null, released_at = coalesce(n.released_at, now())
    where n.owner_id = old.id;
  delete from app.shortened_urls s where s.user_id = old.id;
  return old;
end $$;
create trigger before_delete before delete on auth.users
  for each row execute function app.before_account_delete();

-- Deleting a profile is how an admin deletes a person: the account, its sessions and its links go with it.
create function app.after_profile_delete() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  delete from auth.users where id = old.id;
  return old;
end $$;
create trigger after_delete after delete on app.profiles
  for each row execute function app.after_profile_delete();

create policy service_all on app.profiles to service_role using (true) with check (true);
create policy service_all on app.user_roles to service_role using (true) with check (true);
create policy own_or_admin_read on app.profiles for select to authenticated
  using (id = (select app.current_user_id()) or (select app.is_admin()));
create policy own_or_admin_update on app.profiles for update to authenticated
  using (id = (select app.current_user_id()) or (select app.is_admin()))
  with check (id = (select app.current_user_id()) or (select app.is_admin()));
create policy admin_delete on app.profiles for delete to authenticated using ((select app.is_admin()));
create policy own_or_admin_read on app.user_roles for select to authenticated
  using (user_id = (select app.current_user_id()) or (select app.is_admin()));
create policy admin_insert on app.user_roles for insert to authenticated with check ((select app.is_admin()));
create policy admin_update on app.user_roles for update to authenticated
  using ((select app.is_admin())) with check ((select app.is_admin()));
create policy worker_read on app.profiles for select to hoplet_worker using (true);
create policy worker_all on app.user_roles to hoplet_worker using (true) with check (true);
create policy billing_read on app.profiles for select to hoplet_billing using (true);

-- A changed display name leaves a security event, whether the person or an admin changed it. The auth door clears names
-- together with accounts and records that itself.
create function app.record_display_name() returns trigger
language plpgsql volatile security definer set search_path = '' as $$
begin
  if app.claims() ->> 'role' = 'hoplet_auth' then return null; end if;
  insert into auth.security_events (user_id, event, facts) values (new.id, 'display name changed', jsonb_build_object(
    'by', case
      when app.current_user_id() = new.id then 'self'
      when app.claims() ->> 'role' = 'authenticated' then 'admin'
      else 'operator' end,
    'request_id', nullif(current_setting('hoplet.request_id', true), '')));
  return null;
end $$;
create trigger record_display_name after update of display_name on app.profiles
  for each row when (old.display_name is distinct from new.display_name) execute function app.record_display_name();

create view api.profiles with (security_invoker = true) as
  select id, email, display_name, created_at, time_zone, label_settings from app.profiles;

create view api.user_roles with (security_invoker = true) as
  select user_id, role from app.user_roles;

-- Names for any machine: the files of PostgreSQL's own one have other names beside them, which other programs do not know.
create function app.time_zones() returns setof text
language sql stable set search_path = '' as $$
  select z.name from pg_catalog.pg_timezone_names z
  where z.name !~ '^(posix|right)/' and z.name not in ('localtime', 'posixrules', 'Factory')
$$;

-- After a restore or on another machine PostgreSQL may not know a zone that it knew: statements over all accounts would
-- fail. Such an account is back in UTC. The names are read only when an account has a zone.
create function app.forget_unknown_time_zones() returns integer
language sql volatile security definer set search_path = '' as $$
  with forgotten as (
    update app.profiles set time_zone = null
    where time_zone is not null and time_zone not in (select z from app.time_zones() z) returning id)
  select count(*)::integer from forgotten
$$;

create function api.set_time_zone(_zone text) returns void
language plpgsql volatile security definer set search_path = '' as $$
begin
  if not exists (select from app.time_zones() z where z = _zone) then
    raise exception 'Unknown time zone' using errcode = '22023';
  end if;
  update app.profiles set time_zone = _zone where id = app.current_user_id() and time_zone is distinct from _zone;
end $$;

-- Descriptions for GET /rest/v1/.
comment on view api.profiles is 'Display names and email addresses: your own, and for admins everyone''s.';
comment on column api.profiles.label_settings is
  'format, dx and dy of your last sheet of QR codes, in at most 200 bytes';
comment on view api.user_roles is 'Which roles an account has.';
comment on function api.set_time_zone(text) is 'Sets the time zone of your reports.';

-- True for the first account of a server that has no admin: its owner is told the command that makes one.
create function api.needs_admin() returns boolean
language sql stable security definer set search_path = '' as $$
  select case when exists (select from app.user_roles r where r.role = 'admin') then false
    else app.current_user_id() = (select p.id from app.profiles p order by p.created_at, p.id limit 1) end
$$;

comment on function api.needs_admin() is 'Whether this server has no admin yet and yours is its first account.';

grant execute on function api.needs_admin() to authenticated;
grant execute on function api.set_time_zone(text) to authenticated, service_role;
grant execute on function app.take_sign_up(uuid) to hoplet_auth;
grant execute on function app.is_admin(), app.is_admin_or_service() to anon, authenticated, service_role;

grant select, insert, update, delete on api.profiles to authenticated, service_role;
grant select, insert, update, delete on api.user_roles to authenticated, service_role;
