-- Hits on their way to ClickHouse (docs/decisions/0083): an outbox, written in the transaction of the counters, and click reports
-- in two halves, so that either store can count between them.

-- Where hits go besides app.click_events. The row is made at the start of a server that has CLICKHOUSE_URL (0: none has had it).
create table app.click_outbox_settings (
  is_on boolean primary key default true check (is_on),
  -- More than this waits in the click log instead, and counters with it.
  max_rows bigint not null
);

-- One row for each batch of hits that was stored. Its rows are as app.store_hits got them, and their order is that of the log.
create table app.click_outbox (
  id bigint generated always as identity primary key,
  columns text[] not null,
  hits integer not null,
  made_at timestamptz not null default now(),
  -- The delivery that the row belongs to, for good: a delivery that is repeated is the same rows under the same token.
  delivery uuid,
  leased_until timestamptz
);
create index click_outbox_by_delivery on app.click_outbox (delivery);

-- Accounts that were deleted, until their hits in ClickHouse are.
create table app.clickhouse_erasures (account integer primary key, made_at timestamptz not null default now());

do $$
declare
  name text;
begin
  foreach name in array '{click_outbox,click_outbox_settings,clickhouse_erasures}'::text[] loop
    execute format('alter table app.%I enable row level security', name);
    execute format('alter table app.%I force row level security', name);
    execute format('create policy owner_all on app.%I to hoplet_owner using (true) with check (true)', name);
  end loop;
end $$;

-- Hits go to ClickHouse from now on. An outbox that holds more than so many refuses more.
create function app.keep_click_outbox(_max_rows bigint) returns void
language sql volatile security definer set search_path = '' as $$
  insert into app.click_outbox_settings (max_rows) values (_max_rows)
    on conflict (is_on) do update set max_rows = excluded.max_rows where click_outbox_settings.max_rows <> excluded.max_rows
$$;

-- Takes the oldest delivery whose lease is over, or makes one of the oldest rows that are in none, with at most about _max_hits hits.
-- Returns its token, or null when nothing waits.
create function app.lease_click_delivery(_max_hits integer, _seconds integer) returns uuid
language plpgsql volatile security definer set search_path = '' as $$
declare
  taken uuid;
begin
  -- Servers take turns, so that no two have the same delivery.
  perform pg_advisory_xact_lock(hashtextextended('hoplet.click_outbox', 0));
  select o.delivery into taken from app.click_outbox o
    where o.delivery is not null and o.leased_until < now() order by o.id limit 1;
  if taken is null then
    taken := gen_random_uuid();
    update app.click_outbox o set delivery = taken where o.id in (
      select w.id from (
        select x.id, sum(x.hits) over (order by x.id) - x.hits as before
        from (select y.id, y.hits from app.click_outbox y where y.delivery is null order by y.id limit 200) x) w
      where w.before < _max_hits);
    if not found then return null; end if;
  end if;
  update app.click_outbox o set leased_until = now() + make_interval(secs => _seconds) where o.delivery = taken;
  return taken;
end $$;

-- The hits of a delivery as ClickHouse stores them, an array each: time in seconds, visitor, scope, account, verdict, source, and
-- what they came with.
create function app.delivered_hits(_delivery uuid) returns setof jsonb
language sql stable security definer set search_path = '' as $$
  select jsonb_build_array(round(h.t::numeric / 1000, 6)::text, h.v, h.s::integer, h.a::integer, app.click_word('verdict', h.verdict), app.click_word('source', h.source),
    coalesce(c.device, ''), coalesce(c.browser, ''), coalesce(c.system, ''), coalesce(c.language, ''), coalesce(c.bot, ''),
    coalesce(p.country, ''), coalesce(p.region, ''), coalesce(p.city, ''), coalesce(o.referrer, ''), coalesce(o.page, ''),
    coalesce(o.utm_source, ''), coalesce(o.utm_medium, ''), coalesce(o.utm_campaign, ''), coalesce(o.utm_term, ''), coalesce(o.utm_content, ''))
  from app.click_outbox b cross join lateral unnest(string_to_array(b.columns[1], e'\n'), string_to_array(b.columns[2], e'\n'), string_to_array(b.columns[3], e'\n'),
      string_to_array(b.columns[4], e'\n'), string_to_array(b.columns[5], e'\n'), string_to_array(b.columns[6], e'\n'),
      string_to_array(b.columns[7], e'\n'), string_to_array(b.columns[8], e'\n'), string_to_array(b.columns[9], e'\n'))
      with ordinality as h (t, v, s, a, o, p, c, verdict, source, n)
    left join app.click_clients c on c.id = h.c::integer left join app.click_places p on p.id = h.p::integer
    left join app.click_origins o on o.id = h.o::integer
  where b.delivery = _delivery order by b.id, h.n
