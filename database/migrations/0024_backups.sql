-- Scheduled backups: which server makes the next one, and what came of the last. One row per place that backups go to.
create table app.backup_schedules (
  place text primary key check (length(place) <= 1000),
  -- The time of the schedule that a server has taken: no other one makes the same backup.
  claimed_for timestamptz not null,
  -- Extended while the backup runs, so that the next one waits for it.
  leased_until timestamptz not null,
  succeeded_at timestamptz,
  bytes bigint,
  seconds real
);
alter table app.backup_schedules enable row level security;
alter table app.backup_schedules force row level security;
create policy owner_all on app.backup_schedules to hoplet_owner using (true) with check (true);
create policy worker_all on app.backup_schedules to hoplet_worker using (true) with check (true);
grant select, insert, update on app.backup_schedules to hoplet_worker;
