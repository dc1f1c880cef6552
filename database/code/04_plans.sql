-- Whether accounts have plans. PLANS=off gives every account the rights of Business, without quotas.
create function app.has_plans() returns boolean
language sql stable security definer set search_path = '' as $$
  select i.has_plans from app.installation i
$$;

-- Stores the choice of a server that starts. Pages in memory may have the mark of the plan Free.
create function app.settle_installation(_has_plans boolean, _links_per_account integer) returns void
language plpgsql volatile security definer set search_path = '' as $$
begin
  update app.installation i set has_plans = _has_plans, links_per_account = _links_per_account
    where (i.has_plans, i.links_per_account) <> (_has_plans, _links_per_account);
  if found then perform pg_notify('hoplet_names', '*'); end if;
end $$;

create function app.installation_facts() returns app.installation
language sql stable security definer set search_path = '' as $$
  select i from app.installation i
$$;
grant execute on function app.settle_installation(boolean, integer), app.installation_facts() to hoplet_worker;

-- Limits of each plan; null is none. domain/plans.ts holds the same figures for the screens; a test keeps the two equal.
create function app.plan_limits(plan text)
returns table (custom_codes integer, shortened_urls integer, qr_codes integer, limit_type text, can_view_clicks boolean,
  spaces integer, members integer, domains integer)
language sql stable set search_path = '' as $$
  select case when h.has_plans then l.custom_codes end, case when h.has_plans then l.shortened_urls end,
    case when h.has_plans then l.qr_codes end, l.limit_type, l.can_view_clicks,
    case when h.has_plans then l.spaces else 100 end, case when h.has_plans then l.members else 1000 end,
    case when h.has_plans then l.domains else 100 end
  from (values
    ('free', 2, 50, 0, 'lifetime', false, 1, 2, 1),
    ('pro', 2, 50, 50, 'daily', true, 3, 5, 3),
    ('business', 20, 500, 500, 'daily', true, 10, 25, 10)
  ) as l (plan_type, custom_codes, shortened_urls, qr_codes, limit_type, can_view_clicks, spaces, members, domains),
    (select app.has_plans() as has_plans) h
  where l.plan_type = plan
$$;

-- The day to count under, given the day last counted under. A transaction that began before midnight may get the row
-- after one that began later: then it counts for the new day, and never sets the row back.
-- (In standard form, like app.current_user_id: the API roles call it through a view and cannot name `app` themselves.)
create function app.usage_day(last date) returns date
language sql stable set search_path = ''
return case when last = app.today() + 1 then last else app.today() end;

create function app.plan_in_force(stored text) returns text
language sql stable security definer set search_path = '' as $$
  select case when app.has_plans() then stored else 'business' end
$$;

create function app.plan_of(account uuid) returns text
language sql stable security definer set search_path = '' as $$
  select app.plan_in_force(coalesce((select p.plan_type from app.user_plans p where p.user_id = account), 'free'))
$$;

-- The first question of every screen about an account, in one answer.
create function api.session_facts() returns jsonb
language sql stable security definer set search_path = '' as $$
  select jsonb_build_object(
    'plan_type', app.plan_of(app.current_user_id()),
    'role', case when app.has_admin_role() then 'admin' else 'user' end,
    'claims', (select jsonb_build_object('provider', s.claim_provider, 'are_due', s.claims_until <= now())
      from auth.sessions s where s.user_id = app.person_id()
        and s.id = nullif(app.claims() ->> 'session_id', '')::uuid and s.claims_until is not null),
    'time_zone', (select p.time_zone from app.profiles p where p.id = app.current_user_id()),
    'member_role', app.acting_role())
$$;
comment on function api.session_facts() is 'Facts about your account: its role, its rights, and the time zone of your reports.';
grant execute on function api.session_facts() to authenticated;

-- Click and visit counts are for owners on a plan that shows them, for admins, and for the service itself. An app of an
-- admin sees the admin's own: every caller checks the owner too.
create function app.sees_counts() returns boolean
language sql stable security definer set search_path = '' as $$
  select app.is_admin_or_service() or app.has_admin_role()
    or (select l.can_view_clicks from app.plan_limits(app.plan_of(app.current_user_id())) l)
$$;

