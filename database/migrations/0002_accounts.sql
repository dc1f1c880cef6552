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
  created_at timestamptz not null default now(),
  -- Of reports. Null: UTC.
  time_zone text check (length(time_zone) <= 64)
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

-- Who may touch which row. People read their own; the admin's screens read and write all.
alter table app.profiles enable row level security, force row level security;
create policy owner_all on app.profiles to hoplet_owner using (true) with check (true);
alter table app.user_roles enable row level security, force row level security;
create policy owner_all on app.user_roles to hoplet_owner using (true) with check (true);

grant select, insert, update, delete on app.profiles, app.user_roles to service_role;

grant select (id, email, display_name, created_at, time_zone), update (display_name),
  delete on app.profiles to authenticated;

grant select, insert (user_id, role), update (user_id, role) on app.user_roles to authenticated;

-- The command line makes admins; payments need the name and the address of who pays.
grant select on app.profiles to hoplet_worker;

grant select, insert, update on app.user_roles to hoplet_worker;

grant select (id, email, display_name) on app.profiles to hoplet_billing;
