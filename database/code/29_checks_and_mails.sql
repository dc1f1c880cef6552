-- `health` is null where no destination of the caller was checked: there is nothing to choose.
create function api.click_mails() returns jsonb
language sql stable security definer set search_path = '' as $$
  select jsonb_build_object('milestones', coalesce(bool_or(m.milestones), false),
    'weekly', coalesce(bool_or(m.weekly), false),
    'health', case when exists (select from app.destination_checks c where c.user_id = app.current_user_id())
      then coalesce(bool_or(m.health), false) end)
  from app.click_mails m where m.user_id = app.current_user_id()
$$;

-- One that is left out stays.
create function api.set_click_mails(_milestones boolean default null, _weekly boolean default null,
  _health boolean default null) returns void
language sql volatile security definer set search_path = '' as $$
  insert into app.click_mails as m (user_id, milestones, weekly, health)
    values (app.current_user_id(), coalesce(_milestones, false), coalesce(_weekly, false), coalesce(_health, false))
    on conflict (user_id) do update set milestones = coalesce(_milestones, m.milestones),
      weekly = coalesce(_weekly, m.weekly), health = coalesce(_health, m.health)
$$;

-- Accounts that want emails of a kind and have a plan that shows clicks.
create function app.wants_click_mails(_kind text) returns table (user_id uuid, email text, account integer, zone text)
language sql stable security definer set search_path = '' as $$
  select m.user_id, b.email, s.id, coalesce(p.time_zone, 'UTC')
  from app.click_mails m join app.profiles p on p.id = m.user_id join app.click_scopes s on s.ref = m.user_id
    cross join lateral (select coalesce(p.email, app.space_mailbox(p.id)) as email) b
  where case _kind when 'milestones' then m.milestones else m.weekly end and b.email is not null
    and (select l.can_view_clicks from app.plan_limits(app.plan_of(m.user_id)) l)
$$;

-- Links that passed a milestone with the clicks of the last two hours, which are [{"account", "scope", "clicks"}]; of
-- several the highest. The outbox has the emails so far: after one about a milestone the lower ones are no news.
create function app.due_milestones(_recent jsonb) returns table (link uuid, email text, code text, milestone integer)
language sql stable security definer set search_path = '' as $$
  with milestones as (select n from unnest('{1,100,1000,10000}'::integer[]) n)
  select l.id, w.email, app.shown_name(l.short_code), max(m.n)
  from app.wants_click_mails('milestones') w
    join jsonb_to_recordset(_recent) as c (account integer, scope integer, clicks bigint) on c.account = w.account
    join app.click_scopes s on s.id = c.scope and s.kind = 'link' join app.shortened_urls l on l.id = s.ref
    join milestones m on l.click_count >= m.n and l.click_count - c.clicks < m.n
  where not exists (select from milestones h join app.mail_outbox o on o.key = format('milestone:%s:%s', l.id, h.n)
    where h.n >= m.n)
  group by 1, 2, 3
$$;

-- Accounts for which it is past Monday, eight o'clock, with hits in the last two weeks: 200 at a time,
-- in the order of their ids. `starts` are the two Mondays before and this one, in microseconds since 1970.
create function app.due_weekly_summaries(_after uuid) returns table (user_id uuid, email text, account integer,
  zone text, monday date, starts bigint[])
language sql stable security definer set search_path = '' as $$
  with weeks as (
    select w.*, date_trunc('week', now() at time zone w.zone)::date as monday from app.wants_click_mails('weekly') w
    where now() at time zone w.zone >= date_trunc('week', now() at time zone w.zone) + interval '8 hours')
  select w.user_id, w.email, w.account, w.zone, w.monday, array(
    select app.micros(app.local_start(w.monday - 7 * n, w.zone)) from generate_series(2, 0, -1) n)
  from weeks w
  where w.user_id > _after
    and not exists (select from app.mail_outbox o where o.key = format('weekly:%s:%s', w.user_id, w.monday))
    and exists (select from app.click_account_days d where d.account = w.account
      and d.day between w.monday - 15 and w.monday)
  order by w.user_id limit 200
$$;

grant execute on function api.click_mails(), api.set_click_mails(boolean, boolean, boolean) to authenticated;
grant execute on function
  app.due_milestones(jsonb), app.due_weekly_summaries(uuid), app.wants_click_mails(text)
  to hoplet_worker;

comment on function api.click_mails() is 'Which emails about clicks and destinations you get.';
comment on function api.set_click_mails(boolean, boolean, boolean) is 'Chooses which emails about clicks and destinations you get.';

-- Checks of the destinations of links (server/link-health/): the due ones, and their findings.
create policy worker_all on app.destination_checks to hoplet_worker using (true) with check (true);

