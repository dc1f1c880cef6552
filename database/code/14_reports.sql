-- What reports say about hits, and the rollups that make them quick.
--
-- app.count_hits and app.count_visitors count events; app.report_rows adds what the rollups know, so that only the rest
-- is counted; the procedures of `api` decide who may see what. Figures are counted apart as counted, repeats, own and
-- bots, and the caller adds up what it wants to see.

-- The dictionary and column in which hits have a dimension. Without a dictionary it is a column of the hit itself.
create function app.click_dimension(_by text) returns table (key text, dictionary text)
language sql immutable set search_path = '' as $$
  select d.key, d.dictionary from (values
    ('device', 'client', 'click_clients'), ('browser', 'client', 'click_clients'),
      ('system', 'client', 'click_clients'),
    ('language', 'client', 'click_clients'), ('bot', 'client', 'click_clients'),
    ('country', 'place', 'click_places'), ('region', 'place', 'click_places'), ('city', 'place', 'click_places'),
    ('referrer', 'origin', 'click_origins'), ('page', 'origin', 'click_origins'),
    ('utm_source', 'origin', 'click_origins'), ('utm_medium', 'origin', 'click_origins'),
      ('utm_campaign', 'origin', 'click_origins'),
    ('utm_term', 'origin', 'click_origins'), ('utm_content', 'origin', 'click_origins'),
    ('target', 'scope', null), ('source', 'source', null), ('verdict', 'verdict', null)) as d (name, key, dictionary)
  where d.name = _by
$$;

-- The words for the letters of app.click_events.
create function app.click_word(_by text, _letter text) returns text
language sql immutable parallel safe set search_path = '' as $$
  select case _by
    when 'verdict' then case _letter when 'c' then 'counted' when 'r' then 'repeat' when 'o' then 'own' when 'h'
      then 'head'
      when 'f' then 'prefetch' when 'p' then 'previewer' when 'b' then 'crawler' when 'm' then 'monitor' when 'g'
        then 'program' end
    when 'source' then case _letter when 'l' then 'link' when 'q' then 'qr' when 'b' then 'bio' when 'p' then 'popup'
      when 'a' then 'api' end
    else _letter end
$$;

-- The filters as a condition on hits `e`: {"country": ["DE", "FR"], "source": ["qr"]}.
create function app.click_condition(_filters jsonb) returns text
language plpgsql stable set search_path = '' as $$
declare
  one record;
  place record;
  texts text[];
  ids integer[];
  condition text := '';
begin
  for one in select f.key, f.value from jsonb_each(_filters) f loop
    select * into place from app.click_dimension(one.key);
    if not found or jsonb_typeof(one.value) <> 'array' then
      raise exception 'Unknown filter: %', left(one.key, 50) using errcode = '22023';
    end if;
    texts := array(select left(v, 1000) from jsonb_array_elements_text(one.value) v limit 100);
    if place.dictionary is not null then
      execute format('select array(select id from app.%I where %I = any ($1))', place.dictionary, one.key) into ids
        using texts;
    elsif one.key = 'target' then
      ids := array(select s.id from app.click_scopes s where s.ref::text = any (texts));
    else
      condition := condition || format(' and e.%I = any (%L::"char"[])', place.key, array(
        select l from unnest('{a,b,c,f,g,h,l,m,o,p,q,r}'::text[]) l where app.click_word(one.key, l) = any (texts)));
      continue;
    end if;
    condition := condition || format(' and e.%I = any (%L::integer[])', place.key, ids);
  end loop;
  return condition;
end $$;

-- The hits of a scope between two moments, which are expressions, as the rest of a query. With a _rate they are those
-- of a sample.
create function app.hits_between(_scope integer, _is_account boolean, _condition text, _rate integer, _from text,
  _to text) returns text
language sql immutable set search_path = ''
return format('from app.%s = %s%s and e.at >= %s and e.at < %s and app.hour_of(e.at) between app.hour_of(%4$s) and app.hour_of(%5$s - interval ''1 microsecond'')',
  case when _rate is null then 'click_events e where e.'
    else format('click_samples e where e.rate = %s and e.', _rate) end
    || case when _is_account then 'account' else 'scope' end, _scope, _condition, _from, _to);

-- The query for the hits of a scope within spans of time, or null without one.
create function app.hits_query(_scope integer, _is_account boolean, _spans tstzmultirange, _condition text,
  _rate integer) returns text
language sql stable set search_path = '' as $$
  select case
    -- Few spans are written out, so that the planner knows the partitions and may use more than one process.
    when count(*) <= 4 then string_agg('select e.* ' || app.hits_between(_scope, _is_account, _condition, _rate,
      format('timestamptz %L', lower(span)), format('timestamptz %L', upper(span))), ' union all ')
    else format('select e.* from unnest(%L::tstzmultirange) span cross join lateral (select e.* %s) e', _spans,
      app.hits_between(_scope, _is_account, _condition, _rate, 'lower(span)', 'upper(span)')) end
  from unnest(_spans) span
$$;

