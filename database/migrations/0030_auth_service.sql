-- The whole auth service: mailed links and codes, providers, factors, the OAuth server, and what keeps guessers out.
-- Everything here belongs to hoplet_auth. Secrets are stored as SHA-256 (what is sent back once), or encrypted with a key
-- that is not in the database (what has to be read again: server/auth/secret-box.ts).

alter table auth.users
  -- Since when it is shown that mail to the address reaches this person: by a mailed link or code, or by the word of a
  -- sign-in provider. An automatic confirmation shows nothing.
  add column email_proven_at timestamptz,
  add column new_email text check (new_email = lower(new_email) and length(new_email) between 3 and 320),
  -- Whether the old address has agreed to the change already.
  add column email_change_agreed boolean not null default false,
  -- Whether it is shown already that mail to the new address reaches this person.
  add column email_change_proven boolean not null default false,
  add column phone text unique check (phone ~ '^[1-9][0-9]{6,14}$'),
  add column phone_confirmed_at timestamptz,
  add column confirmation_sent_at timestamptz,
  add column recovery_sent_at timestamptz,
  add column email_change_sent_at timestamptz,
  add column reauthentication_sent_at timestamptz,
  add column invited_at timestamptz;

-- What was mailed and not used yet: a link's secret and a six-digit code, each good once. A newer one of the same kind
-- replaces the older.
create table auth.one_time_tokens (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users on delete cascade,
  kind text not null check (kind in
    ('confirmation', 'recovery', 'magiclink', 'invite', 'email_change_current', 'email_change_new', 'reauthentication')),
  -- The address that it was sent to.
  email text not null,
  secret_hash text not null unique,
  -- Over address and code: a code is good for its address only.
  code_hash text not null,
  -- Wrong codes so far; after five the token is dead.
  failures integer not null default 0,
  redirect_to text,
  code_challenge text,
  code_challenge_method text check (code_challenge_method in ('s256', 'plain')),
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  unique (user_id, kind)
);

-- A sign-in that left for a provider, or a mailed link that asked for PKCE: the way back. Good once, five minutes.
create table auth.flow_states (
  id uuid primary key default gen_random_uuid(),
  provider text not null,
  redirect_to text not null,
  code_challenge text,
  code_challenge_method text check (code_challenge_method in ('s256', 'plain')),
  -- Ours towards the provider.
  provider_verifier text,
  nonce text,
  -- The browser that left, as the hash of its cookie: only it may come back.
  browser_hash text,
  -- Whose account the identity is to be linked to.
  linking_user_id uuid references auth.users on delete cascade,
  -- Who it turned out to be, once back; and the code that is exchanged for the session.
  user_id uuid references auth.users on delete cascade,
  auth_code_hash text unique,
  authentication_method text,
  -- The session that asked for linking, which must still be alive on the way back; then the one that the code gave, which
  -- is ended if the code comes a second time.
  session_id uuid,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null default now() + interval '5 minutes',
  returned_at timestamptz,
  exchanged_at timestamptz
);
create index flow_states_expires on auth.flow_states (expires_at);

