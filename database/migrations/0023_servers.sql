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
  seen_at timestamptz not null default now()
);

alter table app.servers enable row level security;
alter table app.servers force row level security;

create policy owner_all on app.servers to hoplet_owner using (true) with check (true);
grant select, insert, update, delete on app.servers to hoplet_worker;
create policy worker_all on app.servers to hoplet_worker using (true) with check (true);
