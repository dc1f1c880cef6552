-- What visitors report about links and bio pages. Only the server's background role writes and reads it; nothing in
-- `api` shows it. A report outlives what it speaks of, so its ids are no foreign keys.

create table app.abuse_reports (
  id uuid primary key default gen_random_uuid(),
  -- As reported: it may name nothing, or nothing any more.
  name text not null check (name ~ '^[a-z0-9_-]{1,64}$'),
  target_kind text not null check (target_kind in ('link', 'bio', 'unknown')),
  target_id uuid,
  owner_id uuid,
  -- Where the link led at that moment: its owner may have changed it by the time somebody looks.
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
create index abuse_reports_open on app.abuse_reports (created_at desc, id desc) where state = 'open';
create index abuse_reports_name on app.abuse_reports (name, created_at desc);

alter table app.abuse_reports enable row level security;
alter table app.abuse_reports force row level security;
create policy owner_all on app.abuse_reports to hoplet_owner using (true) with check (true);
grant select, insert (name, target_kind, target_id, owner_id, destination, reason, details, reporter_email)
  on app.abuse_reports to hoplet_worker;
create policy worker_read on app.abuse_reports for select to hoplet_worker using (true);
create policy worker_insert on app.abuse_reports for insert to hoplet_worker with check (state = 'open');

-- What stands behind a name right now: always one row, so that a report is filed whatever was named.
create function app.reported_target(reported text)
  returns table (kind text, id uuid, owner_id uuid, destination text)
language sql stable security definer set search_path = '' as $$
  select case when s.id is not null then 'link' when b.id is not null then 'bio' else 'unknown' end,
    coalesce(s.id, b.id), coalesce(s.user_id, b.user_id), s.original_url
  from (select 1) as always
    left join app.shortened_urls s on s.short_code = reported
    left join app.bio_pages b on b.slug = reported
$$;
grant execute on function app.reported_target(text) to hoplet_worker;
