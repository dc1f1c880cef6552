-- A domain's proof, its certificate, and the addresses of its root and of its missing codes.
alter table app.domains
  -- The account's secret in the TXT record at `_hoplet.{host}`.
  add column token text not null default replace(gen_random_uuid()::text, '-', '') check (length(token) between 16 and 64),
  -- What the public suffix list makes of the host: its certificate authority counts by that.
  add column registered_domain text not null default '' check (length(registered_domain) <= 253),
  -- TXT and direction were right at the last check: the host may have a certificate.
  add column is_proven boolean not null default false,
  -- The records at the last check, and the reason why the domain is not verified.
  add column found jsonb not null default '{}' check (octet_length(found::text) <= 4000),
  add column problem text check (length(problem) <= 40),
  -- The last check asked the host over https.
  add column is_probed boolean not null default false,
  add column has_certificate boolean not null default false,
  add column certificate_ends_at timestamptz,
  add column checked_at timestamptz,
  add column next_check_at timestamptz not null default now(),
  -- The first check in a row that failed, of a verified domain; and how many mails have said so.
  add column failing_since timestamptz,
  add column warnings smallint not null default 0,
  -- An address, or 'bio' for the account's bio page; null for a plain page.
  add column root_url text check (length(root_url) between 1 and 2048),
  add column missing_url text check (length(missing_url) between 1 and 2048),
  -- New links without a domain get this one.
  add column is_default boolean not null default false;
create unique index domains_of_account on app.domains (user_id, host);
create unique index domains_default on app.domains (user_id) where is_default;
create index domains_due on app.domains (next_check_at);

-- Domains that accounts removed. A host that comes back to its account gets its id back, and with it the links there.
create table app.former_domains (
  id integer primary key,
  user_id uuid not null references auth.users on delete cascade,
  host text not null check (length(host) <= 253),
  registered_domain text not null check (length(registered_domain) <= 253),
  created_at timestamptz not null,
  removed_at timestamptz not null default now()
);
create unique index former_domains_of_account on app.former_domains (user_id, host);
create index former_domains_removed_at on app.former_domains (removed_at);
alter table app.former_domains enable row level security, force row level security;
create policy owner_all on app.former_domains to hoplet_owner using (true) with check (true);

-- The host of a link's or page's domain; null on the server's own host. It stays with the link when the domain goes.
alter table app.shortened_urls add column domain text
  constraint shortened_urls_domain check (length(domain) between 1 and 253);
alter table app.bio_pages add column domain text constraint bio_pages_domain check (length(domain) between 1 and 253);
grant select (domain), insert (domain) on app.shortened_urls to authenticated;
grant select (domain) on app.shortened_urls to anon;
grant select (domain), insert (domain) on app.bio_pages to authenticated;
grant select (domain) on app.bio_pages to anon;