create function app.require_counts() returns void
language plpgsql stable security definer set search_path = '' as $$
begin
  if not app.sees_counts() then
    raise exception 'Upgrade to view clicks' using errcode = '42501', hint = 'plan';
  end if;
end $$;

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

create function app.refuse_over_limit(kind text, plan text, limit_type text, max_count integer, used integer)
returns void
language plpgsql immutable set search_path = '' as $$
begin
  raise exception using errcode = 'P0001', message = 'Limit Reached',
    detail = jsonb_build_object('kind', kind, 'plan', plan, 'limitType', limit_type, 'limit', max_count,
      'current', used)::text,
    hint = app.limit_message(plan, limit_type, max_count, kind = 'custom');
end $$;

-- Without plans one bound is left: LINKS_PER_ACCOUNT.
create function app.refuse_full_account(links integer) returns void
language plpgsql stable security definer set search_path = '' as $$
declare
  most integer := (select i.links_per_account from app.installation i);
begin
  if links < most then return; end if;
  raise exception using errcode = 'P0001', hint = 'too_many_rows',
    message = format('You have %s links, which is the most that an account can have. Please delete some first.',
      ltrim(to_char(most, '999,999,999')));
end $$;

-- The counter row is the lock that the creates of one account queue on; those of a space wait for its maker's first, because the two may
-- share a lifetime counter.
create function app.lock_usage(account uuid) returns app.user_usage
language plpgsql security definer set search_path = '' as $$
declare
  used app.user_usage;
begin
  -- The account first: a deletion holds it first too, so that the two queue and never wait in a circle.
  perform 1 from auth.users u where u.id = account for key share;
  perform 1 from app.spaces s join app.user_usage u on u.user_id = s.made_by where s.id = account for no key update of u;
  insert into app.user_usage (user_id) values (account) on conflict do nothing;
  select * into used from app.user_usage u where u.user_id = account for update;
  return used;
end $$;

-- Used of the lifetime limits: by all accounts on Free that one person made.
create function app.lifetime_used(account uuid, out links integer, out custom_codes integer)
language sql stable security definer set search_path = '' as $$
  with maker as (select coalesce((select s.made_by from app.spaces s where s.id = account), account) as id),
    accounts as (select account as id union select m.id from maker m
      union select s.id from app.spaces s join maker m on s.made_by = m.id)
  select coalesce(sum(u.total_shortened_urls) filter (where a.id = account or app.plan_of(a.id) = 'free'), 0)::integer
      + coalesce(max(u.gone_shortened_urls) filter (where a.id = m.id), 0),
    coalesce(sum(u.total_custom_codes) filter (where a.id = account or app.plan_of(a.id) = 'free'), 0)::integer
      + coalesce(max(u.gone_custom_codes) filter (where a.id = m.id), 0)
  from accounts a cross join maker m left join app.user_usage u on u.user_id = a.id
$$;

-- Charges a link to its owner, a custom code, or both, or raises P0001. A rolled-back insert gives the charge back. Daily
-- counters start at 0 on a new UTC day. False for an imported link that an admin allowed without quota.
create function app.charge(account uuid, link boolean, custom boolean) returns boolean
language plpgsql security definer set search_path = '' as $$
declare
  plan text;
  limits record;
  used app.user_usage := app.lock_usage(account);
  customs integer;
  links integer;
  today date;
begin
  if link and used.import_allowance > 0 and app.has_plans() and current_setting('hoplet.import', true) = 'on' then
    update app.user_usage u set import_allowance = u.import_allowance - 1 where u.user_id = account;
    return false;
  end if;
  plan := app.plan_of(account);
  select * into limits from app.plan_limits(plan);
  today := app.usage_day(used.day);
  if used.day <> today then
    used.daily_custom_codes := 0; used.daily_shortened_urls := 0; used.daily_qr_codes := 0;
  end if;
  customs := used.daily_custom_codes;
  links := used.daily_shortened_urls;
  if limits.limit_type = 'lifetime' then
    select l.links, l.custom_codes into links, customs from app.lifetime_used(account) l;
  end if;
  if custom and customs >= limits.custom_codes then
    perform app.refuse_over_limit('custom', plan, limits.limit_type, limits.custom_codes, customs);
  elsif link and links >= limits.shortened_urls then
    perform app.refuse_over_limit('url', plan, limits.limit_type, limits.shortened_urls, links);
  elsif link and not app.has_plans() then
    perform app.refuse_full_account(used.total_shortened_urls);
  end if;
  update app.user_usage u set
    total_shortened_urls = u.total_shortened_urls + link::integer,
    total_custom_codes = u.total_custom_codes + custom::integer,
    daily_shortened_urls = used.daily_shortened_urls + link::integer,
    daily_custom_codes = used.daily_custom_codes + custom::integer,
    daily_qr_codes = used.daily_qr_codes,
    day = today
  where u.user_id = account;
  return true;
