-- What admins do: take links, hosts and people down, look after accounts, decide reports. Everything that an admin does
-- leaves one line in app.audit_log, whichever way it was done: table call, function, command line.

-- Who did what as an admin. Rows are only ever added, for every role and for the owner too, and go after two years.
create table app.audit_log (
  id bigint generated always as identity primary key,
  at timestamptz not null default clock_timestamp(),
  -- No foreign keys: the log outlives accounts. An empty actor is the command line or the service itself.
  actor_id uuid,
  actor_role text not null,
  action text not null check (length(action) between 1 and 60),
  target_kind text not null check (length(target_kind) <= 40),
  target_id text not null check (length(target_id) <= 2100),
  before jsonb,
  after jsonb,
  request_id text check (length(request_id) <= 64)
);
create index audit_log_target on app.audit_log (target_kind, target_id, id desc);
create index audit_log_actor on app.audit_log (actor_id, id desc);

alter table app.audit_log enable row level security, force row level security;
create policy owner_read on app.audit_log for select to hoplet_owner using (true);
create policy owner_add on app.audit_log for insert to hoplet_owner with check (true);
create policy owner_forget on app.audit_log for delete to hoplet_owner using (at < now() - interval '2 years');

-- Not even the owner's own functions may change a line.
revoke update, truncate on app.audit_log from hoplet_owner;

-- What visitors report about links and bio pages. Only the background role of the server writes and reads it; nothing
-- in `api` shows it. A report outlives what it refers to, so its ids are not foreign keys.
create table app.abuse_reports (
  id uuid primary key default gen_random_uuid(),
  -- As reported: it may name nothing, or nothing any more.
  name text not null check (name ~ '^[a-z0-9_-]{1,64}$'),
  target_kind text not null check (target_kind in ('link', 'bio', 'unknown')),
  target_id uuid,
  owner_id uuid,
  -- Where the link led at that moment: its owner may have changed it by the time an admin looks.
  destination text check (length(destination) <= 2048),
  reason text not null check (reason in ('phishing', 'malware', 'spam', 'impersonation', 'illegal', 'other')),
  details text not null default '' check (length(details) <= 1000),
  reporter_email text check (length(reporter_email) between 3 and 254),
  state text not null default 'open' check (state in ('open', 'upheld', 'dismissed')),
  created_at timestamptz not null default now(),
  decided_at timestamptz,
  decided_by uuid,
  constraint abuse_reports_target check ((target_kind = 'unknown') = (target_id is null)),
  constraint abuse_reports_decision check ((state = 'open') = (decided_at is null))
);
create index abuse_reports_newest on app.abuse_reports (created_at desc, id desc);
create index abuse_reports_open on app.abuse_reports (created_at desc, id desc) where state = 'open';
create index abuse_reports_name on app.abuse_reports (name, created_at desc);

alter table app.abuse_reports enable row level security, force row level security;
create policy owner_all on app.abuse_reports to hoplet_owner using (true) with check (true);

grant select, insert (name, target_kind, target_id, owner_id, destination, reason, details, reporter_email)
  on app.abuse_reports to hoplet_worker;

-- Anyone may report, so reports go after a year, decided or not.
grant delete on app.abuse_reports to hoplet_worker;
