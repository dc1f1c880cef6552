-- Who goes from lifetime limits to daily ones starts the day anew: what was made under the old plan has counted already.

-- From when on today's links count; null, or a moment of an earlier day, for the whole day.
alter table app.user_usage add column daily_since timestamptz;

-- As in 0004, and: the day starts with the plan. The clock is read under the lock that creates wait for.
create or replace function app.before_plan_change() returns trigger
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

-- A create that waited for the new plan was charged to it, so it was made after it.
create function app.date_link() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if new.created_at = now() then
    new.created_at := greatest(new.created_at, (select u.daily_since from app.user_usage u where u.user_id = new.user_id));
  end if;
  return new;
end $$;
-- After before_insert, which charges: triggers run in the order of their names.
create trigger before_insert_date before insert on app.shortened_urls
  for each row execute function app.date_link();

-- As in 0004, and: today's place comes back only to the plan that gave it.
create or replace function app.after_link_delete() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  made_today integer := ((old.created_at at time zone 'utc')::date = app.today())::integer;
begin
  update app.user_usage u set
    total_shortened_urls = greatest(u.total_shortened_urls - 1, 0),
    total_custom_codes = greatest(u.total_custom_codes - old.is_custom::integer, 0),
    daily_shortened_urls = case when u.day = app.today() and old.created_at >= coalesce(u.daily_since, '-infinity')
      then greatest(u.daily_shortened_urls - made_today, 0) else u.daily_shortened_urls end,
    daily_custom_codes = case when u.day = app.today() and old.created_at >= coalesce(u.daily_since, '-infinity')
      then greatest(u.daily_custom_codes - made_today * old.is_custom::integer, 0) else u.daily_custom_codes end
  where u.user_id = old.user_id;
  update app.names set released_at = now() where name = old.short_code and kind = 'link';
  return old;
end $$;

-- As in 0006, from the day's start with the plan on.
create or replace function api.increment_url_usage(_user_id uuid, _is_custom boolean default false) returns void
language plpgsql volatile security definer set search_path = '' as $$
declare
  since timestamptz;
  counted record;
begin
  perform app.require_self(_user_id);
  select greatest(app.today()::timestamp at time zone 'utc', u.daily_since) into since
    from app.user_usage u where u.user_id = _user_id for update;
  select count(*) as links, count(*) filter (where s.is_custom) as customs into counted
    from app.shortened_urls s where s.user_id = _user_id and s.created_at >= since;
  update app.user_usage u set
    daily_shortened_urls = counted.links, daily_custom_codes = counted.customs,
    daily_qr_codes = case when u.day = app.usage_day(u.day) then u.daily_qr_codes else 0 end,
    day = app.usage_day(u.day)
  where u.user_id = _user_id;
  select count(*) as links, count(*) filter (where s.is_custom) as customs into counted
    from (select l.is_custom from app.shortened_urls l where l.user_id = _user_id limit 1001) s;
  if counted.links <= 1000 then
    update app.user_usage u set total_shortened_urls = counted.links, total_custom_codes = counted.customs
    where u.user_id = _user_id;
  end if;
end $$;