-- Accounts after an id, in their order, that have links or checks.
create function app.accounts_to_check(_after uuid, _limit integer) returns setof uuid
language sql stable security definer set search_path = '' as $$
  select u.id from auth.users u
  where u.id > _after and (exists (select from app.shortened_urls s where s.user_id = u.id)
    or exists (select from app.destination_checks c where c.user_id = u.id))
  order by u.id limit _limit
$$;

-- Distinct addresses of an account that were not checked for a day: first those that failed once, then the longest unchecked; at
-- most 2,000 in a UTC day. The first call of a day deletes checks of addresses that no link has any more.
create function app.due_destinations(_user uuid, _limit integer)
returns table (url text, finding text, since timestamptz)
language plpgsql volatile security definer set search_path = '' as $$
declare
  today constant timestamptz := app.today()::timestamp at time zone 'utc';
  checked integer := (select count(*) from app.destination_checks c where c.user_id = _user and c.checked_at >= today);
begin
  if checked = 0 then
    delete from app.destination_checks c where c.user_id = _user and not exists (
      select from app.shortened_urls s where s.user_id = _user and app.address_hash(s.original_url) = c.address_hash);
  end if;
  if checked >= 2000 then return; end if;
  return query
    select a.url, c.finding, c.since
    from (select distinct s.original_url as url from app.shortened_urls s where s.user_id = _user and not s.is_disabled) a
      left join app.destination_checks c on c.user_id = _user and c.address_hash = app.address_hash(a.url)
    where c.checked_at is null or c.checked_at < now() - interval '1 day'
    order by coalesce(c.finding is null and c.since is not null, false) desc, c.checked_at nulls first, a.url
    limit least(_limit, 2000 - checked);
end $$;

-- Checks that owners asked for, the earliest first.
create function app.asked_destinations(_limit integer)
returns table (user_id uuid, url text, finding text, since timestamptz)
language sql stable security definer set search_path = '' as $$
  select c.user_id, s.original_url, c.finding, c.since
  from app.destination_checks c join app.shortened_urls s on s.id = c.asked_link and s.user_id = c.user_id
    and app.address_hash(s.original_url) = c.address_hash
  where c.asked_at > c.checked_at and c.asked_at > now() - interval '10 minutes'
  order by c.asked_at limit _limit
$$;

create function app.save_destination_check(_user uuid, _url text, _finding text, _reason text, _since timestamptz,
  _new_url text) returns void
language sql volatile security definer set search_path = '' as $$
  insert into app.destination_checks as c (user_id, address_hash, checked_at, finding, reason, since, new_url)
    select u.id, app.address_hash(_url), clock_timestamp(), _finding, _reason, _since, _new_url
    from auth.users u where u.id = _user
    on conflict (user_id, address_hash) do update set checked_at = excluded.checked_at, finding = excluded.finding,
      reason = excluded.reason, since = excluded.since, new_url = excluded.new_url
$$;

-- The caller's links with a finding, those of an account: the newest first.
create function app.unhealthy_links(_user uuid)
returns table (id uuid, created_at timestamptz, finding text, reason text, since timestamptz, checked_at timestamptz,
  new_url text)
language sql stable security definer set search_path = '' as $$
  select s.id, s.created_at, c.finding, c.reason, c.since, c.checked_at, c.new_url
  from app.destination_checks c join app.shortened_urls s on s.user_id = c.user_id
    and app.address_hash(s.original_url) = c.address_hash
  where c.user_id = _user and c.finding is not null and s.user_id = _user
$$;

-- {"counts": {"dead", "moved", "certificate"}, "links": [{id, short_code, domain, title, original_url, finding, reason, since,
-- checked_at, new_url}]}: a page of links, the newest first, after the link `_after`.
create function api.link_health(_finding text default null, _after uuid default null, _limit integer default 100)
returns jsonb
language plpgsql stable security definer set search_path = '' as $$
declare
  me constant uuid := app.current_user_id();
  edge timestamptz := (select s.created_at from app.shortened_urls s where s.id = _after and s.user_id = me);
begin
  if _finding not in ('dead', 'moved', 'certificate') then
    raise invalid_parameter_value using message = '_finding is dead, moved or certificate';
  end if;
  return (
    with found as materialized (select * from app.unhealthy_links(me)),
    page as (
      select f.* from found f
      where (_finding is null or f.finding = _finding) and (_after is null or (f.created_at, f.id) < (edge, _after))
      order by f.created_at desc, f.id desc limit least(greatest(coalesce(_limit, 100), 1), 1000))
    select jsonb_build_object(
      'counts', (select jsonb_build_object('dead', count(*) filter (where f.finding = 'dead'),
        'moved', count(*) filter (where f.finding = 'moved'),
        'certificate', count(*) filter (where f.finding = 'certificate')) from found f),
      'links', (select coalesce(jsonb_agg(jsonb_build_object('id', p.id, 'short_code', app.name_in(s.short_code), 'domain', s.domain, 'title', s.title,
        'original_url', s.original_url, 'finding', p.finding, 'reason', p.reason, 'since', p.since,
        'checked_at', p.checked_at, 'new_url', p.new_url) order by p.created_at desc, p.id desc), '[]')
        from page p join app.shortened_urls s on s.id = p.id)));
