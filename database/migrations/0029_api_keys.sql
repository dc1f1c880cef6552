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

-- The doors ask this on each request with a key, so that a revoked one stops working at once on every server. Null: it was revoked or
-- has expired, or its account is banned.
create function auth.api_key_standing(key uuid, account uuid) returns text
language sql stable security definer set search_path = '' as $$
  select 'live' from auth.api_keys k join auth.users u on u.id = k.user_id
  where k.id = key and u.id = account and (k.expires_at is null or k.expires_at > now())
    and (u.banned_until is null or u.banned_until < now())
$$;
grant execute on function auth.api_key_standing(uuid, uuid) to authenticated;
