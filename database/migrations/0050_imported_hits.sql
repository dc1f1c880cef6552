-- Hits of an archive (docs/decisions/0087). They have their own verdict, because a file can be edited.
alter table app.click_events drop constraint click_events_verdict_check,
  add constraint click_events_verdict_check
    check (verdict in ('c', 'r', 'o', 'h', 'f', 'p', 'b', 'm', 'g', 's', 'v', 'y', 'x', 'i')) not valid;
alter table app.click_rollups add column imported integer not null default 0;
-- As many of the received ones were imported.
alter table app.click_account_days add column imported bigint not null default 0;

-- Hits of an archive that wait for the job.
alter table app.imports add column hits bigint not null default 0;
create table app.import_hits (
  import_id uuid not null references app.imports on delete cascade,
  place integer not null,
  hits integer not null,
  -- As app.imports.bytes counts them.
  bytes bigint not null,
  -- A text each with a value a line: epoch milliseconds, the number of the hit in its file, place of its row in
  -- app.import_rows ("4", or "9.0" for the first link of a page), origin, place and client as numbers of the rows below,
  -- from 1, and the letter of the source.
  columns text[] not null,
  -- The placement of an origin is the place of its link, a slash and the mark.
  origins jsonb not null,
  places jsonb not null,
  clients jsonb not null,
  primary key (import_id, place)
);

-- Hits that an import brought, by UTC day: its undo takes them back.
create table app.import_hit_days (
  import_id uuid not null references app.imports on delete cascade,
  day date not null,
  hits bigint not null,
  primary key (import_id, day)
);

-- New referrers, places and clients that an account's imports brought on a day.
create table app.import_sources (
  user_id uuid primary key references auth.users on delete cascade,
  day date not null,
  made integer not null
);

-- Links and pages with imported hits to delete in ClickHouse, by the numbers of their scopes.
create table app.clickhouse_import_deletions (
  scope integer primary key,
  account integer not null,
  made_at timestamptz not null default now()
);

alter table app.import_hits enable row level security, force row level security;
create policy owner_all on app.import_hits to hoplet_owner using (true) with check (true);
alter table app.import_hit_days enable row level security, force row level security;
create policy owner_all on app.import_hit_days to hoplet_owner using (true) with check (true);
alter table app.import_sources enable row level security, force row level security;
create policy owner_all on app.import_sources to hoplet_owner using (true) with check (true);
alter table app.clickhouse_import_deletions enable row level security, force row level security;
create policy owner_all on app.clickhouse_import_deletions to hoplet_owner using (true) with check (true);
grant select, insert, delete on app.import_hits to hoplet_worker;
