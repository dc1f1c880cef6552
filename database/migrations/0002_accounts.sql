-- Accounts: the sign-in account in `auth`, its profile and its role in `app`. Only hoplet_auth reads or writes `auth`;
-- the table door never sees it.

create table auth.users (
  id uuid primary key default gen_random_uuid(),
  email text unique check (email = lower(email) and length(email) between 3 and 320),
  encrypted_password text,
  email_confirmed_at timestamptz,
  last_sign_in_at timestamptz,
  banned_until timestamptz,
  user_metadata jsonb not null default '{}' check (jsonb_typeof(user_metadata) = 'object'),
  app_metadata jsonb not null default '{}' check (jsonb_typeof(app_metadata) = 'object'),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- Since when we know that email to the address reaches this person: by an emailed link or code, or by the word of a
  -- sign-in provider. An automatic confirmation proves nothing.
  email_proven_at timestamptz,
  new_email text check (new_email = lower(new_email) and length(new_email) between 3 and 320),
  -- Whether the old address has agreed to the change already.
  email_change_agreed boolean not null default false,
  -- Whether we know already that email to the new address reaches this person.
  email_change_proven boolean not null default false,
  phone text unique check (phone ~ '^[1-9][0-9]{6,14}$'),
  phone_confirmed_at timestamptz,
  confirmation_sent_at timestamptz,
  recovery_sent_at timestamptz,
  email_change_sent_at timestamptz,
  reauthentication_sent_at timestamptz,
  invited_at timestamptz
);
-- The admin API lists accounts, the newest first.
create index users_newest on auth.users (created_at desc, id desc);

create table auth.identities (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users on delete cascade,
  provider text not null,
  provider_id text not null,
  identity_data jsonb not null default '{}',
  last_sign_in_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (provider, provider_id)
);
create index identities_user_id on auth.identities (user_id);

grant select, insert, update, delete on auth.users, auth.identities to hoplet_auth;

create table app.profiles (
  id uuid primary key references auth.users on delete cascade,
  email text,
  display_name text check (length(display_name) <= 100),
  created_at timestamptz not null default now()
);
-- The admin's list of people: each order has its index, and the search another one where the contrib module exists.
create index profiles_created_at on app.profiles (created_at desc, id desc);
create index profiles_by_email on app.profiles (email, id);
create index profiles_by_name on app.profiles (lower(coalesce(display_name, '')), id);
do $$
begin
  if exists (select 1 from pg_extension where extname = 'pg_trgm') then
    create index profiles_search on app.profiles
      using gin ((coalesce(email, '') || E'\n' || coalesce(display_name, '')) extensions.gin_trgm_ops);
  end if;
end $$;

create table app.user_roles (
  user_id uuid primary key references auth.users on delete cascade,
  role text not null default 'user' check (role in ('user', 'admin')),
  unique (user_id, role)
);
create index user_roles_admins on app.user_roles (user_id) where role = 'admin';
create index user_roles_by_role on app.user_roles (role, user_id);

create function app.is_admin() returns boolean
language sql stable security definer set search_path = '' as $$
  select exists (select 1 from app.user_roles r where r.user_id = app.current_user_id() and r.role = 'admin')
$$;

