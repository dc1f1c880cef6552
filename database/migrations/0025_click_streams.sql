-- Clicks in NATS JetStream (CLICK_LOG). `applied_seq` is the last message whose clicks are counted and `applied_id` the id it
-- was published with: a stream with another message there is not the one that was read, and is read from its beginning.
-- The marks of the sources in it (app.click_segments) decide what counts; this one says where to read on. `reader` is the
-- process that reads, for as long as it says so in time.
create table app.click_streams (
  stream text primary key check (length(stream) between 1 and 255),
  applied_seq bigint not null default 0 check (applied_seq >= 0),
  applied_id text not null default '' check (length(applied_id) <= 200),
  updated_at timestamptz not null default now(),
  reader uuid,
  reader_until timestamptz not null default '-infinity'
);

-- Marks of sources in a stream have no file whose end could remove them.
alter table app.click_segments add column of_stream boolean not null default false;

alter table app.click_streams enable row level security;
alter table app.click_streams force row level security;
create policy owner_all on app.click_streams to hoplet_owner using (true) with check (true);
grant select, insert, update on app.click_streams to hoplet_visits;
create policy visits_all on app.click_streams to hoplet_visits using (true) with check (true);