-- How an hour is written in reports.
create function app.hour_name(_at timestamptz) returns text
language sql stable set search_path = ''
return to_char(_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"');

-- Hours of reports begin at the full hour of the report's time zone, wherever the range begins.

create function app.first_hour(_from timestamptz, _zone text) returns timestamptz
language sql stable set search_path = ''
return date_trunc('hour', _from, _zone);

-- Counts hits by a dimension, 'total', or 'hour' (from _from on), 'day', 'month' or 'weekhour' in the zone, each one
-- _rate times. A process is started for less than usual: how many hits of an hour there are, the planner
-- underestimates.
create function app.count_hits(_hits text, _by text, _zone text, _from timestamptz, _rate integer)
returns table (value text, counted bigint, repeats bigint, own bigint, bots bigint)
language plpgsql stable security definer set search_path = '' set parallel_setup_cost = 100
  set min_parallel_index_scan_size = '64kB' set enable_bitmapscan = off as $$
declare
  dimension record;
  sums constant text := 'count(*) filter (where e.verdict = ''c'') as counted, count(*) filter (where e.verdict = ''r'') as repeats,
    count(*) filter (where e.verdict = ''o'') as own, count(*) filter (where e.verdict in (''h'', ''f'', ''p'', ''b'', ''m'', ''g'')) as bots';
  key text;
  name text;
begin
  select * into dimension from app.click_dimension(_by);
  if dimension.key is not null then
    key := format('e.%I', dimension.key);
    name := case when dimension.dictionary is null then format('app.click_word(%L, g.key::text)', _by)
      else format('(select d.%I from app.%I d where d.id = g.key)', _by, dimension.dictionary) end;
  elsif _by = 'hour' then
    key := format('date_bin(''1 hour'', e.at, %L::timestamptz)', app.first_hour(_from, _zone));
    name := format('app.hour_name(g.key)');
  else
    -- Time zones differ by quarters of an hour, so few moments have to be brought into the zone.
    key := 'date_bin(''15 minutes'', e.at, timestamptz ''1970-01-01 00:00Z'')';
    name := format(case _by
      when 'total' then ''''''
      -- 1970-01-01 was a Thursday.
      when 'weekhour' then '((floor(date_part(''epoch'', (g.key at time zone %L) - timestamp ''1970-01-01'') / 3600)::integer + 72) %% 168)::text'
      else 'date_trunc(%2$L, g.key at time zone %1$L)::date::text' end, _zone, _by);
  end if;
  return query execute format(
    'select %s, (sum(g.counted) * %s)::bigint, (sum(g.repeats) * %2$s)::bigint, (sum(g.own) * %2$s)::bigint, (sum(g.bots) * %2$s)::bigint
      from (select %s as key, %s from (%s) e group by 1) g group by 1', name, coalesce(_rate, 1), key, sums, _hits);
end $$;

-- Counts the distinct visitors among a scope's hits of people who are not the owner within spans of time: of each day
-- of the zone, or by 'hour' of each hour from _from on. By 'month', 'total' and 'visitors' the days are added up.
create function app.count_visitors(_scope integer, _is_account boolean, _spans tstzmultirange, _condition text,
  _rate integer,
  _by text, _zone text, _from timestamptz) returns table (value text, visitors bigint)
language plpgsql stable security definer set search_path = '' set work_mem = '64MB' set enable_bitmapscan = off as $$
begin
  return query execute format(
    'select b.name, (sum(v.n) * %s)::bigint
      from unnest($1) span cross join app.visitor_buckets($2, $3, $4, span) b
        cross join lateral (select count(distinct e.visitor) as n %s and e.visitor <> 0 and e.verdict in (''c'', ''r'')) v
      where v.n > 0 group by 1',
    coalesce(_rate, 1), app.hits_between(_scope, _is_account, _condition, _rate, 'b.starts_at', 'b.ends_at'))
    using _spans, _by, _zone, _from;
end $$;

-- The stretches of a span in which visitors are counted once.
create function app.visitor_buckets(_by text, _zone text, _from timestamptz, _span tstzrange) returns table (name text,
  starts_at timestamptz, ends_at timestamptz)
language sql stable set search_path = '' as $$
  select app.hour_name(h), greatest(h, lower(_span)), least(h + interval '1 hour', upper(_span))
    from generate_series(date_bin('1 hour', lower(_span), app.first_hour(_from, _zone)),
      upper(_span) - interval '1 microsecond', interval '1 hour') h where _by = 'hour'
  union all
  select case when _by in ('total', 'visitors') then '' else date_trunc(_by, d)::date::text end,
      greatest(app.local_start(d::date, _zone), lower(_span)), least(app.local_start(d::date + 1, _zone), upper(_span))
    from generate_series(date_trunc('day', lower(_span) at time zone _zone),
      (upper(_span) - interval '1 microsecond') at time zone _zone, interval '1 day') d
    where _by <> 'hour'
$$;

-- Which of a scope's days between two moments are in the rollups as a whole.
create function app.rolled_days(_scope integer, _grain "char", _zone text, _from timestamptz,
  _to timestamptz) returns table (day date, hits bigint)
language sql stable security definer set search_path = '' as $$
  select r.day, r.counted::bigint + r.repeats + r.own + r.bots from app.click_rollups r
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

-- Of which sample a report is estimated: of that one visitor in so many, or null where it counts every hit. Filters and
-- hours need events; no more than about 300,000 are read, also of a year of 100,000,000.
create function app.sample_rate_of_events(_scope integer, _account integer, _by text, _from timestamptz,
  _to timestamptz, _filters jsonb) returns integer
language sql stable security definer set search_path = '' as $$
  select case when n > 9600000 then 512 when n > 300000 then 32 end
  from app.about_hits(_scope, _account, app.click_zone(_account), _from, _to) n where _filters <> '{}' or _by = 'hour'
$$;

-- The figures of a scope between two moments, from the rollups where they can tell and from events, or the sample of a
-- rate, for the rest. Visitors are counted by time, for 'total', and for 'visitors', which counts nothing else. A value
-- may be in several rows.
create function app.report_rows_of_events(_scope integer, _account integer, _by text, _from timestamptz,
  _to timestamptz, _filters jsonb, _rate integer)
returns table (value text, counted bigint, repeats bigint, own bigint, bots bigint, visitors bigint)
language plpgsql stable security definer set search_path = '' as $$
declare
  zone text := app.click_zone(_account);
  spans tstzmultirange := tstzmultirange(tstzrange(_from, _to));
  days date[];
  months date[] := '{}';
  condition text := app.click_condition(_filters);
begin
  if _filters = '{}' and _by <> 'hour' then
    days := array(select d.day from app.rolled_days(_scope, 'd', zone, _from, _to) d);
    if _by <> 'day' then
      months := array(select d.day from app.rolled_days(_scope, 'm', zone, _from, _to) d);
      days := array(select d from unnest(days) d where date_trunc('month', d)::date <> all (months));
    end if;
    spans := spans - coalesce((select range_agg(tstzrange(app.local_start(s.first, zone),
      app.local_start(s.next, zone))) from (
      select d as first, d + 1 as next from unnest(days) d
      union all select m, (m + interval '1 month')::date from unnest(months) m) s), '{}');
    return query
      select case _by when 'month' then date_trunc('month', r.day)::date::text when 'day' then r.day::text
        else r.value end,
        sum(r.counted), sum(r.repeats), sum(r.own), sum(r.bots), sum(r.visitors)
      from (select 'd'::"char" as grain, d as day from unnest(days) d union all select 'm', m from unnest(months) m) k
        join app.click_rollups r on r.scope = _scope and r.grain = k.grain and r.day = k.day
          and r.dimension = case when _by in ('day', 'month', 'visitors') then 'total' else _by end
      group by 1;
  end if;
  if isempty(spans) then return; end if;
  if _by <> 'visitors' then
    return query select c.*, 0::bigint
      from app.count_hits(app.hits_query(_scope, _scope = _account, spans, condition, _rate), _by, zone, _from,
        _rate) c;
  end if;
  if _by in ('total', 'visitors', 'hour', 'day', 'month') then
    return query select v.value, 0::bigint, 0::bigint, 0::bigint, 0::bigint, v.visitors
      from app.count_visitors(_scope, _scope = _account, spans, condition, _rate, _by, zone, _from) v;
  end if;
end $$;

-- Puts a day or a month of an account, and of its targets that had 500 hits or more in it, into the rollups, with a day
-- also its popups. A month is made of the days that are there and of the events of the others, which are read
-- once.
create function app.roll_up_events(_account integer, _grain "char", _start date) returns void
language plpgsql volatile security definer set search_path = '' set work_mem = '64MB' as $$
declare
  zone text := app.click_zone(_account);
  last date := case _grain when 'm' then (_start + interval '1 month')::date - 1 else _start end;
  first timestamptz := app.local_start(_start, zone);
  next timestamptz := app.local_start(last + 1, zone);
begin
  perform pg_advisory_xact_lock(hashtextextended('hoplet.rollups', _account));
  -- Another server was quicker.
  if exists (select from app.rolled_days(_account, _grain, zone, first, next)) then return; end if;
  with quarters as materialized (
      select q as starts_at, (q at time zone zone)::date as day,
        (floor(date_part('epoch',
          (q at time zone zone) - timestamp '1970-01-01') / 3600)::integer + 72) % 168 as weekhour
      from generate_series(first, next - interval '1 microsecond', interval '15 minutes') q),
    rolled as materialized (
      select r.scope, r.day, r.counted + r.repeats + r.own + r.bots as hits
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
          filter (where c.verdict in ('h', 'f', 'p', 'b', 'm', 'g')) as bots
      from counted c
      group by grouping sets ((c.of, c.scope), (c.of, c.origin), (c.of, c.place), (c.of, c.client), (c.of, c.verdict),
        (c.of, c.source),
        (c.of, c.weekhour), (c.of))),
    named as (
      select g.of, d.name, d.value, g.counted, g.repeats, g.own, g.bots, 0 as visitors from groups g
        join app.click_origins o on o.id = g.origin
        cross join lateral (values ('referrer', o.referrer), ('page', o.page), ('utm_source', o.utm_source),
          ('utm_medium', o.utm_medium),
          ('utm_campaign', o.utm_campaign), ('utm_term', o.utm_term), ('utm_content', o.utm_content)) d (name, value)
            where g.kind = 'origin'
      union all
      select g.of, d.name, d.value, g.counted, g.repeats, g.own, g.bots, 0 from groups g
        join app.click_places p on p.id = g.place
        cross join lateral (values ('country', p.country), ('region', p.region), ('city', p.city)) d (name, value)
          where g.kind = 'place'
      union all
      select g.of, d.name, d.value, g.counted, g.repeats, g.own, g.bots, 0 from groups g
        join app.click_clients l on l.id = g.client
        cross join lateral (values ('device', l.device), ('browser', l.browser), ('system', l.system),
          ('language', l.language), ('bot', l.bot))
          d (name, value) where g.kind = 'client'
      union all
      select g.of, d.name, d.value, g.counted, g.repeats, g.own, g.bots, 0 from groups g
        cross join lateral (values ('scope', 'target', g.scope::text),
          ('verdict', 'verdict', app.click_word('verdict', g.verdict::text)),
          ('source', 'source', app.click_word('source', g.source::text)), ('weekhour', 'weekhour', g.weekhour::text),
            ('total', 'total', '')) d (kind, name, value)
        where g.kind = d.kind and (d.name <> 'target' or g.of = _account)
      union all
      select v.of, 'total', '', 0, 0, 0, 0, count(*)
      from (select distinct c.of, c.day, c.visitor from counted c where c.visitor <> 0 and c.verdict in ('c', 'r')) v
        group by 1
      union all
      select r.scope, r.dimension, r.value, r.counted, r.repeats, r.own, r.bots, r.visitors from app.click_rollups r
      where r.scope in (select b.scope from busy b union all select _account) and r.grain = 'd'
        and r.dimension = any (app.rollup_dimensions()) and r.day between _start and last
      union all
      -- Also a day without hits has a row.
      select _account, 'total', '', 0, 0, 0, 0, 0)
  insert into app.click_rollups (scope, grain, dimension, day, value, counted, repeats, own, bots, visitors)
    select n.of, _grain, n.name, _start, n.value, sum(n.counted), sum(n.repeats), sum(n.own), sum(n.bots),
      sum(n.visitors)
    from named n group by 1, 3, 5;
  if _grain = 'd' then perform app.roll_up_popups(_account, _start); end if;
end $$;

-- What is due: days of accounts that had 500 hits or more on one of the UTC days they touch, then months in which they
-- had as many, each once it ended two hours ago. The oldest first.
create function app.due_rollups_of_events(_limit integer) returns table (account integer, grain "char", day date)
language sql stable security definer set search_path = '' as $$
  with received as materialized (select d.account, d.day, d.received from app.click_account_days d),
    busy as (select r.account, r.day, app.click_zone(r.account) as zone from received r where r.received >= 500),
    days as (
      select distinct b.account, b.day + n as day, b.zone from busy b cross join generate_series(-1, 1) n
      where app.local_start(b.day + n + 1, b.zone) < now() - interval '2 hours'
        -- A day that does not touch the busy one has nothing of it.
        and app.local_start(b.day + n, b.zone) < (b.day + 1)::timestamp at time zone 'UTC'
        and app.local_start(b.day + n + 1, b.zone) > b.day::timestamp at time zone 'UTC'),
    due_days as (
      select d.account, d.day from days d where not exists (
        select from app.click_rollups r where r.scope = d.account and r.grain = 'd' and r.dimension = 'total'
          and r.day = d.day)
      order by d.day, d.account limit _limit),
    months as (
      select r.account, date_trunc('month', r.day)::date as month from received r
      where not exists (select from due_days) group by 1, 2 having sum(r.received) >= 500),
    due_months as (
      select m.account, m.month from months m
      where app.local_start((m.month + interval '1 month')::date,
        app.click_zone(m.account)) < now() - interval '2 hours'
        and not exists (select from app.click_rollups r where r.scope = m.account and r.grain = 'm'
          and r.dimension = 'total' and r.day = m.month)
      order by m.month, m.account limit _limit)
  select d.account, 'd'::"char", d.day from due_days d
  union all select m.account, 'm', m.month from due_months m
$$;

-- Another time zone has other days.
create function app.forget_zone() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  delete from app.click_rollups r using app.click_scopes s where s.user_id = new.id and r.scope = s.id;
  return null;
end $$;
create trigger forget_zone after update of time_zone on app.profiles for each row
  when (coalesce(old.time_zone, 'UTC') <> coalesce(new.time_zone, 'UTC')) execute function app.forget_zone();

-- Who may see what --

-- The scope that someone asks for, and its account, both 0 before the first hit. Only owners whose plan shows clicks,
-- admins and the service see any; other people's targets do not exist for them.
create function app.asked_scope(_scope text, _id uuid) returns table (scope integer, account integer, zone text)
language plpgsql stable security definer set search_path = '' as $$
declare
  me uuid := app.current_user_id();
  -- An app of an admin sees what is the admin's own (docs/decisions/0062).
  sees_all boolean := app.is_admin() and app.claims() ->> 'client_id' is null
    or coalesce(app.claims() ->> 'role' = 'service_role', false);
  found_kind text;
  found_owner uuid;
begin
  if not app.sees_counts() then
    raise exception 'Upgrade to view clicks' using errcode = '42501', hint = 'plan';
  end if;
  if _scope = 'account' then
    found_kind := 'account';
    found_owner := coalesce(_id, me);
  else
    select t.kind, t.user_id into found_kind, found_owner from app.click_targets(array[_id]) t;
    if not found then select s.kind, s.user_id into found_kind, found_owner from app.click_scopes s
      where s.ref = _id; end if;
  end if;
  if found_owner is null or found_kind is distinct from _scope or (found_owner <> me and not sees_all)
    or (me is null and not sees_all) then
    raise exception 'No such %', case when _scope in ('link', 'bio', 'bio_link', 'popup') then replace(_scope, '_', ' ')
      else 'scope' end
      using errcode = 'P0002';
  end if;
  return query select coalesce((select s.id from app.click_scopes s where s.ref = case _scope when 'account'
    then found_owner else _id end), 0),
    coalesce((select s.id from app.click_scopes s where s.ref = found_owner), 0),
    coalesce((select p.time_zone from app.profiles p where p.id = found_owner), 'UTC');
end $$;

-- The figures of what someone wants to see: clicks that counted, and of the others those in _include.
create function app.shown_clicks(counted bigint, repeats bigint, own bigint, bots bigint,
  _include text[]) returns bigint
language sql immutable
return counted + case when 'repeats' = any (_include) then repeats else 0 end + case when 'own' = any (_include)
  then own else 0 end
  + case when 'bots' = any (_include) then bots else 0 end;

-- Every bucket of a range, whether something happened in it or not.
create function app.click_buckets(_by text, _zone text, _from timestamptz, _to timestamptz) returns table (value text,
  starts_at timestamptz)
language sql stable set search_path = '' as $$
  select app.hour_name(h), h
    from generate_series(app.first_hour(_from, _zone), _to - interval '1 microsecond', interval '1 hour') h
      where _by = 'hour'
  union all
  select d::date::text, app.local_start(d::date, _zone)
    from generate_series((_from at time zone _zone)::date, ((_to - interval '1 microsecond') at time zone _zone)::date,
      interval '1 day') d where _by = 'day'
  union all
  select m::date::text, app.local_start(m::date, _zone)
    from generate_series(date_trunc('month', _from at time zone _zone),
      (_to - interval '1 microsecond') at time zone _zone, interval '1 month') m where _by = 'month'
$$;

-- One report: who or what (_scope, _id), by which dimension or bucket of time, between which moments. server/analytics/
-- and docs/analytics.md describe the result. A row without a value is of all values that are not listed.
create function api.click_report(_scope text, _by text, _from timestamptz, _to timestamptz, _id uuid
  default null, _filters jsonb default '{}',
  _include text[] default '{repeats,own}', _limit integer default 10, _exact boolean default false) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
declare
  asked record;
  rows jsonb;
  all_clicks bigint;
  all_visitors bigint;
  all_counted bigint;
  rate integer;
  is_time boolean := _by in ('hour', 'day', 'month');
begin
  select * into asked from app.asked_scope(_scope, _id);
  if not is_time and _by not in ('total', 'weekhour') and not exists (select from app.click_dimension(_by)) then
    raise exception 'Unknown dimension: %', left(_by, 50) using errcode = '22023';
  end if;
  if _from is null or _to is null or not isfinite(_from) or not isfinite(_to) or _from >= _to
    or _to - _from > interval '11 years'
    or (_by = 'hour' and _to - _from > interval '8 days') or (_by = 'day' and _to - _from > interval '400 days') then
    raise exception 'The range is empty or too long' using errcode = '22023';
  end if;
  if not _include <@ '{repeats,own,bots}' or jsonb_typeof(_filters) <> 'object' then
    raise exception 'Unknown switch or filter' using errcode = '22023';
  end if;
  rate := case when not _exact then app.sample_rate(asked.scope, asked.account, _by, _from, _to, _filters) end;
  with found as materialized (
      select r.value, sum(r.counted)::bigint as counted, sum(r.repeats)::bigint as repeats, sum(r.own)::bigint as own,
        sum(r.bots)::bigint as bots,
        sum(r.visitors)::bigint as visitors
      from app.report_rows(asked.scope, asked.account, case _by when 'total' then 'verdict' else _by end, _from, _to,
        _filters, rate) r group by 1),
    shown as materialized (
      select f.*, case when _by = 'total' then f.counted + f.repeats + f.own + f.bots
        when _by = 'bot' then f.bots else app.shown_clicks(f.counted, f.repeats, f.own, f.bots, _include) end as clicks
      from found f),
    listed as (
      select b.value, b.starts_at, coalesce(s.clicks, 0) as clicks, coalesce(s.visitors, 0) as visitors
        from app.click_buckets(_by, asked.zone, _from, _to) b left join shown s on s.value = b.value
      union all
      (select s.value, null, s.clicks, s.visitors from shown s where not is_time and s.value is not null
        and s.clicks > 0 and (_by <> 'bot' or s.value <> '')
        order by s.clicks desc, s.value limit case _by when 'weekhour' then 168
          else greatest(0, least(_limit, 1000)) end)),
    labelled as (
      select l.*, t.ref, t.kind, app.target_label(t.kind, t.ref) as label
      from listed l left join app.click_scopes t on _by = 'target' and t.id::text = l.value)
  select (select jsonb_agg(jsonb_strip_nulls(jsonb_build_object(
        'key', coalesce(l.ref::text, app.hour_name(l.starts_at), l.value),
        'clicks', l.clicks, 'visitors', case when is_time then l.visitors end, 'label', l.label, 'kind', l.kind))
      order by l.starts_at, case _by when 'weekhour' then l.value::integer end, l.clicks desc, l.value)
        from labelled l),
    coalesce(sum(case when _by = 'total' then app.shown_clicks(s.counted, s.repeats, s.own, s.bots, _include)
      else s.clicks end)
      filter (where _by <> 'bot' or s.value is distinct from ''), 0), coalesce(sum(s.counted), 0),
        coalesce(sum(s.visitors), 0)
    into rows, all_clicks, all_counted, all_visitors from shown s;
  if _by = 'total' then
    select coalesce(sum(r.visitors), 0) into all_visitors
      from app.report_rows(asked.scope, asked.account, 'visitors', _from, _to, _filters, rate) r;
  end if;
  return jsonb_strip_nulls(jsonb_build_object('by', _by, 'from', _from, 'to', _to, 'time_zone', asked.zone, 'clicks',
    all_clicks,
      'visitors', case when is_time or _by = 'total' then all_visitors end,
      'returning', case when _by = 'total' then greatest(0, all_counted - all_visitors) end,
      'rows', coalesce(rows, '[]'),
      'rest', all_clicks - coalesce((select sum((r ->> 'clicks')::bigint) from jsonb_array_elements(rows) r
        where _by <> 'total'), all_clicks)))
    || jsonb_build_object('sampled', rate);
end $$;

-- Single hits, the newest first, before a cursor. Searched backwards in growing steps, so that neither a busy nor a
-- quiet target has much read.
create function app.click_hits_of_events(_scope text, _from timestamptz, _to timestamptz, _id uuid default null,
  _filters jsonb default '{}',
  _include text[] default '{repeats,own}', _before text default null, _limit integer default 50) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
declare
  asked record;
  max_rows integer := greatest(1, least(_limit, 1000));
  before_at timestamptz := coalesce(to_timestamp(split_part(_before, '.', 1)::bigint / 1000000.0), _to);
  before_visitor bigint := nullif(split_part(_before, '.', 2), '')::bigint;
  -- Of the hits of that visitor at that moment, so many were before: those that are alike in everything are as good as
  -- each other.
  before_count integer := coalesce(nullif(split_part(_before, '.', 3), '')::integer, 0);
  upper_end timestamptz := least(before_at, _to);
  lower_end timestamptz;
  step interval := interval '1 minute';
  condition text;
  hits jsonb := '[]';
  more jsonb;
begin
  select * into asked from app.asked_scope(_scope, _id);
  if _from is null or _to is null or not isfinite(_from) or not isfinite(_to) then
    raise exception 'The range is empty or too long' using errcode = '22023';
  end if;
  condition := app.click_condition(_filters) || format(' and e.verdict = any (%L::"char"[])', array['c']
    || case when 'repeats' = any (_include) then array['r'] else '{}' end || case when 'own' = any (_include)
      then array['o'] else '{}' end
    || case when 'bots' = any (_include) then array['h', 'f', 'p', 'b', 'm', 'g'] else '{}' end);
  while jsonb_array_length(hits) < max_rows and upper_end > _from loop
    lower_end := greatest(_from, upper_end - step);
    execute format($sql$
      select jsonb_agg(jsonb_build_object('cursor', (date_part('epoch', h.at) * 1000000)::bigint || '.' || h.visitor
        || '.' || h.n, 'at', h.at, 'kind', t.kind,
          'target', t.ref, 'label', app.target_label(t.kind, t.ref),
          'verdict', app.click_word('verdict', h.verdict::text), 'source', app.click_word('source', h.source::text),
          'referrer', o.referrer, 'page', o.page, 'country', p.country, 'region', p.region, 'city', p.city, 'device',
            c.device,
          'browser', c.browser, 'system', c.system, 'language', c.language, 'bot', c.bot,
          'utm', jsonb_strip_nulls(jsonb_build_object('source', nullif(o.utm_source, ''), 'medium',
            nullif(o.utm_medium, ''),
            'campaign', nullif(o.utm_campaign, ''), 'term', nullif(o.utm_term, ''), 'content',
              nullif(o.utm_content, ''))))
          order by h.at desc, h.visitor desc, h.n)
      from (select e.*, row_number() over (partition by e.at, e.visitor order by e.scope, e.origin, e.place, e.client,
        e.verdict, e.source) as n
          from (select e.* from app.click_events e
            where e.%I = %s %s and e.at >= $1 and e.at <= $2 and (e.at < $2 or (e.at, e.visitor) <= ($4, $3)) %s
            order by e.at desc, e.visitor desc, e.scope, e.origin, e.place, e.client, e.verdict, e.source
              limit $5 + $6) e) h
        join app.click_scopes t on t.id = h.scope join app.click_origins o on o.id = h.origin
        join app.click_places p on p.id = h.place join app.click_clients c on c.id = h.client
      where (h.at, h.visitor) is distinct from ($4, $3) or h.n > $6 $sql$,
      case _scope when 'account' then 'account' else 'scope' end, case _scope when 'account' then asked.account
        else asked.scope end,
      -- Within minutes the index by time reads less than all of an hour.
      case when upper_end - lower_end > interval '10 minutes'
        then 'and app.hour_of(e.at) between app.hour_of($1) and app.hour_of($2)' else '' end,
      condition)
      into more using lower_end, upper_end, before_visitor, before_at, max_rows - jsonb_array_length(hits),
        before_count;
    hits := hits || coalesce(more, '[]');
    upper_end := lower_end;
    before_at := lower_end;
    before_visitor := null;
    before_count := 0;
    step := step * 6;
  end loop;
  return hits;
end $$;

-- Whether the figures add up: hits received, counted apart, against the sum of what became of them.
create function api.click_integrity(_scope text default 'account', _id uuid default null) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
declare
  asked record;
  since date;
  verdicts jsonb;
  total bigint;
  counted bigint;
begin
  select * into asked from app.asked_scope(_scope, _id);
  select min(d.day) into since from app.click_account_days d where d.account = asked.account;
  select coalesce(jsonb_object_agg(r.value, r.n), '{}'), coalesce(sum(r.n), 0),
    coalesce(sum(r.n) filter (where r.value in ('counted', 'repeat', 'own')), 0)
    into verdicts, total, counted
    from (select x.value, sum(x.counted + x.repeats + x.own + x.bots)::bigint as n
      from app.report_rows(asked.scope, asked.account, 'verdict',
        coalesce(since, app.today())::timestamp at time zone 'UTC', date_trunc('hour', now()) + interval '1 day', '{}',
        null) x
      group by 1) r;
  return jsonb_build_object(
    'received', case _scope when 'account' then coalesce((select sum(d.received) from app.click_account_days d
      where d.account = asked.account), 0)
      - app.waiting_hits(asked.account) else total end,
    'counted', counted, 'filtered', total - counted, 'by_verdict', verdicts, 'kept_since', since,
    'last_applied_at', (select max(m.updated_at) from app.click_segments m),
    'replays', (select count(*) from app.click_incidents i where i.kind = 'replay'),
    'incidents', coalesce((select jsonb_agg(jsonb_build_object('at', i.at, 'kind', i.kind, 'seconds', i.seconds)
      order by i.at desc)
      from (select * from app.click_incidents c where c.kind = 'clock' or c.account = asked.account order by c.at desc
        limit 20) i), '[]'));
end $$;

-- The clicks of some of an account's targets by day of its zone, since a day: from the account's rollups where they can
-- tell, because those have all of its targets.
create function app.clicks_by_day_of_events(_account integer, _targets integer[],
  _since date) returns table (target integer, day date, clicks bigint)
language plpgsql stable security definer set search_path = '' set enable_bitmapscan = off as $$
declare
  zone text := app.click_zone(_account);
  since timestamptz := app.local_start(_since, zone);
  until timestamptz := now() + interval '1 minute';
  days date[] := array(select d.day from app.rolled_days(_account, 'd', zone, since, until) d);
  spans tstzmultirange := tstzmultirange(tstzrange(since, until))
    - coalesce((select range_agg(tstzrange(app.local_start(d, zone), app.local_start(d + 1, zone)))
      from unnest(days) d), '{}');
begin
  return query
    select t, r.day, r.counted::bigint + r.repeats + r.own
    from unnest(_targets) t cross join unnest(days) d
      join app.click_rollups r on r.scope = _account and r.grain = 'd' and r.dimension = 'target' and r.day = d
        and r.value = t::text;
  return query execute format(
    'select g.scope, (g.quarter at time zone %L)::date, sum(g.clicks)::bigint
      from (select e.scope, date_bin(''15 minutes'', e.at, timestamptz ''1970-01-01 00:00Z'') as quarter, count(*) as clicks from (%s) e group by 1, 2) g
      group by 1, 2', zone, app.hits_query(_account, true, spans,
        format(' and e.scope = any (%L::integer[]) and e.verdict in (''c'', ''r'', ''o'')', _targets), null));
end $$;

-- The last 30 days of up to 200 targets of a kind, and how many clicks each had in the 30 days before. Other people's
-- are left out.
create function api.click_trends(_kind text, _ids uuid[]) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
declare
  me uuid := app.current_user_id();
  zone text := coalesce((select p.time_zone from app.profiles p where p.id = me), 'UTC');
  today date := (now() at time zone zone)::date;
  account integer := (select s.id from app.click_scopes s where s.ref = me);
  targets integer[] := array(select s.id from app.click_scopes s where s.ref = any (_ids) and s.kind = _kind
    and s.user_id = me);
begin
  if not app.sees_counts() then
    raise exception 'Upgrade to view clicks' using errcode = '42501', hint = 'plan';
  end if;
  if cardinality(_ids) > 200 then raise exception 'At most 200 ids' using errcode = '22023'; end if;
  if targets = '{}' then return '[]'; end if;
  return (
    with counts as materialized (
      select s.ref, c.day, sum(c.clicks) as clicks
      from (select * from app.clicks_by_day(account, targets, today - 59) where _kind <> 'popup'
        union all select * from app.popup_clicks_by_day(targets, zone, today - 59) where _kind = 'popup') c
        join app.click_scopes s on s.id = c.target
      group by 1, 2)
    select coalesce(jsonb_agg(jsonb_build_object('id', t.ref, 'days', t.days, 'before', t.before)), '[]')
    from (select c.ref, (select array_agg(coalesce(d.clicks, 0) order by n)
          from generate_series(0, 29) n left join counts d on d.ref = c.ref and d.day = today - 29 + n) as days,
        coalesce(sum(c.clicks) filter (where c.day < today - 29), 0) as before
      from counts c group by c.ref) t);
end $$;

-- "Clicked most among the last 10,000 visits": no index has the order of all hits, so ever longer times are looked at.
create function app.busiest_links_of_events(_hits integer, _limit integer) returns table (target uuid, clicks bigint)
language plpgsql stable security definer set search_path = '' as $$
declare
  since interval;
begin
  foreach since in array '{1 minute,10 minutes,1 hour,3 hours,12 hours,2 days,10 days,90 days}'::interval[] loop
    exit when (select count(*) from (select from app.click_events e where e.at > now() - since
      and e.at < now() + interval '1 day' limit _hits) n) >= _hits;
  end loop;
  return query
    with hits as (
        select e.scope, e.verdict from app.click_events e where e.at > now() - since and e.at < now() + interval '1 day'
          order by e.at desc limit _hits),
      -- More than are asked for, because some may be bio pages.
      busiest as materialized (
        select h.scope, count(*) as clicks from hits h where h.verdict in ('c', 'r', 'o') group by 1 order by 2 desc, 1
          limit _limit * 2)
    select s.ref, b.clicks from busiest b join app.click_scopes s on s.id = b.scope where s.kind = 'link'
      order by 2 desc, 1 limit _limit;
end $$;

-- Retention (server/postgres/retention/app.sql) --

-- Deletes up to that many hits of accounts that are gone, then those that are older than their account's plan keeps, a
-- UTC day of an account at a time. _days is for example {"free": 90, "pro": 400, "business": 800}.
create function app.forget_old_clicks_now(_rows integer, _days jsonb) returns integer
language plpgsql volatile security definer set search_path = '' as $$
declare
  deleted integer := 0;
  one record;
  n integer;
begin
  for one in select e.account from app.click_erasures e order by e.account loop
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
    delete from app.click_samples e where e.account = one.account;
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
    delete from app.click_events e where e.account = one.account and e.at >= one.first and e.at < one.next
      and app.hour_of(e.at) between app.hour_of(one.first) and app.hour_of(one.next);
    get diagnostics n = row_count;
    deleted := deleted + n;
    -- Everything until then: a popup may be closed on a day on which nothing was visited.
    delete from app.popup_events e using app.click_scopes s where s.user_id = one.user_id and s.kind = 'popup'
      and e.popup = s.id and e.at < one.next;
    get diagnostics n = row_count;
    deleted := deleted + n;
    delete from app.click_samples e where e.account = one.account and e.at >= one.first and e.at < one.next
      and app.hour_of(e.at) between app.hour_of(one.first) and app.hour_of(one.next);
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

-- Deletes what no hit can name any more: combinations that came last before the oldest hits, and, among a random
-- stretch of scopes, those whose target and hits are gone. But while ClickHouse has hits only it can tell which scopes
-- are unused (app.unused_click_scopes).
create function app.forget_unused_clicks(_rows integer, _days jsonb) returns integer
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
    then perform app.forget_click_scopes(app.unused_click_scopes(_rows)); end if;
  delete from app.click_incidents i where i.at < now() - interval '90 days';
  return 0;
end $$;

grant execute on function
  api.click_integrity(text, uuid),
  api.click_report(text, text, timestamptz, timestamptz, uuid, jsonb, text[], integer, boolean),
  api.click_trends(text, uuid[])
  to authenticated, service_role;
grant execute on function
  app.due_rollups_of_events(integer), app.forget_old_clicks_now(integer, jsonb),
  app.forget_unused_clicks(integer, jsonb), app.keep_click_months(jsonb), app.roll_up_events(integer, "char", date)
  to hoplet_worker;

comment on function api.click_report(text, text, timestamptz, timestamptz, uuid, jsonb, text[], integer, boolean) is
  'Clicks of the account, a link, the bio page or one of its links: totals, or by hour, day, month, hour of the week, or a dimension such as country.';
comment on function api.click_integrity(text, uuid) is 'Whether counters, days and hits agree.';
comment on function api.click_trends(text, uuid[]) is 'Clicks of the last 30 days, by day.';