-- For functions of admins; anybody else gets 42501, which the table door answers as 403.
create function app.require_admin() returns void
language plpgsql stable security definer set search_path = '' as $$
begin
  if app.claims() ->> 'role' = 'service_role' then return; end if;
  if not app.is_admin() then
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
  if app.claims() ->> 'role' = 'authenticated' then perform app.require_admin(); end if;
  -- Two admins who demote each other queue here. A sign-up takes no lock.
  if role_after = 'admin' or (tg_op <> 'INSERT' and old.role = 'admin') then
    perform pg_advisory_xact_lock(hashtextextended('hoplet.user_roles', 0));
  end if;
  if tg_op <> 'INSERT' and old.role = 'admin' and (tg_op = 'DELETE' or new.role <> 'admin' or new.user_id <> old.user_id)
      and not exists (select 1 from app.user_roles r where r.role = 'admin' and r.user_id <> old.user_id) then
    raise exception using errcode = 'P0001', message = 'The last admin cannot be removed or demoted.';
  end if;
  -- Deeper down it is an account that comes or goes, or the row that an insert replaces.
  if pg_trigger_depth() = 1 then
    role_before := case tg_op when 'INSERT' then (select r.role from app.user_roles r where r.user_id = new.user_id) else old.role end;
    if role_after is distinct from role_before or (tg_op = 'UPDATE' and new.user_id <> old.user_id) then
      perform app.require_recent_sign_in();
      if role_after = 'admin' and app.block_of(null, account, null) = 'user' then
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
  return case tg_op when 'DELETE' then old else new end;
end $$;
create trigger before_write before insert or update or delete on app.user_roles
  for each row execute function app.before_role_write();

-- An account starts complete: profile, plan free, usage, role user. Nothing in its metadata grants anything.
create function app.after_account_insert() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  insert into app.profiles (id, email, display_name)
    values (new.id, new.email, nullif(left(btrim(new.user_metadata ->> 'display_name'), 100), ''));
  insert into app.user_plans (user_id) values (new.id);
  insert into app.user_usage (user_id) values (new.id);
  insert into app.user_roles (user_id) values (new.id);
  if new.user_metadata ? 'referral_code' then
    perform app.record_referral(new.id, left(new.user_metadata ->> 'referral_code', 64));
  end if;
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

-- Locks in the order in which deleting a link does (link, then counter). The cascades would take the opposite order.
create function app.before_account_delete() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform 1 from app.shortened_urls s where s.user_id = old.id order by s.id for update;
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

-- Who may touch which row. People read their own; the admin's screens read and write all.
alter table app.profiles enable row level security;
alter table app.profiles force row level security;
create policy owner_all on app.profiles to hoplet_owner using (true) with check (true);
alter table app.user_roles enable row level security;
alter table app.user_roles force row level security;
create policy owner_all on app.user_roles to hoplet_owner using (true) with check (true);

grant select, insert, update, delete on app.profiles, app.user_roles to service_role;
create policy service_all on app.profiles to service_role using (true) with check (true);
create policy service_all on app.user_roles to service_role using (true) with check (true);

grant select (id, email, display_name, created_at), update (display_name), delete on app.profiles to authenticated;
create policy own_or_admin_read on app.profiles for select to authenticated
  using (id = (select app.current_user_id()) or (select app.is_admin()));
create policy own_or_admin_update on app.profiles for update to authenticated
  using (id = (select app.current_user_id()) or (select app.is_admin()))
  with check (id = (select app.current_user_id()) or (select app.is_admin()));
create policy admin_delete on app.profiles for delete to authenticated using ((select app.is_admin()));

grant select, insert (user_id, role), update (user_id, role) on app.user_roles to authenticated;
create policy own_or_admin_read on app.user_roles for select to authenticated
  using (user_id = (select app.current_user_id()) or (select app.is_admin()));
create policy admin_insert on app.user_roles for insert to authenticated with check ((select app.is_admin()));
create policy admin_update on app.user_roles for update to authenticated
  using ((select app.is_admin())) with check ((select app.is_admin()));

grant execute on function app.is_admin() to authenticated, anon, service_role;

-- The command line makes admins; payments need the name and the address of who pays.
grant select on app.profiles to hoplet_worker;
create policy worker_read on app.profiles for select to hoplet_worker using (true);
grant select, insert, update on app.user_roles to hoplet_worker;
create policy worker_all on app.user_roles to hoplet_worker using (true) with check (true);
grant select (id, email, display_name) on app.profiles to hoplet_billing;
create policy billing_read on app.profiles for select to hoplet_billing using (true);
