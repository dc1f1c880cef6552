-- Email that has to go out. It is written in the transaction of what it tells about, and sent afterwards, again and again
-- until the mail server takes it (server/mail/).
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
-- A notice that an address has an account already is not worth a second email within a minute: the auth door asks whether
-- one of any kind went there.
create index mail_outbox_recipient on app.mail_outbox (recipient, created_at);

alter table app.mail_outbox enable row level security;
alter table app.mail_outbox force row level security;
create policy owner_all on app.mail_outbox to hoplet_owner using (true) with check (true);
grant select, update, delete on app.mail_outbox to hoplet_worker;
create policy worker_all on app.mail_outbox to hoplet_worker using (true) with check (true);
-- Who may write an email. (The key is named in `on conflict`, so they may read that.)
grant insert, select (key) on app.mail_outbox to hoplet_billing, hoplet_auth, hoplet_worker;
create policy billing_write on app.mail_outbox for insert to hoplet_billing with check (true);
create policy billing_keys on app.mail_outbox for select to hoplet_billing using (true);
create policy auth_write on app.mail_outbox for insert to hoplet_auth with check (true);
create policy auth_keys on app.mail_outbox for select to hoplet_auth using (true);
grant select (recipient, created_at) on app.mail_outbox to hoplet_auth;