$$;

create function app.end_click_delivery(_delivery uuid) returns void
language sql volatile security definer set search_path = '' as $$
  delete from app.click_outbox o where o.delivery = _delivery
$$;

-- What waits, for metrics.
create function app.click_outbox_state() returns table (hits bigint, oldest_seconds double precision)
language sql stable security definer set search_path = '' as $$
  select coalesce(sum(o.hits), 0)::bigint, coalesce(extract(epoch from now() - min(o.made_at)), 0)::double precision from app.click_outbox o
$$;

-- As in 0019, and into the outbox where hits go to ClickHouse as well. In an outbox that is full nothing is lost: the log keeps the hits.
create or replace function app.store_hits(_columns text[]) returns void
language plpgsql volatile security definer set search_path = '' as $$
declare
  outbox record;
begin
  select s.* into outbox from app.click_outbox_settings s;
  if found then
    if (select coalesce(sum(o.hits), 0) from app.click_outbox o) > outbox.max_rows then
      raise exception 'The outbox for ClickHouse is full' using errcode = '53400';
    end if;
    insert into app.click_outbox (columns, hits) values (_columns, length(_columns[1]) - length(replace(_columns[1], e'\n', '')) + 1);
  end if;
  perform app.forget_late_days(_columns[1], _columns[4]);
  with hits as materialized (
      select to_timestamp(t::float8 / 1000) as at, v::bigint as visitor, s::integer as scope, a::integer as account,
        o::integer as origin, p::integer as place, c::integer as client, verdict::"char", source::"char"
      from unnest(string_to_array(_columns[1], e'\n'), string_to_array(_columns[2], e'\n'), string_to_array(_columns[3], e'\n'),
        string_to_array(_columns[4], e'\n'), string_to_array(_columns[5], e'\n'), string_to_array(_columns[6], e'\n'),
        string_to_array(_columns[7], e'\n'), string_to_array(_columns[8], e'\n'), string_to_array(_columns[9], e'\n'))
        as h (t, v, s, a, o, p, c, verdict, source)),
    stored as (insert into app.click_events select * from hits),
    sampled as (
      insert into app.click_samples select h.*, r.rate from hits h cross join (values (32::smallint), (512)) r (rate)
      where app.sample_number(h.visitor, h.at) & (r.rate - 1) = 7),
    received as (
      insert into app.click_account_days as d (account, day, received)
        select account, (at at time zone 'UTC')::date, count(*) from hits group by 1, 2 order by 1, 2
        on conflict (account, day) do update set received = d.received + excluded.received)
  insert into app.click_days as d (day, slot, clicks)
    select (h.at at time zone 'UTC')::date, pg_backend_pid() % 256, count(*)
    from hits h join app.click_scopes s on s.id = h.scope
    where s.kind = 'link' and h.verdict in ('c', 'r', 'o') group by 1 order by 1
    on conflict (day, slot) do update set clicks = d.clicks + excluded.clicks;
end $$;

create function app.erase_in_clickhouse() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if exists (select from app.click_outbox_settings) then
    insert into app.clickhouse_erasures (account) values (new.account) on conflict do nothing;
  end if;
  return null;
end $$;
create trigger erase_in_clickhouse after insert on app.click_erasures for each row execute function app.erase_in_clickhouse();

