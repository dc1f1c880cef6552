-- Imports: rows of a file or another service, their dry run, and the job that makes links of them (docs/decisions/0011).
alter table app.shortened_urls
  -- The short address at the service that the link comes from, without a scheme: bit.ly/abc.
  add former_url text constraint shortened_urls_former_url_check
    check (length(former_url) between 1 and 300 and former_url !~ '[[:cntrl:]]'),
  -- Clicks there. Never a part of click_count.
  add clicks_before bigint constraint shortened_urls_clicks_before_check
    check (clicks_before between 0 and 1000000000000000),
  -- When the link took its place in the quota: null at created_at, -infinity for one that takes none.
  add charged_at timestamptz;
grant select (former_url, clicks_before) on app.shortened_urls to anon;
grant insert (former_url, is_disabled), update (former_url) on app.shortened_urls to authenticated;
create index shortened_urls_charged_at on app.shortened_urls (user_id, charged_at) where charged_at is not null;
-- The newest link to an address.
create index shortened_urls_address on app.shortened_urls
  (user_id, hashtextextended(original_url, 0), created_at desc, id desc);
do $$
begin
  if exists (select 1 from pg_extension where extname = 'pg_trgm')
    and exists (select 1 from pg_extension where extname = 'btree_gin') then
    create index shortened_urls_former on app.shortened_urls
      using gin (user_id extensions.uuid_ops, former_url extensions.gin_trgm_ops) where former_url is not null;
  end if;
end $$;

-- Links that an admin lets an account import without quota.
alter table app.user_usage add import_allowance integer not null default 0
  constraint user_usage_import_allowance_check check (import_allowance between 0 and 1000000);

create table app.imports (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users on delete cascade,
  -- A source of domain/transfer/sources.ts; empty while the person has to map the columns of a file.
  source text not null default '' check (source ~ '^[a-z0-9-]{0,30}$'),
  -- Of the file, or the host of the service.
  name text not null check (length(name) between 1 and 200),
  state text not null check (state in ('reading', 'ready', 'running', 'waiting', 'paused', 'done', 'failed', 'undone')),
  -- While it reads: rows come from the service by `access`, or are all here and wait for the dry run.
  is_complete boolean not null default false,
  -- While it runs: it takes links back.
  undoes boolean not null default false,
  -- Column names of a CSV, by place.
  headers text[] check (octet_length(headers::text) <= 65536),
  -- Which column of an unknown file is which field.
  mapping jsonb check (octet_length(mapping::text) <= 4096),
  -- What its owner confirmed: {codes: keep|random, taken: new|skip|replace}.
  choices jsonb not null default '{}' check (octet_length(choices::text) <= 1024),
  -- {origin, token, cursor} for a service, sealed; null as soon as everything is read.
  access text check (octet_length(access) <= 16384),
  -- Why it waits, failed or ended early: a sentence.
  notice text check (length(notice) <= 500),
  rows integer not null default 0,
  bytes bigint not null default 0,
  -- Of the dry run: rows by outcome, and those that lose an option or have a code.
  totals jsonb not null default '{}' check (octet_length(totals::text) <= 4096),
  -- Of the job: rows by result.
  results jsonb not null default '{}' check (octet_length(results::text) <= 4096),
  -- Links and custom codes that it took from the quota of this day.
  day date,
  day_links integer not null default 0,
  day_codes integer not null default 0,
  -- When the job goes on. A process that works on it moves this on, so that no other one does.
  next_at timestamptz not null default now(),
  created_at timestamptz not null default now(),
  started_at timestamptz,
  last_row_at timestamptz,
  ended_at timestamptz
);
create index imports_user_id on app.imports (user_id, created_at desc);
create unique index imports_one_at_work on app.imports (user_id)
  where state in ('reading', 'running', 'waiting', 'paused');
create index imports_due on app.imports (next_at) where state in ('reading', 'running', 'waiting');
create index imports_old on app.imports (coalesce(ended_at, created_at))
  where state not in ('reading', 'running', 'waiting', 'paused');

create table app.import_rows (
  import_id uuid not null references app.imports on delete cascade,
  place integer not null,
  -- As the source has it: cells of a CSV, or an object.
  record jsonb not null check (octet_length(record::text) <= 6291456),
  -- Of the dry run: the row of create_links, or the entry of a bio page.
  link jsonb check (octet_length(link::text) <= 6291456),
  outcome text check (outcome in ('made', 'taken', 'here', 'refused', 'case')),
  -- The former short address, or another name of the row.
  label text,
  -- Sentences for its owner, and the options that the link loses.
  notes text[] not null default '{}',
  losses text[] not null default '{}',
  -- Its owner's choice for this row; else that of the import.
  choice text check (choice in ('new', 'skip', 'replace')),
  result text check (result in ('made', 'replaced', 'skipped', 'failed', 'kept', 'undone')),
  link_id uuid,
  -- Where a replaced link led before.
  before_url text,
  primary key (import_id, place)
);
create index import_rows_pending on app.import_rows (import_id, place) where result is null;
create index import_rows_outcome on app.import_rows (import_id, outcome, place);
create index import_rows_made on app.import_rows (import_id, place) where result in ('made', 'replaced');
create index import_rows_unchecked on app.import_rows (import_id, place) where outcome is null;
-- Codes of one file that are equal, or differ by their case only.
create index import_rows_code on app.import_rows (import_id, lower(link ->> 'short_code')) where link ? 'short_code';

alter table app.imports enable row level security, force row level security;
create policy owner_all on app.imports to hoplet_owner using (true) with check (true);
alter table app.import_rows enable row level security, force row level security;
create policy owner_all on app.import_rows to hoplet_owner using (true) with check (true);
grant select, insert, update, delete on app.imports, app.import_rows to hoplet_worker;
