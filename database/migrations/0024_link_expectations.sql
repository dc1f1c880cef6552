-- Simulated visits of a link, with the address that each must reach: writes to the link are checked against them.
create table app.link_expectations (
  id uuid primary key default gen_random_uuid(),
  link_id uuid not null references app.shortened_urls on delete cascade on update cascade,
  name text not null check (length(btrim(name)) between 1 and 100),
  -- As simulate_visit takes it (domain/visits/simulated-visit.ts).
  visit jsonb not null check (octet_length(visit::text) <= 8192),
  expected_url text not null check (length(expected_url) <= 2048),
  created_at timestamptz not null default now()
);
create unique index link_expectations_name_key on app.link_expectations (link_id, lower(name));

alter table app.link_expectations enable row level security, force row level security;
create policy owner_all on app.link_expectations to hoplet_owner using (true) with check (true);
grant select, insert, update, delete on app.link_expectations to service_role;
grant select, delete, insert (link_id, name, visit, expected_url), update (name, visit, expected_url)
  on app.link_expectations to authenticated;
grant select on app.link_expectations to hoplet_visits;