-- Accounts whose hits can be deleted: what was stored before they were deleted has been delivered.
create function app.due_clickhouse_erasures() returns integer[]
language sql stable security definer set search_path = '' as $$
  select array(select e.account from app.clickhouse_erasures e
    where not exists (select from app.click_outbox o where o.made_at <= e.made_at + interval '1 minute') and e.made_at < now() - interval '1 minute'
    order by e.account limit 100)
$$;
create function app.end_clickhouse_erasures(_accounts integer[]) returns void
language sql volatile security definer set search_path = '' as $$
  delete from app.clickhouse_erasures e where e.account = any (_accounts)
$$;

-- Reports --

-- Figures of one value of a dimension; without a value they are of all values that are not listed.
create type app.click_figures as (value text, counted bigint, repeats bigint, own bigint, bots bigint, visitors bigint);

-- First half of a report: whether it may be asked, and of what. The filter of targets has the numbers of their scopes.
create function app.asked_report(_scope text, _by text, _from timestamptz, _to timestamptz, _id uuid, _filters jsonb, _include text[])
returns table (scope integer, account integer, zone text, filters jsonb)
language plpgsql stable security definer set search_path = '' as $$
declare
  asked record;
  is_time boolean := _by in ('hour', 'day', 'month');
begin
  select * into asked from app.asked_scope(_scope, _id);
  if not is_time and _by not in ('total', 'weekhour') and not exists (select from app.click_dimension(_by)) then
    raise exception 'Unknown dimension: %', left(_by, 50) using errcode = '22023';
  end if;
  if _from is null or _to is null or not isfinite(_from) or not isfinite(_to) or _from >= _to or _to - _from > interval '11 years'
    or (_by = 'hour' and _to - _from > interval '8 days') or (_by = 'day' and _to - _from > interval '400 days') then
    raise exception 'The range is empty or too long' using errcode = '22023';
  end if;
  if not _include <@ '{repeats,own,bots}' or jsonb_typeof(_filters) <> 'object' then
    raise exception 'Unknown switch or filter' using errcode = '22023';
  end if;
  perform app.click_condition(_filters);
  return query select asked.scope, asked.account, asked.zone, (
    select coalesce(jsonb_object_agg(f.key, case f.key
        when 'target' then (select coalesce(jsonb_agg(s.id), '[]') from app.click_scopes s where s.ref::text in (
          select v from jsonb_array_elements_text(f.value) v limit 100))
        else (select coalesce(jsonb_agg(left(v, 1000)), '[]') from (select v from jsonb_array_elements_text(f.value) v limit 100) x) end), '{}')
    from jsonb_each(_filters) f);
end $$;

-- Second half: the report of these figures. _visitors is for 'total', whose figures are by verdict.
create function app.shaped_report(_zone text, _by text, _from timestamptz, _to timestamptz, _include text[], _limit integer, _rate integer,
  _figures app.click_figures[], _visitors bigint) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
declare
  asked record;
  rows jsonb;
  all_clicks bigint;
  all_visitors bigint;
  all_counted bigint;
  rate integer := _rate;
  is_time boolean := _by in ('hour', 'day', 'month');
