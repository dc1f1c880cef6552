-- Who does what only one process may do at a time (server/postgres/leases.ts), instead of a lease in each of five tables.
create table app.leases (
  name text primary key,
  holder uuid not null,
  ends_at timestamptz not null
);
alter table app.leases enable row level security, force row level security;
create policy owner_all on app.leases to hoplet_owner using (true) with check (true);
grant select on app.leases to hoplet_worker;

drop table app.media_leases, app.click_store_leases;
alter table app.billing_reconciles drop column lease_id, drop column leased_until;
alter table app.backup_schedules drop column leased_until;
alter table app.click_streams drop column reader, drop column reader_until;
