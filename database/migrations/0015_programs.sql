-- Programs: requests that may be repeated, API keys, and what apps changed for a person.

-- What a writing request with an Idempotency-Key was answered with, for a day. It is written in the transaction of the
-- request.
create table app.idempotent_requests (
  user_id uuid not null references auth.users on delete cascade,
  key text not null check (length(key) between 1 and 255),
  -- A hash of its method, address and body.
  request bytea not null,
  -- As the server reads it; a request that is under way has none, and nobody else sees its row.
  result text check (octet_length(result) <= 1048576),
  made_at timestamptz not null default now(),
  primary key (user_id, key)
);
create index idempotent_requests_by_time on app.idempotent_requests (made_at);

alter table app.idempotent_requests enable row level security, force row level security;
create policy owner_all on app.idempotent_requests to hoplet_owner using (true) with check (true);

-- API keys of people (docs/decisions/0066): for programs of their own, with the owner's rights narrowed by scopes.

create table auth.api_keys (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users on delete cascade,
  name text not null check (length(name) between 1 and 100),
  -- SHA-256 of the key, which has 256 random bits: nobody can try them all, so no slow hash is needed.
  hash bytea not null unique check (length(hash) = 32),
  -- What the key begins with after its prefix, for its owner to tell keys apart.
  hint text not null check (length(hint) = 4),
  -- As in the tokens of apps, separated by spaces.
  scope text not null check (length(scope) between 1 and 500),
  created_at timestamptz not null default now(),
  -- Null: until it is revoked, which deletes it.
  expires_at timestamptz,
  -- At most a minute behind.
  last_used_at timestamptz,
  last_used_country text check (last_used_country ~ '^[A-Z]{2}$')
);
create index api_keys_user on auth.api_keys (user_id, created_at);

grant select, insert, update, delete on auth.api_keys to hoplet_auth;

-- Agents (docs/decisions/0065): tokens that are for /mcp alone, and what apps have changed for a person.

-- What an app did for a person, written in the transaction of the change. The names are those of that time.
create table auth.app_changes (
  id bigint generated always as identity primary key,
  user_id uuid not null references auth.users on delete cascade,
  -- Of the transaction.
  at timestamptz not null default now(),
  -- An app, or an API key.
  client_id uuid not null,
  app text not null check (length(app) <= 200),
  action text not null check (action in ('created', 'changed', 'deleted')),
  kind text not null check (kind in ('link', 'popup', 'bio page')),
  target uuid not null,
  name text not null check (length(name) <= 200)
);
create index app_changes_newest on auth.app_changes (user_id, id desc);
create index app_changes_at on auth.app_changes (at);

grant select, delete on auth.app_changes to hoplet_auth;