end $$;

-- A change of plan waits for the owner's creates under way, and they for it, so that none is judged by a plan that is
-- no longer in force. A person who goes from lifetime limits to daily ones starts the day with the plan: links that
-- were made under the old plan have counted already. The clock is read under the lock that creates wait for.
create function app.before_plan_change() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if new.plan_type <> old.plan_type and not app.has_plans() then
    raise exception using errcode = 'P0001', message = 'This server has no plans.';
  end if;
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

-- Free pages carry a mark that paid ones do not: the public page changes with the plan.
create function app.notify_plan() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform pg_notify('hoplet_names', b.slug) from app.bio_pages b where b.user_id = new.user_id;
  perform pg_notify('hoplet_names', 'popup:' || p.id) from app.popups p where p.user_id = new.user_id;
  return null;
end $$;
create trigger notify after update of plan_type on app.user_plans
  for each row when (old.plan_type is distinct from new.plan_type) execute function app.notify_plan();

create policy service_read on app.user_plans for select to service_role using (true);
create policy own_or_admin_read on app.user_plans for select to authenticated
  using (user_id = (select app.current_user_id()) or (select app.is_admin()));
create policy service_read on app.user_usage for select to service_role using (true);
create policy own_read on app.user_usage for select to authenticated using (user_id = (select app.current_user_id()));
create policy worker_all on app.ai_usage to hoplet_worker using (true) with check (true);
create policy worker_all on app.ai_days to hoplet_worker using (true) with check (true);
create policy billing_read on app.user_plans for select to hoplet_billing using (true);
create policy billing_update on app.user_plans for update to hoplet_billing using (true) with check (true);
create policy visits_read on app.user_plans for select to hoplet_visits using (true);

-- The plan in force. A trigger writes the stored one, for admins and the service: PostgreSQL cannot write through an
-- expression.
create view api.user_plans with (security_invoker = true) as
  select user_id, app.plan_in_force(plan_type) as plan_type from app.user_plans;

create function app.write_plan() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if not app.is_admin_or_service() then return null; end if;
  perform set_config('hoplet.writes_plan', 'yes', true);
  if tg_op = 'DELETE' then
    delete from app.user_plans p where p.user_id = old.user_id;
    new := old;
  elsif tg_op = 'INSERT' then
    insert into app.user_plans (user_id, plan_type) values (new.user_id, coalesce(new.plan_type, 'free'))
      returning plan_type into new.plan_type;
  else
    update app.user_plans p set user_id = new.user_id, plan_type = new.plan_type where p.user_id = old.user_id;
  end if;
  perform set_config('hoplet.writes_plan', '', true);
  return new;
end $$;
create trigger write instead of insert or update or delete on api.user_plans
  for each row execute function app.write_plan();

-- Yesterday's daily counters are 0 today. The totals of an account on Free are those that count against its lifetime limits.
create view api.user_usage with (security_invoker = true) as
  select user_id,
    case when app.plan_of(user_id) = 'free' then (app.lifetime_used(user_id)).custom_codes else total_custom_codes end
      as total_custom_codes,
    case when app.plan_of(user_id) = 'free' then (app.lifetime_used(user_id)).links else total_shortened_urls end
      as total_shortened_urls,
    case when day = app.usage_day(day) then daily_custom_codes else 0 end as daily_custom_codes,
    case when day = app.usage_day(day) then daily_shortened_urls else 0 end as daily_shortened_urls,
    case when day = app.usage_day(day) then daily_qr_codes else 0 end as daily_qr_codes
  from app.user_usage;

