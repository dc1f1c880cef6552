-- Clicks in NATS JetStream (CLICK_LOG). `applied_seq` is the last message whose clicks are counted and `applied_id` the
-- id it was published with: a stream with another message there is not the one that was read, and is read from its
-- beginning. The marks of the sources in it (app.click_segments) decide what counts; this one says where to read on.
-- `reader` is the process that reads, for as long as it says so in time.
create table app.click_streams (
  stream text primary key check (length(stream) between 1 and 255),
  applied_seq bigint not null default 0 check (applied_seq >= 0),
  applied_id text not null default '' check (length(applied_id) <= 200),
  updated_at timestamptz not null default now(),
  reader uuid,
  reader_until timestamptz not null default '-infinity'
);

alter table app.click_streams enable row level security, force row level security;
create policy owner_all on app.click_streams to hoplet_owner using (true) with check (true);

grant select, insert, update on app.click_streams to hoplet_visits;

-- Hits and events of popups in ClickHouse (docs/decisions/0083): which store has them, the outbox, written in the
-- transaction of the counters, and click reports in two halves, so that either store can count between them.

-- Where hits are. postgres: in app.click_events. moving: there, while they are copied, and new ones in the outbox as
-- well. both: in both stores, wholly. clickhouse: in ClickHouse alone.
create table app.click_store (
  is_only boolean primary key default true check (is_only),
  state text not null default 'postgres' check (state in ('postgres', 'moving', 'both', 'clickhouse')),
  -- Written into the database of ClickHouse that belongs to this one.
  id uuid not null default gen_random_uuid(),
  -- Deliveries are numbered without gaps, each number committed here before it is used there: a number in ClickHouse
  -- above last_delivery comes from a time that this database was restored to before. The next generation begins then.
  generation integer not null default 1,
  last_delivery bigint not null default 0,
  -- With more waiting than that, hits and their counters stay in the click log.
  max_waiting bigint not null default 36000000,
  is_full boolean not null default false,
  -- While moving: hits before cut_at that were stored before the move began are copied, day by day in UTC.
  cut_at timestamptz,
  moved_before date
);

insert into app.click_store default values;

-- Who does what only one may do at a time, as long as it says so again and again. move: a command copies hits. pause:
-- nothing is delivered or deleted, the stores are being compared.
create table app.click_store_leases (
  name text primary key check (name in ('move', 'pause')),
  holder uuid not null default gen_random_uuid(),
  ends_at timestamptz not null default '-infinity'
);

insert into app.click_store_leases (name) values ('move'), ('pause');

-- One row for each batch that was stored, as app.store_hits (h) or app.store_popup_events (p) got it. What was
-- delivered stays for half an hour: a server that starts reads there what was visited lately.
create table app.click_outbox (
  id bigint generated always as identity primary key,
  kind "char" not null check (kind in ('h', 'p')),
  columns text[] not null,
  hits integer not null,
  -- The time of the oldest hit in it.
  first_at timestamptz not null,
  made_at timestamptz not null default now(),
  -- The delivery that the row belongs to, for good: a delivery that is repeated is the same rows under the same number.
  delivery bigint,
  leased_until timestamptz,
  delivered_at timestamptz
);
create index click_outbox_waiting on app.click_outbox (id) include (hits, made_at) where delivered_at is null;
create index click_outbox_unassigned on app.click_outbox (id) where delivery is null;
create index click_outbox_by_delivery on app.click_outbox (delivery) where delivered_at is null;
create index click_outbox_by_time on app.click_outbox (made_at);

-- While moving: what was stored after the move began though it is older than cut_at. It is in the outbox, so it is not
-- copied.
create table app.late_click_events (like app.click_events);

create table app.late_popup_events (like app.popup_events);

-- Whose hits, and those before which UTC day, have to be deleted in ClickHouse: of accounts and popups that are gone,
-- and by plan.
create table app.clickhouse_deletions (
  account integer primary key,
  before date not null,
  made_at timestamptz not null default now()
);

alter table app.click_store enable row level security, force row level security;
create policy owner_all on app.click_store to hoplet_owner using (true) with check (true);
alter table app.click_store_leases enable row level security, force row level security;
create policy owner_all on app.click_store_leases to hoplet_owner using (true) with check (true);
alter table app.click_outbox enable row level security, force row level security;
create policy owner_all on app.click_outbox to hoplet_owner using (true) with check (true);
alter table app.late_click_events enable row level security, force row level security;
create policy owner_all on app.late_click_events to hoplet_owner using (true) with check (true);
alter table app.late_popup_events enable row level security, force row level security;
create policy owner_all on app.late_popup_events to hoplet_owner using (true) with check (true);
alter table app.clickhouse_deletions enable row level security, force row level security;
create policy owner_all on app.clickhouse_deletions to hoplet_owner using (true) with check (true);

grant select on app.click_outbox to hoplet_visits;
