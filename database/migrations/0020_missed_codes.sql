-- Visits to codes that do not exist: of each UTC day at most 1,000 codes (database/code/21_missed_codes.sql), for 90 days.
-- Nothing about the visitors.
create table app.missed_codes (
  code text not null check (code ~ '^[a-z0-9_-]{1,50}$'),
  day date not null,
  visits bigint not null check (visits > 0),
  primary key (code, day)
);
-- No index has the visits, so that most updates touch none.
create index missed_codes_day on app.missed_codes (day);

-- Codes and slugs that an account's links and pages had: the newest 1,000, gone with the account.
create table app.former_codes (
  user_id uuid not null references auth.users on delete cascade,
  code text not null check (code ~ '^[a-z0-9_-]{1,50}$'),
  ended_at timestamptz not null default now(),
  primary key (user_id, code)
);
create index former_codes_newest on app.former_codes (user_id, ended_at desc, code);
create index former_codes_code on app.former_codes (code);

insert into app.former_codes (user_id, code, ended_at)
  select n.owner_id, n.name, n.released_at from app.names n
  where n.released_at is not null and n.owner_id is not null and n.name ~ '^[a-z0-9_-]{1,50}$';

alter table app.missed_codes enable row level security, force row level security;
create policy owner_all on app.missed_codes to hoplet_owner using (true) with check (true);
alter table app.former_codes enable row level security, force row level security;
create policy owner_all on app.former_codes to hoplet_owner using (true) with check (true);

grant select, delete on app.missed_codes to hoplet_worker;