-- Facts about these columns that PostgreSQL cannot know, for the types that scripts/database-types.ts generates: an
-- expression that is never null, and a column that a trigger fills when an insert leaves it out.
comment on column api.user_usage.total_custom_codes is '@notNull';
comment on column api.user_usage.total_shortened_urls is '@notNull';
comment on column api.user_usage.daily_custom_codes is '@notNull';
comment on column api.user_usage.daily_shortened_urls is '@notNull';
comment on column api.user_usage.daily_qr_codes is '@notNull';

-- The five procedures that the specification names.

-- Advice before a create: {canCreate, limit, current, limitType, plan}. The insert itself enforces the limit.
create function api.can_create_url(_user_id uuid, _is_custom boolean default false) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
declare
  plan text := app.plan_of(_user_id);
  limits record;
  used record;
  link_count integer;
  custom_count integer;
begin
  perform app.require_self(_user_id);
  select * into limits from app.plan_limits(plan);
  if not app.has_plans() then
    link_count := (select u.total_shortened_urls from app.user_usage u where u.user_id = _user_id);
    return jsonb_build_object('canCreate', coalesce(link_count, 0) < (select i.links_per_account from app.installation i),
      'limit', null, 'current', coalesce(link_count, 0), 'limitType', limits.limit_type, 'plan', plan, 'kind', 'url');
  end if;
  select u.*, u.day = app.usage_day(u.day) as fresh into used from app.user_usage u where u.user_id = _user_id;
  if limits.limit_type = 'daily' then
    link_count := case when used.fresh then used.daily_shortened_urls else 0 end;
    custom_count := case when used.fresh then used.daily_custom_codes else 0 end;
  else
    select l.links, l.custom_codes into link_count, custom_count from app.lifetime_used(_user_id) l;
  end if;
  -- A custom code is a shortened URL as well: whichever limit is in the way is the one to tell.
  if coalesce(_is_custom, false) and (custom_count >= limits.custom_codes or link_count < limits.shortened_urls) then
    return jsonb_build_object('canCreate', custom_count < limits.custom_codes, 'limit', limits.custom_codes,
      'current', custom_count, 'limitType', limits.limit_type, 'plan', plan, 'kind', 'custom');
  end if;
  return jsonb_build_object('canCreate', link_count < limits.shortened_urls, 'limit', limits.shortened_urls,
    'current', link_count, 'limitType', limits.limit_type, 'plan', plan, 'kind', 'url');
end $$;

-- The charge was made with the insert; this recounts from the rows (from the start of the day with the plan on), so
-- that calling it never charges twice. It gives nothing back either: a deletion does that. The totals of a person with
-- very many links are left to the triggers, so that every call costs about the same.
create function api.increment_url_usage(_user_id uuid, _is_custom boolean default false) returns void
language plpgsql volatile security definer set search_path = '' as $$
declare
  since timestamptz;
  counted record;
begin
  perform app.require_self(_user_id);
  select greatest(app.today()::timestamp at time zone 'utc', u.daily_since) into since
    from app.user_usage u where u.user_id = _user_id for update;
  select count(*) as links, count(*) filter (where s.is_custom) as customs into counted
    from app.shortened_urls s where s.user_id = _user_id
      and ((s.charged_at is null and s.created_at >= since) or s.charged_at >= since);
  update app.user_usage u set
    daily_shortened_urls = greatest(counted.links,
      case when u.day = app.usage_day(u.day) then u.daily_shortened_urls else 0 end),
    daily_custom_codes = greatest(counted.customs,
      case when u.day = app.usage_day(u.day) then u.daily_custom_codes else 0 end),
    daily_qr_codes = case when u.day = app.usage_day(u.day) then u.daily_qr_codes else 0 end,
    day = app.usage_day(u.day)
  where u.user_id = _user_id;
  select count(*) as links, count(*) filter (where s.is_custom) as customs into counted
    from (select l.is_custom from app.shortened_urls l where l.user_id = _user_id
      and l.charged_at is distinct from '-infinity' limit 1001) s;
  if counted.links <= 1000 then
    update app.user_usage u set total_shortened_urls = greatest(counted.links, u.total_shortened_urls),
      total_custom_codes = greatest(counted.customs, u.total_custom_codes)
    where u.user_id = _user_id;
  end if;
end $$;