begin
  select _zone as zone into asked;
  with found as materialized (
      select r.value, sum(r.counted)::bigint as counted, sum(r.repeats)::bigint as repeats, sum(r.own)::bigint as own, sum(r.bots)::bigint as bots,
        sum(r.visitors)::bigint as visitors
      from unnest(_figures) r group by 1),
    shown as materialized (
      select f.*, case when _by = 'total' then f.counted + f.repeats + f.own + f.bots
        when _by = 'bot' then f.bots else app.shown_clicks(f.counted, f.repeats, f.own, f.bots, _include) end as clicks
      from found f),
    listed as (
      select b.value, b.starts_at, coalesce(s.clicks, 0) as clicks, coalesce(s.visitors, 0) as visitors
        from app.click_buckets(_by, asked.zone, _from, _to) b left join shown s on s.value = b.value
      union all
      (select s.value, null, s.clicks, s.visitors from shown s where not is_time and s.value is not null and s.clicks > 0 and (_by <> 'bot' or s.value <> '')
        order by s.clicks desc, s.value collate "C" limit case _by when 'weekhour' then 168 else greatest(0, least(_limit, 1000)) end)),
    labelled as (
      select l.*, t.ref, t.kind, case t.kind when 'link' then (select u.short_code from app.shortened_urls u where u.id = t.ref)
          when 'bio' then (select b.slug from app.bio_pages b where b.id = t.ref)
          when 'bio_link' then (select i.title from app.bio_links i where i.id = t.ref) end as label
      from listed l left join app.click_scopes t on _by = 'target' and t.id::text = l.value)
  select (select jsonb_agg(jsonb_strip_nulls(jsonb_build_object(
        'key', coalesce(l.ref::text, app.hour_name(l.starts_at), l.value),
        'clicks', l.clicks, 'visitors', case when is_time then l.visitors end, 'label', l.label, 'kind', l.kind))
      order by l.starts_at, case _by when 'weekhour' then l.value::integer end, l.clicks desc, l.value collate "C") from labelled l),
    coalesce(sum(case when _by = 'total' then app.shown_clicks(s.counted, s.repeats, s.own, s.bots, _include) else s.clicks end)
      filter (where _by <> 'bot' or s.value is distinct from ''), 0), coalesce(sum(s.counted), 0), coalesce(sum(s.visitors), 0)
    into rows, all_clicks, all_counted, all_visitors from shown s;
  if _by = 'total' then all_visitors := _visitors; end if;
  return jsonb_strip_nulls(jsonb_build_object('by', _by, 'from', _from, 'to', _to, 'time_zone', asked.zone, 'clicks', all_clicks,
      'visitors', case when is_time or _by = 'total' then all_visitors end,
      'returning', case when _by = 'total' then greatest(0, all_counted - all_visitors) end,
      'rows', coalesce(rows, '[]'),
      'rest', all_clicks - coalesce((select sum((r ->> 'clicks')::bigint) from jsonb_array_elements(rows) r where _by <> 'total'), all_clicks)))
    || jsonb_build_object('sampled', rate);
end $$;

create or replace function api.click_report(_scope text, _by text, _from timestamptz, _to timestamptz, _id uuid default null, _filters jsonb default '{}',
  _include text[] default '{repeats,own}', _limit integer default 10, _exact boolean default false) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
declare
  asked record;
  rate integer;
  figures app.click_figures[];
  visitors bigint;
begin
  select * into asked from app.asked_report(_scope, _by, _from, _to, _id, _filters, _include);
  rate := case when not _exact then app.sample_rate(asked.scope, asked.account, _by, _from, _to, _filters) end;
  figures := array(select (r.value, r.counted, r.repeats, r.own, r.bots, r.visitors)::app.click_figures
    from app.report_rows(asked.scope, asked.account, case _by when 'total' then 'verdict' else _by end, _from, _to, _filters, rate) r);
  if _by = 'total' then
    select coalesce(sum(r.visitors), 0) into visitors
      from app.report_rows(asked.scope, asked.account, 'visitors', _from, _to, _filters, rate) r;
  end if;
  return app.shaped_report(asked.zone, _by, _from, _to, _include, _limit, rate, figures, visitors);
end $$;

-- The same for figures that ClickHouse counted.
create function app.shaped_report_of(_zone text, _by text, _from timestamptz, _to timestamptz, _include text[], _limit integer,
  _figures jsonb, _visitors bigint) returns jsonb
language sql stable security definer set search_path = '' as $$
  select app.shaped_report(_zone, _by, _from, _to, _include, _limit, null,
    array(select f::app.click_figures from jsonb_populate_recordset(null::app.click_figures, _figures) f), _visitors)
$$;

grant execute on function app.asked_report(text, text, timestamptz, timestamptz, uuid, jsonb, text[]),
  app.shaped_report_of(text, text, timestamptz, timestamptz, text[], integer, jsonb, bigint) to authenticated, service_role;
grant execute on function app.keep_click_outbox(bigint), app.lease_click_delivery(integer, integer), app.delivered_hits(uuid),
  app.end_click_delivery(uuid), app.click_outbox_state(), app.due_clickhouse_erasures(), app.end_clickhouse_erasures(integer[]) to hoplet_worker;
