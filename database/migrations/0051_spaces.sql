-- Spaces: accounts that several people share. A space is a row of auth.users that nobody can sign in to, so everything that
-- references an account works for it (docs/decisions/0069-a-space-is-an-account.md).

alter table auth.users add column kind text not null default 'person' check (kind in ('person', 'space'));
alter table auth.users add constraint space_has_no_sign_in check (kind = 'person'
  or num_nonnulls(email, new_email, encrypted_password, phone) = 0);

create table app.spaces (
  id uuid primary key references auth.users on delete cascade,
  slug text not null unique check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$' and length(slug) between 2 and 48),
  -- The person whose accounts on Free share one counter, and whose referrers earn by its invoices.
  made_by uuid references auth.users on delete set null,
  created_at timestamptz not null default now()
);
create index spaces_made_by on app.spaces (made_by);

create table app.members (
  account_id uuid not null references app.spaces on delete cascade,
  person_id uuid not null references auth.users on delete cascade,
  role text not null check (role in ('owner', 'editor', 'viewer')),
  created_at timestamptz not null default now(),
  -- At most five minutes behind.
  last_seen_at timestamptz,
  -- The sign-in provider with a claim about this membership; null for one by invitation.
  claim_provider text check (length(claim_provider) <= 64),
  primary key (account_id, person_id)
);
create index members_person on app.members (person_id, account_id);

create table app.invitations (
  id uuid primary key default gen_random_uuid(),
  account_id uuid not null references app.spaces on delete cascade,
  role text not null check (role in ('owner', 'editor', 'viewer')),
  -- Null: whoever has the link.
  email text check (email = lower(email) and length(email) between 3 and 320),
  -- SHA-256 of the secret of the link, which has 244 random bits.
  token_hash bytea not null unique check (length(token_hash) = 32),
  created_by uuid references auth.users on delete set null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null default now() + interval '7 days',
  used_by uuid references auth.users on delete set null,
  used_at timestamptz
);
create index invitations_newest on app.invitations (account_id, created_at desc, id desc);
create index invitations_created_by on app.invitations (created_by);
create index invitations_used_by on app.invitations (used_by);

alter table app.spaces enable row level security, force row level security;
create policy owner_all on app.spaces to hoplet_owner using (true) with check (true);
alter table app.members enable row level security, force row level security;
create policy owner_all on app.members to hoplet_owner using (true) with check (true);
alter table app.invitations enable row level security, force row level security;
create policy owner_all on app.invitations to hoplet_owner using (true) with check (true);

grant select on app.spaces to authenticated, service_role, hoplet_worker, hoplet_auth;
grant select (account_id, person_id, role, created_at, last_seen_at) on app.members
  to authenticated, service_role, hoplet_worker, hoplet_auth;
grant update (last_seen_at) on app.members to hoplet_auth;
grant select (id, account_id, role, email, created_by, created_at, expires_at, used_by, used_at) on app.invitations
  to authenticated, service_role, hoplet_auth;

-- The part that deleted spaces had used of the lifetime counters of their maker's accounts on Free.
alter table app.user_usage
  add column gone_shortened_urls integer not null default 0 check (gone_shortened_urls >= 0),
  add column gone_custom_codes integer not null default 0 check (gone_custom_codes >= 0);

-- The member who made the key of a space; null for a person's own key.
alter table auth.api_keys add column made_by uuid references auth.users on delete cascade;
create index api_keys_made_by on auth.api_keys (made_by, user_id) where made_by is not null;

-- The space that an app acts for; null for the person's own account.
alter table auth.sessions add column account_id uuid references app.spaces on delete cascade;
create index sessions_account on auth.sessions (account_id, user_id) where account_id is not null;
alter table auth.oauth_authorizations add column account_id uuid references app.spaces on delete cascade;
alter table auth.oauth_consents add column account_id uuid references app.spaces on delete cascade;
create index oauth_consents_account on auth.oauth_consents (account_id, user_id) where account_id is not null;
