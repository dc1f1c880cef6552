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

-- What each plan allows. domain/plans.ts holds the same figures for the screens; a test keeps the two equal.
create function app.plan_limits(plan text)
returns table (custom_codes integer, shortened_urls integer, qr_codes integer, limit_type text, can_view_clicks boolean)
language sql immutable set search_path = '' as $$
  select l.custom_codes, l.shortened_urls, l.qr_codes, l.limit_type, l.can_view_clicks
  from (values
    ('free', 2, 50, 0, 'lifetime', false),
    ('pro', 2, 50, 50, 'daily', true),
    ('business', 20, 500, 500, 'daily', true)
  ) as l (plan_type, custom_codes, shortened_urls, qr_codes, limit_type, can_view_clicks)
  where l.plan_type = plan
$$;

-- The day to count under, given the day last counted under. A transaction that began before midnight may get the row
-- after one that began later: then it counts for the new day, and never sets the row back.
-- (In standard form, like app.current_user_id: the API roles call it through a view and cannot name `app` themselves.)
create function app.usage_day(last date) returns date
language sql stable set search_path = ''
return case when last = app.today() + 1 then last else app.today() end;

create function app.plan_of(account uuid) returns text
language sql stable security definer set search_path = '' as $$
  select coalesce((select p.plan_type from app.user_plans p where p.user_id = account), 'free')
$$;

-- Click and visit counts are for owners whose plan shows them, for admins, and for the service itself.
create function app.sees_counts() returns boolean
language sql stable security definer set search_path = '' as $$
  select coalesce(app.claims() ->> 'role' = 'service_role', false)
    or app.is_admin()
    or (select l.can_view_clicks from app.plan_limits(app.plan_of(app.current_user_id())) l)
$$;

-- The specification's sentence that a person reads when a limit is reached.
create function app.limit_message(plan text, limit_type text, max_count integer, is_custom boolean) returns text
language sql immutable set search_path = '' as $$
  select format('You''ve reached your %s limit of %s %s. %s',
    case limit_type when 'daily' then 'today' else 'total' end,
    max_count,
    case when is_custom then 'custom codes' else 'shortened URLs' end,
    case plan when 'free' then 'Upgrade to Pro or delete existing links to continue.'
      else 'Please try again tomorrow or delete existing links.' end)
$$;

create function app.refuse_over_limit(kind text, plan text, limit_type text, max_count integer, used integer) returns void
language plpgsql immutable set search_path = '' as $$
begin
  raise exception using errcode = 'P0001', message = 'Limit Reached',
    detail = jsonb_build_object('kind', kind, 'plan', plan, 'limitType', limit_type, 'limit', max_count, 'current', used)::text,
    hint = app.limit_message(plan, limit_type, max_count, kind = 'custom');
end $$;

-- The counter row is the lock that the creates of one person queue on.
create function app.lock_usage(account uuid) returns app.user_usage
language plpgsql security definer set search_path = '' as $$
declare
  used app.user_usage;
begin
  -- The account first: a deletion holds it first too, so that the two queue and never wait in a circle.
  perform 1 from auth.users u where u.id = account for key share;
  insert into app.user_usage (user_id) values (account) on conflict do nothing;
  select * into used from app.user_usage u where u.user_id = account for update;
  return used;
end $$;

-- Charges one link to its owner, or raises P0001. A rolled-back insert gives the charge back. Daily counters start at 0
-- on a new UTC day.
create function app.charge_link(account uuid, custom boolean) returns void
language plpgsql security definer set search_path = '' as $$
declare
  plan text;
  limits record;
  used app.user_usage := app.lock_usage(account);
  customs integer;
  links integer;
  today date;
begin
  plan := app.plan_of(account);
  select * into limits from app.plan_limits(plan);
  today := app.usage_day(used.day);
  if used.day <> today then
    used.daily_custom_codes := 0; used.daily_shortened_urls := 0; used.daily_qr_codes := 0;
  end if;
  customs := case limits.limit_type when 'daily' then used.daily_custom_codes else used.total_custom_codes end;
  links := case limits.limit_type when 'daily' then used.daily_shortened_urls else used.total_shortened_urls end;
  if custom and customs >= limits.custom_codes then
    perform app.refuse_over_limit('custom', plan, limits.limit_type, limits.custom_codes, customs);
  elsif links >= limits.shortened_urls then
    perform app.refuse_over_limit('url', plan, limits.limit_type, limits.shortened_urls, links);
  end if;
  update app.user_usage u set
    total_shortened_urls = u.total_shortened_urls + 1,
    total_custom_codes = u.total_custom_codes + custom::integer,
    daily_shortened_urls = used.daily_shortened_urls + 1,
    daily_custom_codes = used.daily_custom_codes + custom::integer,
    daily_qr_codes = used.daily_qr_codes,
    day = today
  where u.user_id = account;
