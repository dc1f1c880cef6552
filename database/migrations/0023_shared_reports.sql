-- A read-only page of a link's report, behind an address that no one can guess. One per link, gone with it.
create table app.shared_reports (
  id uuid primary key default gen_random_uuid(),
  link_id uuid not null unique references app.shortened_urls on delete cascade,
  -- The link's owner.
  user_id uuid not null references auth.users on delete cascade,
  -- 244 random bits. Not a hash: its owner copies the address again.
  token text not null unique,
  enabled boolean not null default true,
  -- Written only: a hash travels through it to password_hash, and it is null in each row.
  password text,
  password_hash text,
  -- New with each password, null without one. Cookies of visitors name it.
  password_version uuid,
  expires_at timestamptz,
  created_at timestamptz not null default now()
);
create index shared_reports_user_id on app.shared_reports (user_id);

alter table app.shared_reports enable row level security, force row level security;
create policy owner_all on app.shared_reports to hoplet_owner using (true) with check (true);

-- The view needs all of its columns; that of password can be written only.
grant select (id, link_id, user_id, token, enabled, password, password_version, expires_at, created_at), delete,
  insert (link_id, enabled, password, expires_at), update (enabled, password, expires_at)
  on app.shared_reports to authenticated, service_role;
