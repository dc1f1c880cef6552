-- Reports of clicks, and the rollups that make them quick.
--
-- The procedures here check rights, and return the question: which scope of which account, between which
-- moments, in which time zone. The server counts hits where they are, in PostgreSQL or ClickHouse, and makes the answer
-- (server/analytics/reports/). Figures are counted apart as counted, repeats, own, bots and imported.

-- The words for the letters of app.click_events.
create function app.click_word(_by text, _letter text) returns text
language sql immutable parallel safe set search_path = '' as $$
  select case _by
    when 'verdict' then case _letter when 'c' then 'counted' when 'r' then 'repeat' when 'o' then 'own' when 'h'
      then 'head'
      when 'f' then 'prefetch' when 'p' then 'previewer' when 'b' then 'crawler' when 'm' then 'monitor' when 'g'
        then 'program' when 's' then 'password' when 'v' then 'preview_page' when 'y' then 'not_yet' when 'x' then 'ended'
      when 'i' then 'imported' end
    when 'source' then case _letter when 'l' then 'link' when 'q' then 'qr' when 'b' then 'bio' when 'p' then 'popup'
      when 'a' then 'api' end
    else _letter end
$$;

-- How an hour is written in reports.
create function app.hour_name(_at timestamptz) returns text
language sql stable parallel safe set search_path = ''
return to_char(_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"');

-- The stretches of a span in which visitors are counted once: a day of the zone, or by 'hour' an hour. Hours begin at
-- the full hour of the zone, wherever the range begins.
create function app.visitor_buckets(_by text, _zone text, _from timestamptz, _span tstzrange) returns table (name text,
  starts_at timestamptz, ends_at timestamptz)
language sql stable parallel safe set search_path = '' as $$
  select app.hour_name(h), greatest(h, lower(_span)), least(h + interval '1 hour', upper(_span))
    from generate_series(date_bin('1 hour', lower(_span), date_trunc('hour', _from, _zone)),
      upper(_span) - interval '1 microsecond', interval '1 hour') h where _by = 'hour'
  union all
  select case when _by in ('day', 'month') then date_trunc(_by, d)::date::text else '' end,
      greatest(app.local_start(d::date, _zone), lower(_span)), least(app.local_start(d::date + 1, _zone), upper(_span))
    from generate_series(date_trunc('day', lower(_span) at time zone _zone),
      (upper(_span) - interval '1 microsecond') at time zone _zone, interval '1 day') d
    where _by <> 'hour'
$$;

-- Which of a scope's days between two moments are in the rollups as a whole.
create function app.rolled_days(_scope integer, _grain "char", _zone text, _from timestamptz,
  _to timestamptz) returns table (day date, hits bigint)
language sql stable security definer set search_path = '' as $$
  select r.day, r.counted::bigint + r.repeats + r.own + r.bots + r.imported from app.click_rollups r
  where r.scope = _scope and r.grain = _grain and r.dimension = 'total'
    and r.day between (_from at time zone _zone)::date and (_to at time zone _zone)::date
    and app.local_start(r.day, _zone) >= _from
    and app.local_start(case _grain when 'm' then (r.day + interval '1 month')::date else r.day + 1 end, _zone) <= _to
$$;

-- About how many hits a scope has between two moments: by the rollups, and for days that are not in them as far as the
-- account's UTC days tell.
create function app.about_hits(_scope integer, _account integer, _zone text, _from timestamptz,
  _to timestamptz) returns bigint
language sql stable security definer set search_path = '' as $$
  with rolled as materialized (select * from app.rolled_days(_scope, 'd', _zone, _from, _to)),
    of_account as materialized (select * from app.rolled_days(_account, 'd', _zone, _from, _to)),
    received as (
      -- The part of the day that is asked for, of the part that is over.
      select d.day, d.received * least(1, greatest(0, date_part('epoch',
        least(_to, b.ends_at) - greatest(_from, b.starts_at))
        / greatest(1, date_part('epoch', b.ends_at - b.starts_at)))) as hits
      from app.click_account_days d cross join lateral (
        select app.local_start(d.day, 'UTC') as starts_at, least(now(), app.local_start(d.day + 1, 'UTC')) as ends_at) b
      where d.account = _account and d.day between (_from at time zone 'UTC')::date and (_to at time zone 'UTC')::date)
  select (coalesce((select sum(r.hits) from rolled r), 0)
    -- A target's day that is not in the rollups though its account's is has few hits.
    + coalesce((select sum(case when d.day in (select o.day from of_account o) and _scope <> _account
      then least(d.hits, 500) else d.hits end)
      from received d where d.day not in (select r.day from rolled r)), 0))::bigint
$$;

-- From where the figures of a scope between two moments come: the days and months that are rolled up as a whole, and
-- the spans of time between them, of which hits are counted, in microseconds since 1970 as {from, to, from, to, …}.
-- Filters and hours (_uses_rollups false) need hits. ClickHouse has its own sums: it needs no months.
create function app.report_plan(_scope integer, _account integer, _zone text, _from timestamptz, _to timestamptz,
  _uses_rollups boolean, _uses_months boolean)
returns table (in_clickhouse boolean, days date[], months date[], spans bigint[])
language plpgsql stable security definer set search_path = '' as $$
declare
  rest tstzmultirange := tstzmultirange(tstzrange(_from, _to));
begin
  in_clickhouse := app.hits_are_in_clickhouse();
  months := '{}';
  days := '{}';
  if _uses_rollups then
    if _uses_months and not in_clickhouse then
      months := array(select r.day from app.rolled_days(_scope, 'm', _zone, _from, _to) r);
    end if;
    days := array(select r.day from app.rolled_days(_scope, 'd', _zone, _from, _to) r
      where date_trunc('month', r.day)::date <> all (months));
    rest := rest - coalesce((
      select range_agg(tstzrange(app.local_start(s.first, _zone), app.local_start(s.next, _zone)))
      from (select d as first, d + 1 as next from unnest(days) d
        union all select m, (m + interval '1 month')::date from unnest(months) m) s), '{}');
  end if;
  spans := array(select v from unnest(rest) span
    cross join lateral (values (app.micros(lower(span))), (app.micros(upper(span)))) x (v));
  return next;
end $$;

-- The spans of time between the days of a scope that are rolled up.
create function app.spans_not_rolled(_scope integer, _zone text, _from timestamptz, _to timestamptz)
returns tstzmultirange
language sql stable security definer set search_path = '' as $$
  select tstzmultirange(tstzrange(_from, _to))
    - coalesce(range_agg(tstzrange(app.local_start(d.day, _zone), app.local_start(d.day + 1, _zone))), '{}')
  from app.rolled_days(_scope, 'd', _zone, _from, _to) d
$$;

-- Puts a day or a month of an account, and of its targets that had 500 hits or more in it, into the rollups, with a day
-- also its popups. A month is made of the days that are there and of the events of the others, which are read
-- once.
create function app.roll_up(_account integer, _grain "char", _start date) returns void
language plpgsql volatile security definer set search_path = '' set work_mem = '64MB' as $$
declare
  zone text := app.click_zone(_account);
  last date := case _grain when 'm' then (_start + interval '1 month')::date - 1 else _start end;
  first timestamptz := app.local_start(_start, zone);
  next timestamptz := app.local_start(last + 1, zone);
begin
  perform pg_advisory_xact_lock(hashtextextended('hoplet.rollups', _account));
  -- Another server was quicker, or hits are on their way.
  if exists (select from app.rolled_days(_account, _grain, zone, first, next)) or app.has_move_at_work(_account) then return; end if;
  with quarters as materialized (
      select q as starts_at, (q at time zone zone)::date as day,
        (floor(date_part('epoch',
          (q at time zone zone) - timestamp '1970-01-01') / 3600)::integer + 72) % 168 as weekhour
      from generate_series(first, next - interval '1 microsecond', interval '15 minutes') q),
    rolled as materialized (
      select r.scope, r.day, r.counted + r.repeats + r.own + r.bots + r.imported as hits
      from app.click_scopes a join app.click_scopes s on s.user_id = a.user_id
        join app.click_rollups r on r.scope = s.id
      where a.id = _account and s.kind <> 'popup' and r.grain = 'd' and r.dimension = 'total' and r.day between _start
        and last),
    hits as materialized (
      select e.scope, e.visitor, e.origin, e.place, e.client, e.verdict, e.source, q.day, q.weekhour,
        t.scope is null as is_new, a.scope is null as is_new_for_account
      from app.click_events e
        join quarters q on q.starts_at = date_bin('15 minutes', e.at, timestamptz '1970-01-01 00:00Z')
        left join rolled t on t.scope = e.scope and t.day = q.day
        left join rolled a on a.scope = _account and a.day = q.day
      where e.account = _account and app.hour_of(e.at) between app.hour_of(first) and app.hour_of(next)
        and e.at >= first and e.at < next
        and (t.scope is null or a.scope is null)),
    busy as materialized (
      select b.scope from (
        select h.scope, count(*) as hits from hits h where h.is_new group by 1 union all select r.scope, r.hits
          from rolled r) b
      where b.scope <> _account group by 1 having sum(b.hits) >= 500),
    counted as (
      select _account as of, h.* from hits h where h.is_new_for_account
      union all select h.scope, h.* from hits h where h.is_new and h.scope in (select b.scope from busy b)),
    groups as materialized (
      select c.of, c.scope, c.origin, c.place, c.client, c.verdict, c.source, c.weekhour,
        case 0 when grouping(c.scope) then 'scope' when grouping(c.origin) then 'origin'
          when grouping(c.place) then 'place' when grouping(c.client) then 'client'
          when grouping(c.verdict) then 'verdict' when grouping(c.source) then 'source'
          when grouping(c.weekhour) then 'weekhour' else 'total' end as kind,
        count(*) filter (where c.verdict = 'c') as counted, count(*) filter (where c.verdict = 'r') as repeats,
        count(*) filter (where c.verdict = 'o') as own, count(*)
          filter (where not app.is_of_person(c.verdict) and not app.is_imported(c.verdict)) as bots,
        count(*) filter (where app.is_imported(c.verdict)) as imported
      from counted c
      group by grouping sets ((c.of, c.scope), (c.of, c.origin), (c.of, c.place), (c.of, c.client), (c.of, c.verdict),
        (c.of, c.source),
        (c.of, c.weekhour), (c.of))),
    named as (
      select g.of, d.name, d.value, g.counted, g.repeats, g.own, g.bots, g.imported, 0 as visitors from groups g
        join app.click_origins o on o.id = g.origin
        cross join lateral (values ('referrer', o.referrer), ('page', o.page), ('utm_source', o.utm_source),
          ('utm_medium', o.utm_medium),
          ('utm_campaign', o.utm_campaign), ('utm_term', o.utm_term), ('utm_content', o.utm_content),
          ('rule', o.rule), ('variant', o.variant), ('placement', o.placement)) d (name, value)
            where g.kind = 'origin'
      union all
      select g.of, d.name, d.value, g.counted, g.repeats, g.own, g.bots, g.imported, 0 from groups g
        join app.click_places p on p.id = g.place
        cross join lateral (values ('country', p.country), ('region', p.region), ('city', p.city)) d (name, value)
          where g.kind = 'place'
      union all
      select g.of, d.name, d.value, g.counted, g.repeats, g.own, g.bots, g.imported, 0 from groups g
        join app.click_clients l on l.id = g.client
        cross join lateral (values ('device', l.device), ('browser', l.browser), ('system', l.system),
          ('language', l.language), ('bot', l.bot))
          d (name, value) where g.kind = 'client'
      union all
      select g.of, d.name, d.value, g.counted, g.repeats, g.own, g.bots, g.imported, 0 from groups g
        cross join lateral (values ('scope', 'target', g.scope::text),
          ('verdict', 'verdict', app.click_word('verdict', g.verdict::text)),
          ('source', 'source', app.click_word('source', g.source::text)), ('weekhour', 'weekhour', g.weekhour::text),
            ('total', 'total', '')) d (kind, name, value)
        where g.kind = d.kind and (d.name <> 'target' or g.of = _account)
      union all
      select v.of, 'total', '', 0, 0, 0, 0, 0, count(*)
      from (select distinct c.of, c.day, c.visitor from counted c where c.visitor <> 0 and c.verdict in ('c', 'r')) v
        group by 1
      union all
      select r.scope, r.dimension, r.value, r.counted, r.repeats, r.own, r.bots, r.imported, r.visitors
      from app.click_rollups r
      where r.scope in (select b.scope from busy b union all select _account) and r.grain = 'd'
        and r.dimension = any (app.rollup_dimensions()) and r.day between _start and last
      union all
      -- Also a day without hits has a row.
      select _account, 'total', '', 0, 0, 0, 0, 0, 0)
  insert into app.click_rollups (scope, grain, dimension, day, value, counted, repeats, own, bots, imported, visitors)
    select n.of, _grain, n.name, _start, n.value, sum(n.counted), sum(n.repeats), sum(n.own), sum(n.bots),
      sum(n.imported), sum(n.visitors)
    from named n group by 1, 3, 5;
  if _grain = 'd' then perform app.roll_up_popups(_account, _start); end if;
end $$;

-- With ClickHouse only the totals of a day are rolled up, which the server asks there: of the account and of its busy
-- scopes, as [{"scope", "counted", "repeats", "own", "bots", "imported", "visitors"}]. Nothing of the day may be on its way.
create function app.roll_up_totals(_account integer, _day date, _totals jsonb) returns void
language plpgsql volatile security definer set search_path = '' as $$
declare
  zone text := app.click_zone(_account);
  next timestamptz := app.local_start(_day + 1, zone);
begin
  perform pg_advisory_xact_lock(hashtextextended('hoplet.rollups', _account));
  if exists (select from app.rolled_days(_account, 'd', zone, app.local_start(_day, zone), next))
    or app.has_move_at_work(_account) or exists (select from app.click_outbox o where o.kind = 'h' and o.first_at < next
      and (o.delivered_at is null or o.made_at > now() - interval '10 minutes')
      and _account::text = any (string_to_array(o.columns[4], e'\n'))) then return; end if;
  insert into app.click_rollups (scope, grain, dimension, day, value, counted, repeats, own, bots, imported, visitors)
    select t.scope, 'd', 'total', _day, '', sum(t.counted), sum(t.repeats), sum(t.own), sum(t.bots),
      -- Release 1.0.0 knows no imported ones.
      coalesce(sum(t.imported), 0), sum(t.visitors)
    from (select r.* from jsonb_to_recordset(_totals)
        as r (scope integer, counted bigint, repeats bigint, own bigint, bots bigint, imported bigint, visitors bigint)
      -- Also a day without hits has a row.
      union all select _account, 0, 0, 0, 0, 0, 0) t
    where exists (select from app.click_scopes s where s.id = t.scope) group by 1;
end $$;

-- Days of accounts that had 500 hits or more on one of the UTC days they touch, then months in which they had as many,
-- each once it ended two hours ago and no day of its account is left. The oldest of each account first, then the second
-- of each: an account with years of them, as after a change of its time zone, keeps no other waiting. With ClickHouse
-- only days, and none while hits wait.
create function app.due_rollups(_limit integer) returns table (account integer, grain "char", day date,
  in_clickhouse boolean, from_micros bigint, to_micros bigint)
language sql stable security definer set search_path = '' as $$
  with store as materialized (select app.hits_are_in_clickhouse() as in_clickhouse),
    received as materialized (select d.account, d.day, d.received from app.click_account_days d
      where d.account not in (select a from app.link_moves m cross join lateral (values (m.from_scope), (m.to_scope)) x (a)
        where m.state = 'arriving')),
    -- Materialized, so that the zone of an account is asked for once, not for each of its days several times.
    zones as materialized (
      select a.account, app.click_zone(a.account) as zone from (select distinct r.account from received r) a),
    busy as (
      select r.account, r.day, z.zone from received r join zones z on z.account = r.account where r.received >= 500),
    days as (
      select distinct b.account, b.day + n as day, b.zone from busy b cross join generate_series(-1, 1) n
      where app.local_start(b.day + n + 1, b.zone) < now() - interval '2 hours'
        -- A day that does not touch the busy one has nothing of it.
        and app.local_start(b.day + n, b.zone) < (b.day + 1)::timestamp at time zone 'UTC'
        and app.local_start(b.day + n + 1, b.zone) > b.day::timestamp at time zone 'UTC'),
    open_days as materialized (
      select d.account, d.day from days d where not exists (
        select from app.click_rollups r where r.scope = d.account and r.grain = 'd' and r.dimension = 'total'
          and r.day = d.day)),
    due_days as (
      select o.account, o.day from open_days o
      order by row_number() over (partition by o.account order by o.day), o.day, o.account limit _limit),
    months as (
      select r.account, date_trunc('month', r.day)::date as month from received r
      where r.account not in (select o.account from open_days o) group by 1, 2 having sum(r.received) >= 500),
    due_months as (
      select m.account, m.month from months m join zones z on z.account = m.account
      where app.local_start((m.month + interval '1 month')::date, z.zone) < now() - interval '2 hours'
        and not exists (select from app.click_rollups r where r.scope = m.account and r.grain = 'm'
          and r.dimension = 'total' and r.day = m.month)
      order by row_number() over (partition by m.account order by m.month), m.month, m.account limit _limit)
  select d.account, 'd'::"char", d.day, s.in_clickhouse, app.micros(app.local_start(d.day, app.click_zone(d.account))),
    app.micros(app.local_start(d.day + 1, app.click_zone(d.account)))
  from due_days d, store s
  where not s.in_clickhouse or not exists (select from app.click_outbox o
    where o.delivered_at is null and o.made_at < now() - interval '10 minutes')
  union all
  select m.account, 'm', m.month, false, null, null from due_months m, store s where not s.in_clickhouse
$$;

-- Another time zone has other days.
create function app.delete_rollups_of_zone() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  delete from app.click_rollups r using app.click_scopes s where s.user_id = new.id and r.scope = s.id;
  return null;
end $$;
create trigger delete_rollups_of_zone after update of time_zone on app.profiles for each row
  when (coalesce(old.time_zone, 'UTC') <> coalesce(new.time_zone, 'UTC')) execute function app.delete_rollups_of_zone();

-- Rights --

-- The requested scope and its account, both 0 before the first hit. Only owners on a plan that shows clicks,
-- admins and the service see any; other people's targets do not exist for them. A tag is the account narrowed to the
-- targets that have it now, and in other scopes they are null.
create function app.asked_scope(_scope text, _id uuid) returns table (scope integer, account integer, zone text,
  targets jsonb)
language plpgsql stable security definer set search_path = '' as $$
declare
  me uuid := app.current_user_id();
  sees_all boolean := app.is_admin_or_service();
  found_kind text;
  found_owner uuid;
  found_tag text;
begin
  perform app.require_counts();
  if _scope is null or _scope not in ('account', 'link', 'bio', 'bio_link', 'tag', 'popup') then
    raise exception 'Unknown scope: %. Use account, link, bio, bio_link or tag', coalesce(left(_scope, 50), 'null')
      using errcode = '22023';
  end if;
  if _scope = 'account' then
    found_kind := 'account';
    found_owner := coalesce(_id, me);
  elsif _scope = 'tag' then
    select 'tag', t.user_id, t.name into found_kind, found_owner, found_tag from app.tags t where t.id = _id;
  else
    select t.kind, t.user_id into found_kind, found_owner from app.click_targets(array[_id]) t;
    if not found then select s.kind, s.user_id into found_kind, found_owner from app.click_scopes s
      where s.ref = _id; end if;
  end if;
  if found_owner is null or found_kind is distinct from _scope or (found_owner <> me and not sees_all)
    or (me is null and not sees_all) then
    raise exception 'No such %', replace(_scope, '_', ' ') using errcode = 'P0002';
  end if;
  account := coalesce((select s.id from app.click_scopes s where s.ref = found_owner), 0);
  scope := case when _scope in ('account', 'tag') then account
    else coalesce((select s.id from app.click_scopes s where s.ref = _id), 0) end;
  zone := coalesce((select p.time_zone from app.profiles p where p.id = found_owner), 'UTC');
  targets := case when found_tag is not null then app.scopes_with_tags(account, array[found_tag]) end;
  return next;
end $$;

-- Microseconds since 1970, which a server reads without losing any. Hits have times within these centuries.
create function app.micros(_at timestamptz) returns bigint
language sql immutable parallel safe strict
return (extract(epoch from greatest(timestamptz '1970-01-01 00:00Z', least(timestamptz '2200-01-01 00:00Z', _at)))
  * 1000000)::bigint;

-- Every bucket of a range, whether something happened in it or not: as [{"value", "key"}], which are how figures name it
-- and when it begins. (Days between dates would be counted in the time zone of the session.)
create function app.click_buckets(_by text, _zone text, _from timestamptz, _to timestamptz) returns jsonb
language sql stable set search_path = '' as $$
  select jsonb_agg(jsonb_build_object('value', b.value, 'key', app.hour_name(b.starts_at)) order by b.starts_at)
  from (
    select app.hour_name(h) as value, h as starts_at
      from generate_series(date_trunc('hour', _from, _zone), _to - interval '1 microsecond', interval '1 hour') h
      where _by = 'hour'
    union all
    select d::date::text, app.local_start(d::date, _zone)
      from generate_series(date_trunc('day', _from at time zone _zone),
        (_to - interval '1 microsecond') at time zone _zone, interval '1 day') d where _by = 'day'
    union all
    select m::date::text, app.local_start(m::date, _zone)
      from generate_series(date_trunc('month', _from at time zone _zone),
        (_to - interval '1 microsecond') at time zone _zone, interval '1 month') m where _by = 'month') b
$$;

-- A range has at most that length; null: any.
create function app.check_range(_from timestamptz, _to timestamptz, _longest interval) returns void
language plpgsql immutable set search_path = '' as $$
begin
  if _from is null or _to is null or not isfinite(_from) or not isfinite(_to) or _to - _from > _longest then
    raise exception 'The range is empty or too long' using errcode = '22023';
  end if;
end $$;

-- The numbers of an account's links that have one of these tags now, as texts; with '' also those of links and pages
-- without one. Names of tags are compared as when links get them.
create function app.scopes_with_tags(_account integer, _tags text[]) returns jsonb
language sql stable security definer set search_path = '' as $$
  with account as (select a.user_id from app.click_scopes a where a.id = _account),
    names as (select array(select t.name from account a join app.tags t on t.user_id = a.user_id
      where lower(t.name) in (select lower(btrim(w)) from unnest(_tags) w)) as wanted)
  select coalesce(jsonb_agg(f.id::text), '[]') from (
    select s.id from names n, account a join app.shortened_urls u on u.user_id = a.user_id
        join app.click_scopes s on s.ref = u.id
      where u.tags <> '{}' and u.tags && n.wanted
    union all
    select s.id from account a join app.click_scopes s on s.user_id = a.user_id
        left join app.shortened_urls u on u.id = s.ref
      where '' = any (_tags) and s.kind in ('link', 'bio') and coalesce(u.tags, '{}') = '{}') f
$$;

-- The tags of links by their numbers, in rows of a number and a tag.
create function app.tags_of_scopes(_scopes integer[]) returns table (scope integer, tag text)
language sql stable security definer set search_path = '' as $$
  select s.id, t.tag from app.click_scopes s join app.shortened_urls u on u.id = s.ref cross join unnest(u.tags) t (tag)
  where s.id = any (_scopes)
$$;
grant execute on function app.tags_of_scopes(integer[]) to hoplet_reports;

-- The domain of each target of these numbers, '' on the own host and for a deleted one. An entry of a bio page has that of its page.
create function app.domains_of_scopes(_scopes integer[]) returns table (scope integer, domain text)
language sql stable security definer set search_path = '' as $$
  select s.id, coalesce(u.domain, p.domain, '') from app.click_scopes s
    left join app.shortened_urls u on u.id = s.ref
    left join app.bio_links l on l.id = s.ref
    left join app.bio_pages p on p.id = coalesce(l.bio_page_id, s.ref)
  where s.id = any (_scopes)
$$;
grant execute on function app.domains_of_scopes(integer[]) to hoplet_reports;

-- The numbers of an account's targets on one of these domains, as texts; '' is the own host.
create function app.scopes_on_domains(_account integer, _domains text[]) returns jsonb
language sql stable security definer set search_path = '' as $$
  select coalesce(jsonb_agg(d.scope::text), '[]') from app.domains_of_scopes(array(
    select s.id from app.click_scopes a join app.click_scopes s on s.user_id = a.user_id
    where a.id = _account and s.kind in ('link', 'bio', 'bio_link'))) d
  where d.domain in (select lower(btrim(w)) from unnest(_domains) w)
$$;

-- {"country": ["DE", "FR"], "source": ["qr"]} as a question has it: checked, with the numbers of targets. A tag
-- means the links that have it now, a domain the links and pages there, among the targets if there are any, and all of them are among
-- those of the scope. With a link a placement may be given by its mark alone.
create function app.asked_filters(_filters jsonb, _account integer, _targets jsonb, _link uuid) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
declare
  one record;
  allowed jsonb := _targets;
  narrowed jsonb;
begin
  for one in select f.key, f.value from jsonb_each(_filters) f loop
    if one.key <> all (app.click_dimensions() || '{tag,domain}'::text[]) or jsonb_typeof(one.value) <> 'array' then
      raise exception 'Unknown filter: %', left(one.key, 50) using errcode = '22023';
    end if;
    if jsonb_array_length(one.value) > 100 then
      raise exception 'A filter has at most 100 values' using errcode = '22023';
    end if;
  end loop;
  for one in select f.key, array(select left(v, 253) from jsonb_array_elements_text(f.value) v) as wanted
      from jsonb_each(_filters) f where f.key in ('tag', 'domain') loop
    narrowed := case one.key when 'tag' then app.scopes_with_tags(_account, one.wanted)
      else app.scopes_on_domains(_account, one.wanted) end;
    allowed := case when allowed is null then narrowed else (select coalesce(jsonb_agg(v), '[]') from (
      select jsonb_array_elements_text(allowed) intersect select jsonb_array_elements_text(narrowed)) b (v)) end;
  end loop;
  return (select coalesce(jsonb_object_agg(f.key, case f.key
        when 'target' then (select coalesce(jsonb_agg(s.id::text), '[]') from app.click_scopes s where s.ref::text in (
          select left(v, 1000) from jsonb_array_elements_text(f.value) v)
          and (allowed is null or allowed ? s.id::text))
        when 'placement' then (select coalesce(jsonb_agg(case
            when v = '' or strpos(v, '/') > 0 or _link is null then lower(left(v, 100))
            else _link || '/' || lower(left(v, 8)) end), '[]')
          from jsonb_array_elements_text(f.value) v where v is not null)
        else (select coalesce(jsonb_agg(left(v, 1000)), '[]')
          from jsonb_array_elements_text(f.value) v where v is not null) end), '{}')
      || case when allowed is null or _filters ? 'target' then '{}' else jsonb_build_object('target', allowed) end
    from jsonb_each(_filters) f where f.key not in ('tag', 'domain'));
end $$;

-- The procedures: each returns a question (server/analytics/reports/question.ts); the answer to a client is in
-- docs/analytics.md --

-- Periods of reports (domain/reports/hits.ts).
create function app.click_periods() returns text[]
language sql immutable parallel safe
return '{total,hour,day,month,weekhour}'::text[];

-- One report: a scope (_scope, _id), by which dimension or bucket of time, between which moments.
create function api.click_report(_scope text, _by text, _from timestamptz, _to timestamptz, _id uuid default null,
  _filters jsonb default '{}', _include text[] default '{repeats,own}', _limit integer default 10,
  _exact boolean default false) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
declare
  asked record;
begin
  select * into asked from app.asked_scope(_scope, _id);
  if _by is null or _by <> all (app.click_periods() || app.click_dimensions() || '{tag,domain}'::text[]) then
    raise exception 'Unknown dimension: %', left(_by, 50) using errcode = '22023';
  end if;
  perform app.check_range(_from, _to,
    case _by when 'hour' then interval '8 days' when 'day' then interval '400 days' else interval '11 years' end);
  if _from >= _to then raise exception 'The range is empty or too long' using errcode = '22023'; end if;
  if not _include <@ '{repeats,own,bots,imported}' or jsonb_typeof(_filters) <> 'object' then
    raise exception 'Unknown switch or filter' using errcode = '22023';
  end if;
  return jsonb_build_object('scope', asked.scope, 'account', asked.account, 'zone', asked.zone,
    'by', case when _by in ('tag', 'domain') then 'target' else _by end,
    'group', case when _by in ('tag', 'domain') then _by end,
    'from', app.micros(_from), 'to', app.micros(_to), 'from_text', _from, 'to_text', _to,
    'filters', app.asked_filters(coalesce(_filters, '{}'), asked.account, asked.targets,
      case _scope when 'link' then _id end),
    'include', coalesce(_include, '{}'), 'limit', greatest(0, least(_limit, 1000)), 'exact', coalesce(_exact, true),
    'buckets', app.click_buckets(_by, asked.zone, _from, _to));
end $$;

-- Single hits, the newest first, before a cursor: "time.visitor.place", in microseconds. The last part
-- is the number of earlier hits of that visitor at that moment: identical rows are interchangeable.
create function api.click_hits(_scope text, _from timestamptz, _to timestamptz, _id uuid default null,
  _filters jsonb default '{}', _include text[] default '{repeats,own}', _before text default null,
  _limit integer default 50) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
declare
  asked record;
begin
  select * into asked from app.asked_scope(_scope, _id);
  perform app.check_range(_from, _to, null);
  if not _include <@ '{repeats,own,bots,imported}' or jsonb_typeof(_filters) <> 'object' then
    raise exception 'Unknown switch or filter' using errcode = '22023';
  end if;
  return jsonb_build_object('scope', asked.scope, 'account', asked.account,
    'from', app.micros(_from), 'to', app.micros(_to),
    'filters', app.asked_filters(coalesce(_filters, '{}'), asked.account, asked.targets,
      case _scope when 'link' then _id end),
    'include', coalesce(_include, '{}'), 'limit', greatest(1, least(_limit, 1000)),
    'before', case when _before is not null then jsonb_build_object(
      'at', split_part(_before, '.', 1)::bigint, 'visitor', nullif(split_part(_before, '.', 2), '')::bigint::text,
      'place', coalesce(nullif(split_part(_before, '.', 3), '')::integer, 0)) end);
end $$;

-- Consistency check: hits received, counted apart, against the sum of their results.
create function api.click_integrity(_scope text default 'account', _id uuid default null) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
declare
  asked record;
  since date;
begin
  select * into asked from app.asked_scope(_scope, _id);
  select min(d.day) into since from app.click_account_days d where d.account = asked.account;
  return jsonb_build_object('scope', asked.scope, 'account', asked.account, 'zone', asked.zone,
    'filters', case when asked.targets is null then '{}' else jsonb_build_object('target', asked.targets) end,
    'from', app.micros(coalesce(since, app.today())::timestamp at time zone 'UTC'),
    'to', app.micros(date_trunc('hour', now(), 'UTC') + interval '24 hours'),
    -- Of one target it is counted; of an account but for hits that ClickHouse does not have yet.
    'received', case _scope when 'account' then coalesce((select sum(d.received) from app.click_account_days d
      where d.account = asked.account), 0) - app.waiting_hits(asked.account) end,
    'answer', jsonb_build_object('kept_since', since,
      'last_applied_at', (select max(m.updated_at) from app.click_segments m),
      'replays', (select count(*) from app.click_incidents i where i.kind = 'replay'),
      'incidents', coalesce((select jsonb_agg(jsonb_build_object('at', i.at, 'kind', i.kind, 'seconds', i.seconds)
        order by i.at desc)
        from (select * from app.click_incidents c where c.kind = 'clock' or c.account = asked.account
          order by c.at desc limit 20) i), '[]')));
end $$;

-- The last 30 days of up to 200 targets of a kind, and how many clicks each had in the 30 days before. Other people's
-- are left out.
create function api.click_trends(_kind text, _ids uuid[]) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
declare
  me uuid := app.current_user_id();
  zone text := coalesce((select p.time_zone from app.profiles p where p.id = me), 'UTC');
  today date := (now() at time zone zone)::date;
begin
  perform app.require_counts();
  if _kind is null or _kind not in ('link', 'bio', 'bio_link', 'popup') then
    raise exception 'Unknown kind: %. Use link, bio, bio_link or popup', coalesce(left(_kind, 50), 'null')
      using errcode = '22023';
  end if;
  if cardinality(_ids) > 200 then raise exception 'At most 200 ids' using errcode = '22023'; end if;
  return jsonb_build_object('kind', _kind, 'zone', zone,
    'account', coalesce((select s.id from app.click_scopes s where s.ref = me), 0),
    'targets', (select coalesce(jsonb_agg(jsonb_build_object('id', s.ref, 'scope', s.id)), '[]')
      from app.click_scopes s where s.ref = any (_ids) and s.kind = _kind and s.user_id = me),
    'from', app.micros(app.local_start(today - 59, zone)), 'to', app.micros(now() + interval '1 minute'),
    'days', (select jsonb_agg(today - 59 + n order by n) from generate_series(0, 59) n));
end $$;

-- Retention (server/postgres/retention/app.sql) --

-- Deletes up to that many hits of accounts that are gone, then those that are older than their account's plan keeps, a
-- UTC day of an account at a time. A day with more has its rollups and its row until a later call finds it
-- empty. _days is for example {"free": 90, "pro": 400, "business": 800}.
create function app.delete_old_clicks_now(_rows integer, _days jsonb) returns integer
language plpgsql volatile security definer set search_path = '' as $$
declare
  deleted integer := 0;
  one record;
  n integer;
begin
  -- Two servers would choose the same rows: one of them would find fewer, and take the rest for deleted.
  if not pg_try_advisory_xact_lock(hashtextextended('hoplet.click_retention', 0)) then return 0; end if;
  -- Hits that are on their way from or to the account go with it when they have arrived.
  for one in select e.account from app.click_erasures e where not app.has_move_at_work(e.account) order by e.account loop
    exit when deleted >= _rows;
    delete from app.click_events e where (e.tableoid, e.ctid) in (
      select x.tableoid, x.ctid from app.click_events x where x.account = one.account limit _rows - deleted);
    get diagnostics n = row_count;
    deleted := deleted + n;
    exit when deleted >= _rows;
    delete from app.popup_events e where (e.tableoid, e.ctid) in (
      select x.tableoid, x.ctid from app.popup_events x where x.popup = one.account limit _rows - deleted);
    get diagnostics n = row_count;
    deleted := deleted + n;
    exit when deleted >= _rows;
    delete from app.click_samples e where (e.tableoid, e.ctid) in (
      select x.tableoid, x.ctid from app.click_samples x where x.account = one.account limit _rows - deleted);
    get diagnostics n = row_count;
    deleted := deleted + n;
    exit when deleted >= _rows;
    delete from app.click_account_days d where d.account = one.account;
    delete from app.click_erasures e where e.account = one.account;
  end loop;
  for one in
    select d.account, d.day, d.day::timestamp at time zone 'UTC' as first,
      (d.day + 1)::timestamp at time zone 'UTC' as next, s.user_id
    from app.click_account_days d join app.click_scopes s on s.id = d.account
    where d.day < app.today() - (select min(v::integer) from jsonb_each_text(_days) as each (k, v))
      and d.day < app.today() - (_days ->> app.plan_of(s.user_id))::integer
    order by d.day limit 1000
  loop
    exit when deleted >= _rows;
    delete from app.click_events e where e.at >= one.first and e.at < one.next and (e.tableoid, e.ctid) in (
      select x.tableoid, x.ctid from app.click_events x where x.account = one.account and x.at >= one.first
        and x.at < one.next and app.hour_of(x.at) between app.hour_of(one.first) and app.hour_of(one.next)
      limit _rows - deleted);
    get diagnostics n = row_count;
    deleted := deleted + n;
    exit when deleted >= _rows;
    -- Everything until then: a popup may be closed on a day on which nothing was visited.
    delete from app.popup_events e where e.at < one.next and (e.tableoid, e.ctid) in (
      select x.tableoid, x.ctid from app.click_scopes s join app.popup_events x on x.popup = s.id
      where s.user_id = one.user_id and s.kind = 'popup' and x.at < one.next limit _rows - deleted);
    get diagnostics n = row_count;
    deleted := deleted + n;
    exit when deleted >= _rows;
    delete from app.click_samples e where (e.tableoid, e.ctid) in (
      select x.tableoid, x.ctid from app.click_samples x where x.account = one.account and x.at >= one.first
        and x.at < one.next and app.hour_of(x.at) between app.hour_of(one.first) and app.hour_of(one.next)
      limit _rows - deleted);
    get diagnostics n = row_count;
    deleted := deleted + n;
    exit when deleted >= _rows;
    delete from app.click_rollups r using app.click_scopes s where s.user_id = one.user_id and r.scope = s.id
      and r.dimension = any (app.rollup_dimensions())
      and (r.grain = 'd' and r.day <= one.day or r.grain = 'm' and r.day <= date_trunc('month', one.day)::date);
    delete from app.click_account_days d where d.account = one.account and d.day = one.day;
  end loop;
  return deleted;
end $$;

-- Makes the partitions of the next two months, and drops those that are older than any plan keeps.
create function app.keep_click_months(_days jsonb) returns integer
language plpgsql volatile security definer set search_path = '' set lock_timeout = '2s' as $$
declare
  oldest date := app.today() - (select max(v::integer) from jsonb_each_text(_days) as each (k, v));
  part record;
  dropped integer := 0;
begin
  perform app.make_click_months(app.today(), (app.today() + interval '2 months')::date);
  for part in select c.oid::regclass as name, c.relname from pg_catalog.pg_inherits i
    join pg_catalog.pg_class c on c.oid = i.inhrelid
    where i.inhparent in ('app.click_events'::regclass, 'app.popup_events'::regclass)
      and c.relname ~ '^(click|popup)_events_[0-9]{4}_[0-9]{2}$'
  loop
    if to_date(right(part.relname, 7), 'YYYY_MM') + interval '1 month' <= oldest then
      execute format('drop table %s', part.name);
      dropped := dropped + 1;
    end if;
  end loop;
  return dropped;
end $$;

-- Deletes rows that no hit can name any more: combinations that came last before the oldest hits, and, among a random
-- stretch of scopes, those without target and hits. But while ClickHouse has hits only it can tell which scopes
-- are unused (app.unused_click_scopes).
create function app.delete_unused_clicks(_rows integer, _days jsonb) returns integer
language plpgsql volatile security definer set search_path = '' as $$
declare
  oldest date := app.today() - 14 - (select max(v::integer) from jsonb_each_text(_days) as each (k, v));
begin
  delete from app.click_origins o where o.id in (select x.id from app.click_origins x where x.used_on < oldest
    and x.id > 0 limit _rows);
  delete from app.click_places o where o.id in (select x.id from app.click_places x where x.used_on < oldest
    and x.id > 0 limit _rows);
  delete from app.click_clients o where o.id in (select x.id from app.click_clients x where x.used_on < oldest
    and x.id > 0 limit _rows);
  if (select s.state from app.click_store s) = 'postgres'
    then perform app.delete_click_scopes(app.unused_click_scopes(_rows)); end if;
  delete from app.click_incidents i where i.at < now() - interval '90 days';
  return 0;
end $$;

create policy reports_read on app.click_clients for select to hoplet_reports using (true);
create policy reports_read on app.click_events for select to hoplet_reports using (true);
create policy reports_read on app.click_origins for select to hoplet_reports using (true);
create policy reports_read on app.click_places for select to hoplet_reports using (true);
create policy reports_read on app.click_rollups for select to hoplet_reports using (true);
create policy reports_read on app.click_samples for select to hoplet_reports using (true);
create policy reports_read on app.click_scopes for select to hoplet_reports using (true);
create policy reports_read on app.popup_events for select to hoplet_reports using (true);

grant execute on function
  api.click_hits(text, timestamptz, timestamptz, uuid, jsonb, text[], text, integer), api.click_integrity(text, uuid),
  api.click_report(text, text, timestamptz, timestamptz, uuid, jsonb, text[], integer, boolean),
  api.click_trends(text, uuid[])
  to authenticated, service_role;
grant execute on function
  app.due_rollups(integer), app.delete_old_clicks_now(integer, jsonb), app.delete_unused_clicks(integer, jsonb),
  app.keep_click_months(jsonb), app.roll_up(integer, "char", date), app.roll_up_totals(integer, date, jsonb)
  to hoplet_worker;
grant execute on function
  app.about_hits(integer, integer, text, timestamptz, timestamptz), app.click_word(text, text), app.hour_name(timestamptz),
  app.hour_of(timestamptz),
  app.local_start(date, text), app.report_plan(integer, integer, text, timestamptz, timestamptz, boolean, boolean),
  app.spans_not_rolled(integer, text, timestamptz, timestamptz), app.target_label(text, uuid),
  app.target_title(text, uuid), app.visitor_buckets(text, text, timestamptz, tstzrange)
  to hoplet_reports;

comment on function api.click_report(text, text, timestamptz, timestamptz, uuid, jsonb, text[], integer, boolean) is
  'Clicks of the account, a link, the bio page, one of its links or the links with a tag: totals, or by hour, day, month, hour of the week, or a dimension such as country.';
comment on function api.click_hits(text, timestamptz, timestamptz, uuid, jsonb, text[], text, integer) is
  'Single hits, the newest first.';
comment on function api.click_integrity(text, uuid) is 'Whether counters, days and hits agree.';
comment on function api.click_trends(text, uuid[]) is 'Clicks of the last 30 days, by day.';

-- Notes on days.
create trigger limit_notes after insert on app.day_notes
  for each row execute function app.limit_rows_of_account('500', 'notes');
create policy service_all on app.day_notes to service_role using (true) with check (true);
create policy own_all on app.day_notes to authenticated
  using (user_id = (select app.current_user_id())) with check (user_id = (select app.current_user_id()));
create view api.day_notes with (security_invoker = true) as select id, user_id, day, text, created_at from app.day_notes;
comment on view api.day_notes is 'Notes on days, shown in the reports of your account.';
grant select, insert, update, delete on api.day_notes to authenticated, service_role;