-- Checks and counts one QR download: {allowed, limit, current}. The free plan is neither checked nor counted, nor is
-- anybody where there are no plans.
create function api.increment_qr_usage(_user_id uuid) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  plan text := app.plan_of(_user_id);
  max_codes integer;
  used integer;
begin
  perform app.require_self(_user_id);
  select l.qr_codes into max_codes from app.plan_limits(plan) l;
  if plan = 'free' or not app.has_plans() then
    return jsonb_build_object('allowed', true, 'limit', max_codes, 'current', 0, 'plan', plan);
  end if;
  update app.user_usage u set
    daily_qr_codes = case when u.day = app.usage_day(u.day) then u.daily_qr_codes else 0 end + 1,
    daily_shortened_urls = case when u.day = app.usage_day(u.day) then u.daily_shortened_urls else 0 end,
    daily_custom_codes = case when u.day = app.usage_day(u.day) then u.daily_custom_codes else 0 end,
    day = app.usage_day(u.day)
  where u.user_id = _user_id and (u.day <> app.usage_day(u.day) or u.daily_qr_codes < max_codes)
  returning u.daily_qr_codes into used;
  return jsonb_build_object('allowed', used is not null, 'limit', max_codes, 'current', coalesce(used, max_codes),
    'plan', plan);
end $$;

-- Checks and counts downloads of QR codes that an account has not downloaded today in this look, all or none, as
-- api.increment_qr_usage counts one. Earlier days are forgotten, so an account has no more rows than a day's limit.
create function app.count_qr_downloads(_account uuid, _codes text[], _look text) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  plan constant text := app.plan_of(_account);
  max_codes integer;
  used app.user_usage;
  today date;
  fresh text[];
  total integer;
begin
  select l.qr_codes into max_codes from app.plan_limits(plan) l;
  if plan = 'free' or not app.has_plans() then
    return jsonb_build_object('allowed', true, 'limit', max_codes, 'plan', plan);
  end if;
  used := app.lock_usage(_account);
  today := app.usage_day(used.day);
  fresh := array(select distinct c from unnest(_codes) c where not exists (
    select from app.qr_downloads d where d.user_id = _account and d.day = today and d.code = c and d.look = _look));
  total := case when used.day = today then used.daily_qr_codes else 0 end + cardinality(fresh);
  if fresh = '{}' then
    return jsonb_build_object('allowed', true, 'limit', max_codes, 'plan', plan);
  end if;
  if total > max_codes then
    return jsonb_build_object('allowed', false, 'limit', max_codes, 'plan', plan);
  end if;
  delete from app.qr_downloads d where d.user_id = _account and d.day <> today;
  insert into app.qr_downloads (user_id, day, code, look) select _account, today, c, _look from unnest(fresh) c;
  update app.user_usage u set
    daily_qr_codes = total,
    daily_shortened_urls = case when u.day = today then u.daily_shortened_urls else 0 end,
    daily_custom_codes = case when u.day = today then u.daily_custom_codes else 0 end,
    day = today
  where u.user_id = _account;
  return jsonb_build_object('allowed', true, 'limit', max_codes, 'plan', plan);
end $$;
grant execute on function app.count_qr_downloads(uuid, text[], text) to hoplet_worker;

comment on view api.user_plans is 'Which plan an account has.';
comment on view api.user_usage is 'How much of the plan''s limits is used.';
comment on function api.can_create_url(uuid, boolean) is
  'Whether the plan allows one more link, with or without a code of your choice.';
comment on function api.increment_url_usage(uuid, boolean) is
  'Counts how many links the account has once more. Creating a link counts it already.';
comment on function api.increment_qr_usage(uuid) is 'Counts one downloaded QR code.';

grant execute on function
  api.can_create_url(uuid, boolean), api.increment_qr_usage(uuid), api.increment_url_usage(uuid, boolean),
  app.usage_day(date)
  to authenticated, service_role;
grant execute on function app.sees_counts() to anon, authenticated, service_role;
grant execute on function app.plan_in_force(text), app.plan_of(uuid), app.lifetime_used(uuid) to authenticated, service_role;
grant execute on function app.plan_of(uuid) to hoplet_visits, hoplet_billing;

grant select, insert, update, delete on api.user_plans to service_role;
grant select, update (plan_type) on api.user_plans to authenticated;

grant select on api.user_usage to authenticated, service_role;
