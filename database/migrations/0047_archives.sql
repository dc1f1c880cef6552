-- Archives of accounts: a zip with all of an account, made in the background (docs/archive.md, server/transfer/archive/).
create table app.archives (
  id uuid primary key default gen_random_uuid(),
  -- Null: the account is gone, and the file goes.
  user_id uuid references auth.users on delete set null,
  state text not null default 'making' check (state in ('making', 'done', 'failed', 'expired')),
  progress integer not null default 0 check (progress between 0 and 100),
  bytes bigint,
  -- Why it failed or has expired early: a sentence.
  notice text check (length(notice) <= 500),
  -- [{file, reason}]
  left_out jsonb not null default '[]' check (octet_length(left_out::text) <= 8192),
  -- Number of times that its making began. The names of its files have it: one that was given up cannot replace a later one.
  attempt integer not null default 0,
  -- When a process may make it. One that does moves this on, so that no other one does.
  next_at timestamptz not null default now(),
  created_at timestamptz not null default now(),
  made_at timestamptz,
  expires_at timestamptz,
  -- When its files were deleted.
  removed_at timestamptz
);
create index archives_user_id on app.archives (user_id, created_at desc);
create unique index archives_one_at_work on app.archives (user_id) where state = 'making';
create index archives_due on app.archives (next_at) where state = 'making';
create index archives_kept on app.archives (id) where removed_at is null;

alter table app.archives enable row level security, force row level security;
create policy owner_all on app.archives to hoplet_owner using (true) with check (true);
grant select, insert, update, delete on app.archives to hoplet_worker;