end $$;

-- A change of plan waits for the owner's creates under way, and they for it, so that none is judged by a plan that is no
-- longer in force. A person who goes from lifetime limits to daily ones starts the day with the plan: links that were made
-- under the old plan have counted already. The clock is read under the lock that creates wait for.
create function app.before_plan_change() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform 1 from app.user_usage u where u.user_id = new.user_id for update;
  if (select l.limit_type from app.plan_limits(old.plan_type) l) = 'lifetime'
    and (select l.limit_type from app.plan_limits(new.plan_type) l) = 'daily' then
    update app.user_usage u set daily_custom_codes = 0, daily_shortened_urls = 0, daily_qr_codes = 0,
      day = app.usage_day(u.day), daily_since = clock_timestamp()
    where u.user_id = new.user_id;
  end if;
  return new;
end $$;
create trigger before_update before update of plan_type on app.user_plans
  for each row execute function app.before_plan_change();

-- Free pages carry a mark that paid ones do not: what visitors see changes with the plan.
create function app.notify_plan() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform pg_notify('hoplet_names', b.slug) from app.bio_pages b where b.user_id = new.user_id;
  perform pg_notify('hoplet_names', 'popup:' || p.id) from app.popups p where p.user_id = new.user_id;
  return null;
end $$;
create trigger notify after update of plan_type on app.user_plans
  for each row when (old.plan_type is distinct from new.plan_type) execute function app.notify_plan();

-- Who may touch which row. Counters are written by the rules only.
alter table app.user_plans enable row level security;
alter table app.user_plans force row level security;
create policy owner_all on app.user_plans to hoplet_owner using (true) with check (true);
alter table app.user_usage enable row level security;
alter table app.user_usage force row level security;
create policy owner_all on app.user_usage to hoplet_owner using (true) with check (true);
alter table app.ai_usage enable row level security;
alter table app.ai_usage force row level security;
create policy owner_all on app.ai_usage to hoplet_owner using (true) with check (true);
alter table app.ai_days enable row level security;
alter table app.ai_days force row level security;
create policy owner_all on app.ai_days to hoplet_owner using (true) with check (true);

grant select, insert, update, delete on app.user_plans to service_role;
create policy service_all on app.user_plans to service_role using (true) with check (true);
grant select, update (plan_type) on app.user_plans to authenticated;
create policy own_or_admin_read on app.user_plans for select to authenticated
  using (user_id = (select app.current_user_id()) or (select app.is_admin()));
create policy admin_update on app.user_plans for update to authenticated
  using ((select app.is_admin())) with check ((select app.is_admin()));

grant select on app.user_usage to service_role;
create policy service_read on app.user_usage for select to service_role using (true);
grant select on app.user_usage to authenticated;
create policy own_read on app.user_usage for select to authenticated using (user_id = (select app.current_user_id()));

-- No API role reads or writes the AI counters.
grant select, insert, update, delete on app.ai_usage, app.ai_days to hoplet_worker;
create policy worker_all on app.ai_usage to hoplet_worker using (true) with check (true);
create policy worker_all on app.ai_days to hoplet_worker using (true) with check (true);

-- Payments set the plan. The visit door asks whether pages of the owner's plan carry the mark.
grant select, update (plan_type) on app.user_plans to hoplet_billing;
create policy billing_read on app.user_plans for select to hoplet_billing using (true);
create policy billing_update on app.user_plans for update to hoplet_billing using (true) with check (true);
grant select on app.user_plans to hoplet_visits;
create policy visits_read on app.user_plans for select to hoplet_visits using (true);

grant execute on function app.usage_day(date) to authenticated, service_role;
grant execute on function app.sees_counts() to authenticated, anon, service_role;
