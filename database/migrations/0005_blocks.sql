-- The hosts that this server answers to: no link may lead back here. Written at each start from PUBLIC_URL.
create table app.own_hosts (host text primary key check (host = lower(host)));

alter table app.own_hosts enable row level security, force row level security;
create policy owner_all on app.own_hosts to hoplet_owner using (true) with check (true);

grant select on app.own_hosts to hoplet_visits;

grant select, insert, update, delete on app.own_hosts to hoplet_worker;

-- What admins do: take links, hosts and people down, look after accounts, decide reports. Everything that an admin does
-- leaves one line in app.audit_log, whichever way it was done: table call, function, command line.

-- Blocked names (a link's code or a bio page's slug), hosts with everything below them, and people.
create table app.blocks (
  kind text not null check (kind in ('link', 'host', 'user')),
  value text not null check (length(value) between 1 and 253),
  reason text check (length(reason) <= 500),
  created_by uuid,
  created_at timestamptz not null default now(),
  primary key (value, kind)
);

alter table app.blocks enable row level security, force row level security;
create policy owner_all on app.blocks to hoplet_owner using (true) with check (true);
