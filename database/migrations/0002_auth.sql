-- Accounts and sessions. Only hoplet_auth (door 1) reads or writes them; the table door never sees this schema.

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
  updated_at timestamptz not null default now()
);

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

-- A session is its refresh-token family: the newest token is derived from refresh_key and refresh_counter.
create table auth.sessions (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users on delete cascade,
  aal text not null default 'aal1' check (aal in ('aal1', 'aal2')),
  amr jsonb not null default '[]',
  refresh_key bytea not null,
  refresh_counter bigint not null default 0,
  refreshed_at timestamptz not null default now(),
  user_agent text check (length(user_agent) <= 512),
  ip text check (length(ip) <= 64),
  created_at timestamptz not null default now()
);
create index sessions_user_id on auth.sessions (user_id);

grant select, insert, update, delete on auth.users, auth.identities, auth.sessions to hoplet_auth;

-- The doors ask this on each request, so that a signed-out session's token stops working at once
-- and not when it expires. True when the session exists and its user is not banned.
create function auth.session_is_live(session uuid, account uuid) returns boolean
language sql stable security definer set search_path = '' as $$
  select exists (
    select 1 from auth.sessions s join auth.users u on u.id = s.user_id
    where s.id = session and u.id = account and (u.banned_until is null or u.banned_until < now())
  )
$$;
grant usage on schema auth to authenticated;
grant execute on function auth.session_is_live(uuid, uuid) to authenticated, hoplet_auth;
