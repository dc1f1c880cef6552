-- What a plan allows, and what each person has used of it.

create table app.user_plans (
  user_id uuid primary key references auth.users on delete cascade,
  plan_type text not null default 'free' check (plan_type in ('free', 'pro', 'business'))
);
create index user_plans_by_plan on app.user_plans (plan_type, user_id);

create table app.user_usage (
  user_id uuid primary key references auth.users on delete cascade,
  total_custom_codes integer not null default 0 check (total_custom_codes >= 0),
  total_shortened_urls integer not null default 0 check (total_shortened_urls >= 0),
  daily_custom_codes integer not null default 0 check (daily_custom_codes >= 0),
  daily_shortened_urls integer not null default 0 check (daily_shortened_urls >= 0),
  daily_qr_codes integer not null default 0 check (daily_qr_codes >= 0),
  -- The UTC day of the three daily counters; on another day they count as 0.
  day date not null default (now() at time zone 'utc')::date,
  -- Since when the links of this day count; null, or a moment of an earlier day, means the whole day.
  daily_since timestamptz
) with (fillfactor = 80);

-- Calls of the AI functions: one row per person and UTC day. A call is reserved here before the provider hears of it
-- (server/ai/usage.ts).
create table app.ai_usage (
  user_id uuid not null references auth.users on delete cascade,
  day date not null,
  used integer not null check (used >= 0),
  primary key (user_id, day)
) with (fillfactor = 80);

-- All people together: one row per day.
create table app.ai_days (
  day date primary key,
  used integer not null check (used >= 0)
) with (fillfactor = 50);

-- Who may touch which row. Counters are written by the rules only.
alter table app.user_plans enable row level security, force row level security;
create policy owner_all on app.user_plans to hoplet_owner using (true) with check (true);
alter table app.user_usage enable row level security, force row level security;
create policy owner_all on app.user_usage to hoplet_owner using (true) with check (true);
alter table app.ai_usage enable row level security, force row level security;
create policy owner_all on app.ai_usage to hoplet_owner using (true) with check (true);
alter table app.ai_days enable row level security, force row level security;
create policy owner_all on app.ai_days to hoplet_owner using (true) with check (true);

grant select, insert, update, delete on app.user_plans to service_role;
grant select, update (plan_type) on app.user_plans to authenticated;

grant select on app.user_usage to service_role;
grant select on app.user_usage to authenticated;

-- No API role reads or writes the AI counters.
grant select, insert, update, delete on app.ai_usage, app.ai_days to hoplet_worker;

-- Payments set the plan. The visit door asks whether pages of the owner's plan carry the mark.
grant select, update (plan_type) on app.user_plans to hoplet_billing;

grant select on app.user_plans to hoplet_visits;
