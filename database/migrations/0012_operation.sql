-- Email that has to go out. It is written in the transaction of what it tells about, and sent afterwards, again and
-- again until the mail server takes it (server/mail/).
create table app.mail_outbox (
  id uuid primary key default gen_random_uuid(),
  -- What it tells about: 'receipt:in_123'. The same event never makes two mails.
  key text not null unique check (length(key) between 1 and 300),
  template text not null,
  recipient text not null check (length(recipient) between 3 and 320),
  -- What the template says; emptied once the mail has gone, for it may hold a one-time link.
  data jsonb not null default '{}',
  created_at timestamptz not null default now(),
  next_attempt_at timestamptz not null default now(),
  attempts integer not null default 0,
  sent_at timestamptz,
  -- Given up: shown on the status page.
  failed_at timestamptz,
  last_error text check (length(last_error) <= 500)
);
create index mail_outbox_waiting on app.mail_outbox (next_attempt_at) where sent_at is null and failed_at is null;

-- A notice that an address has an account already is not worth a second email within a minute: the auth door asks
-- whether one of any kind went there.
create index mail_outbox_recipient on app.mail_outbox (recipient, created_at);

alter table app.mail_outbox enable row level security, force row level security;
create policy owner_all on app.mail_outbox to hoplet_owner using (true) with check (true);

grant select, update, delete on app.mail_outbox to hoplet_worker;

-- Who may write an email. (The key is named in `on conflict`, so they may read that.)
grant insert, select (key) on app.mail_outbox to hoplet_billing, hoplet_auth, hoplet_worker;

grant select (recipient, created_at) on app.mail_outbox to hoplet_auth;

-- The servers that run on this database, as each says of itself (server/peers/).

create table app.servers (
  id uuid primary key,
  host text not null check (length(host) between 1 and 255),
  version text not null check (length(version) <= 64),
  -- The id of the key that signs tokens.
  key_id text not null check (length(key_id) <= 255),
  public_url text not null check (length(public_url) <= 2048),
  -- Compared with the database's; null until that is known.
  clock_ahead_ms bigint,
  started_at timestamptz not null default now(),
  seen_at timestamptz not null default now(),
  reads_clickhouse boolean not null default false
);

alter table app.servers enable row level security, force row level security;
create policy owner_all on app.servers to hoplet_owner using (true) with check (true);

grant select, insert, update, delete on app.servers to hoplet_worker;

-- Scheduled backups: which server makes the next one, and what came of the last. One row per place that backups go to.
create table app.backup_schedules (
  place text primary key check (length(place) <= 1000),
  -- The time of the schedule that a server has taken: no other one makes the same backup.
  claimed_for timestamptz not null,
  -- Extended while the backup runs, so that the next one waits for it.
  leased_until timestamptz not null,
  succeeded_at timestamptz,
  bytes bigint,
  seconds real
);

alter table app.backup_schedules enable row level security, force row level security;
create policy owner_all on app.backup_schedules to hoplet_owner using (true) with check (true);

grant select, insert, update on app.backup_schedules to hoplet_worker;