create table auth.factors (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users on delete cascade,
  factor_type text not null check (factor_type in ('totp', 'webauthn', 'phone')),
  status text not null default 'unverified' check (status in ('unverified', 'verified')),
  friendly_name text not null default '' check (length(friendly_name) <= 100),
  -- TOTP: the encrypted secret, and the last time step that was accepted (so that no code is good twice).
  secret text,
  last_step bigint,
  phone text check (phone ~ '^[1-9][0-9]{6,14}$'),
  -- WebAuthn: {id, publicKey, counter, transports, …}.
  credential jsonb,
  credential_id text unique,
  last_challenged_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create unique index factors_name on auth.factors (user_id, friendly_name) where friendly_name <> '';
create index factors_user on auth.factors (user_id);

create table auth.challenges (
  id uuid primary key default gen_random_uuid(),
  factor_id uuid not null references auth.factors on delete cascade,
  address text,
  code_hash text,
  failures integer not null default 0,
  webauthn jsonb,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null default now() + interval '5 minutes',
  verified_at timestamptz
);
create index challenges_factor on auth.challenges (factor_id);

-- Apps that act for people. A public client has no secret.
create table auth.oauth_clients (
  id uuid primary key default gen_random_uuid(),
  secret_hash text,
  registration text not null default 'dynamic' check (registration in ('dynamic', 'manual')),
  client_name text not null check (length(client_name) between 1 and 200),
  client_uri text check (length(client_uri) <= 2048),
  logo_uri text check (length(logo_uri) <= 2048),
  redirect_uris text[] not null check (cardinality(redirect_uris) between 1 and 10),
  grant_types text[] not null default '{authorization_code,refresh_token}',
  token_endpoint_auth_method text not null default 'none'
    check (token_endpoint_auth_method in ('none', 'client_secret_basic', 'client_secret_post')),
  scope text not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  check ((secret_hash is null) = (token_endpoint_auth_method = 'none'))
);

-- One request of an app, from the first visit to the exchange of its code.
create table auth.oauth_authorizations (
  id uuid primary key default gen_random_uuid(),
  client_id uuid not null references auth.oauth_clients on delete cascade,
  -- The first person who reads it owns it.
  user_id uuid references auth.users on delete cascade,
  redirect_uri text not null,
  scope text not null,
  state text check (length(state) <= 2048),
  nonce text check (length(nonce) <= 512),
  resource text check (length(resource) <= 2048),
  code_challenge text not null,
  code_challenge_method text not null check (code_challenge_method in ('s256', 'plain')),
  -- The app wants the person asked although there is an earlier consent (prompt=consent).
  asks_anew boolean not null default false,
  status text not null default 'pending' check (status in ('pending', 'approved', 'denied')),
  code_hash text unique,
  session_id uuid,
  auth_time timestamptz,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null default now() + interval '10 minutes',
  exchanged_at timestamptz
);
create index oauth_authorizations_expires on auth.oauth_authorizations (expires_at);

-- What a person has allowed an app. Revoking it ends the app's sessions.
create table auth.oauth_consents (
  user_id uuid not null references auth.users on delete cascade,
  client_id uuid not null references auth.oauth_clients on delete cascade,
  scope text not null,
  granted_at timestamptz not null default now(),
  primary key (user_id, client_id)
);

-- A session that an app holds names it, with what it may do.
alter table auth.sessions
  add column oauth_client_id uuid references auth.oauth_clients on delete cascade,
  add column scope text,
  -- The factor that raised it to aal2: when that goes, it falls back.
  add column factor_id uuid;
create index sessions_oauth on auth.sessions (user_id, oauth_client_id) where oauth_client_id is not null;
create index sessions_refreshed on auth.sessions (refreshed_at);

-- Budgets that hold across processes and restarts: tokens of a bucket, refilled with time (server/auth/budgets.ts).
create table auth.budgets (
  key text primary key check (length(key) <= 200),
  tokens double precision not null,
  at timestamptz not null default now()
) with (fillfactor = 50);
create index budgets_at on auth.budgets (at);

-- Every security event, for the person it concerns and for the operator. Never a secret, never an address in clear.
create table auth.security_events (
  id bigint generated always as identity primary key,
  at timestamptz not null default now(),
  user_id uuid,
  event text not null check (length(event) <= 80),
  address text check (length(address) <= 64),
  user_agent text check (length(user_agent) <= 512),
  session_id uuid,
  facts jsonb not null default '{}'
);
create index security_events_user on auth.security_events (user_id, id desc);
create index security_events_at on auth.security_events (at);

grant select, insert, update, delete on auth.one_time_tokens, auth.flow_states, auth.factors, auth.challenges,
  auth.oauth_clients, auth.oauth_authorizations, auth.oauth_consents, auth.budgets to hoplet_auth;
grant select, insert on auth.security_events to hoplet_auth;

-- What the doors ask on each request. Null: over; a session that nobody has refreshed for 90 days is, and one of a banned
-- account. 'first_factor': the person has a second factor and has not shown it in this session; then only the auth door
-- serves it (docs/decisions/0061-second-factor-is-enforced.md). An app's session stands on the consent that was given.
create function auth.session_standing(session uuid, account uuid, token_aal text default 'aal2') returns text
language sql stable security definer set search_path = '' as $$
  select case
      when 'aal1' in (s.aal, token_aal) and s.oauth_client_id is null and exists (
        select 1 from auth.factors f where f.user_id = u.id and f.status = 'verified') then 'first_factor'
      else 'live'
    end
  from auth.sessions s join auth.users u on u.id = s.user_id
  where s.id = session and u.id = account and s.refreshed_at > now() - interval '90 days'
    and (u.banned_until is null or u.banned_until < now())
$$;
grant execute on function auth.session_standing(uuid, uuid, text) to authenticated, hoplet_auth;

create or replace function auth.session_is_live(session uuid, account uuid) returns boolean
language sql stable security definer set search_path = '' as $$
  select auth.session_standing(session, account) is not null
$$;

-- What somebody claimed for an account before its address was proven, and gains by it: who brought it, and its name.
-- (Lines in the ledger stay: a referral that has earned is left alone.)
create function app.forget_claims(account uuid) returns void
language plpgsql security definer set search_path = '' as $$
declare
  referrer uuid;
begin
  delete from app.referrals r where r.referred_user_id = account
    and not exists (select 1 from app.commissions c where c.payer_id = account)
    returning r.referrer_user_id into referrer;
  update app.affiliate_codes a set total_referrals = greatest(a.total_referrals - 1, 0) where a.user_id = referrer;
  update app.profiles set display_name = null where id = account;
end $$;
grant execute on function app.forget_claims(uuid) to hoplet_auth;

-- The admin API lists accounts, the newest first.
create index users_newest on auth.users (created_at desc, id desc);

-- Events are only ever added; after 90 days they go (server/auth/protection/clean-up.ts).
create function auth.forget_old_events() returns void
language sql volatile security definer set search_path = '' as $$
  delete from auth.security_events where at < now() - interval '90 days'
$$;
grant execute on function auth.forget_old_events() to hoplet_auth;
