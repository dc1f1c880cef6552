-- How people and apps sign in: sessions, emailed links and codes, providers, second factors, the OAuth server, and what
-- limits guessing. Everything here belongs to hoplet_auth. Secrets are stored as SHA-256 (what comes back once), or
-- encrypted with a key that is not in the database (what has to be read again: server/auth/secret-box.ts).

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
  -- An app may have the address of a document about itself as its id (draft-ietf-oauth-client-id-metadata-document).
  -- Its row has what was last read there; updated_at says when.
  document_url text unique check (length(document_url) <= 500),
  check ((secret_hash is null) = (token_endpoint_auth_method = 'none'))
);

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
  created_at timestamptz not null default now(),
  -- For a session that an app holds: the app, and what it may do.
  oauth_client_id uuid references auth.oauth_clients on delete cascade,
  scope text,
  -- The factor that raised it to aal2: when that factor goes, the session falls back.
  factor_id uuid,
  -- The resource that an app's tokens are for (RFC 8707); null for the doors.
  resource text check (length(resource) <= 2048)
);

-- The newest 100 sessions of an account.
create index sessions_newest on auth.sessions (user_id, refreshed_at desc);
create index sessions_oauth on auth.sessions (user_id, oauth_client_id) where oauth_client_id is not null;
create index sessions_refreshed on auth.sessions (refreshed_at);

-- Emailed and not used yet: the secret of a link and a six-digit code, each good once. A newer one of the same kind
-- replaces the older.
create table auth.one_time_tokens (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users on delete cascade,
  kind text not null check (kind in
    ('confirmation', 'recovery', 'magiclink', 'invite', 'email_change_current', 'email_change_new',
      'reauthentication')),
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

-- A sign-in that left for a provider, or an emailed link that asked for PKCE: the way back. Good once, five minutes.
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
  -- The account that the identity is to be linked to.
  linking_user_id uuid references auth.users on delete cascade,
  -- The account, once it has come back, and the code that is exchanged for the session.
  user_id uuid references auth.users on delete cascade,
  auth_code_hash text unique,
  authentication_method text,
  -- The session that asked for linking, which must still be alive on the way back; then the session that the code gave,
  -- which ends if the code comes a second time.
  session_id uuid,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null default now() + interval '5 minutes',
  returned_at timestamptz,
  exchanged_at timestamptz,
  -- The emailed link that waits for the browser that asked for it
  -- (docs/decisions/0063-a-link-waits-for-its-browser.md). No foreign key: a code whose link is gone is refused, and a
  -- newer link takes the row of the older.
  one_time_token_id uuid
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
  exchanged_at timestamptz,
  -- A keyed digest of the client's address.
  origin text check (length(origin) <= 64)
);
create index oauth_authorizations_expires on auth.oauth_authorizations (expires_at);

-- Requests that no person has decided: the newest 100 of an app and client address.
create index oauth_authorizations_pending on auth.oauth_authorizations (client_id, origin, created_at)
  where status = 'pending';

-- What a person has allowed an app. Revoking it ends the app's sessions.
create table auth.oauth_consents (
  user_id uuid not null references auth.users on delete cascade,
  client_id uuid not null references auth.oauth_clients on delete cascade,
  scope text not null,
  granted_at timestamptz not null default now(),
  -- '' are the doors, others the resources of the app's tokens (RFC 8707).
  resources text[] not null default '{}' check (cardinality(resources) <= 10),
  primary key (user_id, client_id)
);

-- Rate limits that hold across processes and restarts: tokens of a bucket, refilled with time
-- (server/auth/protection/budgets.ts).
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

grant select, insert, update, delete on auth.sessions, auth.one_time_tokens, auth.flow_states, auth.factors,
  auth.challenges,
  auth.oauth_clients, auth.oauth_authorizations, auth.oauth_consents, auth.budgets to hoplet_auth;
grant select, insert on auth.security_events to hoplet_auth;