end $$;

-- The last check of the destination of a link of the caller: {checked_at, finding, reason, since, new_url, is_asked}; null when
-- there was none. A first failure is no finding, and not shown.
create function api.destination_check(_link uuid) returns jsonb
language sql stable security definer set search_path = '' as $$
  select jsonb_build_object('checked_at', c.checked_at, 'finding', c.finding,
    'reason', case when c.finding is not null then c.reason end,
    'since', case when c.finding is not null then c.since end, 'new_url', c.new_url,
    'is_asked', coalesce(c.asked_at > c.checked_at and c.asked_at > now() - interval '10 minutes', false))
  from app.shortened_urls s join app.destination_checks c on c.user_id = s.user_id
    and c.address_hash = app.address_hash(s.original_url)
  where s.id = _link and s.user_id = app.current_user_id()
$$;

-- The server that checks hears of it at once.
create function api.check_destination(_link uuid) returns void
language plpgsql volatile security definer set search_path = '' as $$
declare
  me constant uuid := app.current_user_id();
  address bytea := (select app.address_hash(s.original_url) from app.shortened_urls s where s.id = _link and s.user_id = me);
  known app.destination_checks;
begin
  if address is null then
    raise exception using errcode = 'PT404', message = 'This link does not exist.';
  end if;
  perform 1 from auth.users u where u.id = me for no key update;
  select * into known from app.destination_checks c where c.user_id = me and c.address_hash = address;
  if known.user_id is null then
    raise exception using errcode = 'PT409', message = 'This destination was not checked yet.',
      hint = 'new destinations are checked within a day where the server has CHECK_LINKS=on';
  end if;
  if known.asked_at > now() - interval '1 minute' then
    raise exception using errcode = 'PT429', message = 'Please wait a minute before you check this destination again.';
  end if;
  if (select count(*) from app.destination_checks c where c.user_id = me and c.asked_at > now() - interval '1 hour') >= 60 then
    raise exception using errcode = 'PT429', message = 'You can check 60 destinations again in an hour.';
  end if;
  update app.destination_checks c set asked_at = clock_timestamp(), asked_link = _link
    where c.user_id = me and c.address_hash = address;
  perform pg_notify('hoplet_checks', '');
end $$;

-- Accounts that asked for the weekly email, for which it is past Monday, eight o'clock, with the links that have findings: 200 at
-- a time, in the order of their ids.
create function app.due_health_mails(_after uuid)
returns table (user_id uuid, email text, monday date, dead integer, moved integer, certificate integer)
language sql stable security definer set search_path = '' as $$
  with weeks as (
    select m.user_id, b.email, date_trunc('week', now() at time zone coalesce(p.time_zone, 'UTC'))::date as monday
    from app.click_mails m join app.profiles p on p.id = m.user_id
      cross join lateral (select coalesce(p.email, app.space_mailbox(p.id)) as email) b
    where m.health and b.email is not null and m.user_id > _after and extract(epoch from
      now() at time zone coalesce(p.time_zone, 'UTC') - date_trunc('week', now() at time zone coalesce(p.time_zone, 'UTC')))
      >= 8 * 3600
      and exists (select from app.destination_checks c where c.user_id = m.user_id and c.finding is not null)),
  due as (select w.* from weeks w
    where not exists (select from app.mail_outbox o where o.key = format('health:%s:%s', w.user_id, w.monday))
    order by w.user_id limit 200)
  select d.user_id, d.email, d.monday, f.dead, f.moved, f.certificate
  from due d cross join lateral (
    select count(*) filter (where u.finding = 'dead')::integer as dead,
      count(*) filter (where u.finding = 'moved')::integer as moved,
      count(*) filter (where u.finding = 'certificate')::integer as certificate
    from app.unhealthy_links(d.user_id) u) f
  order by d.user_id
$$;

grant execute on function api.link_health(text, uuid, integer), api.destination_check(uuid), api.check_destination(uuid)
  to authenticated;
grant execute on function
  app.accounts_to_check(uuid, integer), app.due_destinations(uuid, integer), app.asked_destinations(integer),
  app.save_destination_check(uuid, text, text, text, timestamptz, text), app.due_health_mails(uuid)
  to hoplet_worker;
comment on function api.link_health(text, uuid, integer) is
  'Your links with a destination that is dead, has moved for good or has a bad certificate.';
comment on function api.destination_check(uuid) is 'The last check of the destination of a link of yours.';
comment on function api.check_destination(uuid) is 'Checks the destination of a link of yours again, soon.';
