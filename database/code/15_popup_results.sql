-- Stores events, given as columns with one value a line: time in epoch milliseconds, visitor, popup, surface, account,
-- action, verdict.
create function app.store_popup_events(_columns text[]) returns void
language plpgsql volatile security definer set search_path = '' as $$
declare
  store record;
begin
  select * into store from app.into_click_outbox('p', _columns);
  if store.state = 'clickhouse' then return; end if;
  perform app.forget_late_days(_columns[1], _columns[5]);
  with events as materialized (
      select to_timestamp(t::float8 / 1000) as at, v::bigint, p::integer, s::integer, a::integer, action::"char",
        verdict::"char"
      from unnest(string_to_array(_columns[1], e'\n'), string_to_array(_columns[2], e'\n'),
        string_to_array(_columns[3], e'\n'),
        string_to_array(_columns[4], e'\n'), string_to_array(_columns[5], e'\n'), string_to_array(_columns[6], e'\n'),
          string_to_array(_columns[7], e'\n'))
        as h (t, v, p, s, a, action, verdict)),
    late as (insert into app.late_popup_events select * from events e where e.at < store.cut_at)
  insert into app.popup_events select * from events;
end $$;

-- Popups go with their account, and then, in batches, their events: app.click_erasures has their numbers as well.
create trigger erase_popup_events after delete on app.click_scopes for each row when (old.kind = 'popup')
  execute function app.erase_clicks();

create function app.popup_action(_letter "char") returns text
language sql immutable parallel safe set search_path = '' as $$
  select case _letter when 's' then 'shown' when 'b' then 'closed-button' when 'k' then 'closed-backdrop' when 'e'
    then 'closed-escape'
    when 'n' then 'closed-later' when 'c' then 'clicked' when 'm' then 'emailed' when 'r' then 'reached' when 'l'
      then 'left' end
$$;

-- How often these links and pages were visited, as app.report_rows counts it.
create function app.visits_of_events(_scopes integer[], _account integer, _from timestamptz, _to timestamptz,
  _include text[]) returns bigint
language sql stable security definer set search_path = '' as $$
  select coalesce(sum(r.counted + case when 'repeats' = any (_include) then r.repeats else 0 end + case
    when 'own' = any (_include) then r.own else 0 end), 0)::bigint
  from unnest(_scopes) s (scope) cross join lateral app.report_rows(s.scope, _account, 'verdict', _from, _to, '{}',
    null) r
$$;

-- What people did with a popup between two moments: by day of the zone, surface and action, from the rollups where they
-- can tell. Visitors, each counted once a day for an action, are in rows without a surface. The rest of a key is in
-- several rows.
create function app.popup_rows_of_events(_popup integer, _zone text, _from timestamptz, _to timestamptz)
returns table (day date, surface integer, action "char", counted bigint, repeats bigint, own bigint, visitors bigint)
language plpgsql stable security definer set search_path = '' set work_mem = '64MB' as $$
declare
  days date[] := array(select d.day from app.rolled_days(_popup, 'd', _zone, _from, _to) d);
  spans tstzmultirange := tstzmultirange(tstzrange(_from, _to))
    - coalesce((select range_agg(tstzrange(app.local_start(d, _zone), app.local_start(d + 1, _zone)))
      from unnest(days) d), '{}');
begin
  return query
    select r.day, nullif(substr(r.value, 3), '')::integer, left(r.value, 1)::"char", r.counted::bigint,
      r.repeats::bigint, r.own::bigint, r.visitors::bigint
    from unnest(days) d join app.click_rollups r on r.scope = _popup and r.grain = 'd' and r.dimension = 'action'
      and r.day = d;
  return query
    with hits as materialized (
        select date_bin('15 minutes', e.at, timestamptz '1970-01-01 00:00Z') as quarter, e.surface, e.action, e.verdict,
          e.visitor
        from unnest(spans) span join app.popup_events e on e.popup = _popup and e.at >= lower(span)
          and e.at < upper(span)
          and app.hour_of(e.at) between app.hour_of(lower(span)) and app.hour_of(upper(span))
        where e.verdict in ('c', 'r', 'o')),
      -- Time zones differ by quarters of an hour, so few moments have to be brought into the zone.
      quarters as materialized (select q.quarter, (q.quarter at time zone _zone)::date as day
        from (select distinct h.quarter from hits h) q),
      found as materialized (select q.day, h.surface, h.action, h.verdict, h.visitor from hits h
        join quarters q on q.quarter = h.quarter)
    select f.day, f.surface, f.action, count(*) filter (where f.verdict = 'c'), count(*) filter (where f.verdict = 'r'),
      count(*) filter (where f.verdict = 'o'), 0::bigint
    from found f group by 1, 2, 3
    union all
    select v.day, null, v.action, 0, 0, 0, count(*)
    from (select distinct f.day, f.action, f.visitor from found f where f.visitor <> 0 and f.verdict <> 'o') v
      group by 1, 3;
end $$;

-- Puts a day of an account's popups that had 500 events or more into the rollups: dimension 'action' has values like 's
-- 12', shown on surface 12, and 's' for the visitors.
create function app.roll_up_popups(_account integer, _day date) returns void
language sql volatile security definer set search_path = '' as $$
  with span as (
      select z.zone, app.local_start(_day, z.zone) as first, app.local_start(_day + 1, z.zone) as next
        from app.click_zone(_account) z (zone)),
    busy as (
      select e.popup, s.zone, s.first, s.next
      from span s join app.click_scopes a on a.id = _account join app.click_scopes p on p.user_id = a.user_id
        and p.kind = 'popup'
        join app.popup_events e on e.popup = p.id and e.at >= s.first and e.at < s.next
          and app.hour_of(e.at) between app.hour_of(s.first) and app.hour_of(s.next)
      group by 1, 2, 3, 4 having count(*) >= 500)
  insert into app.click_rollups (scope, grain, dimension, day, value, counted, repeats, own, bots, visitors)
    select b.popup, 'd', 'action', _day, concat_ws(' ', r.action, r.surface), sum(r.counted), sum(r.repeats),
      sum(r.own), 0, sum(r.visitors)
    from busy b cross join lateral app.popup_rows(b.popup, b.zone, b.first, b.next) r group by 1, 5
    union all select b.popup, 'd', 'total', _day, '', 0, 0, 0, 0, 0 from busy b
$$;

-- What became of a popup between two moments, by people: how often each action happened and to how many visitors, by
-- day, and for the 100 links and pages that showed it most (without what never happened there). "served" is how often
-- the links and pages among these were visited: no one can tell since when the popup was on them, nor what happened
-- where no script ran; null when there are more of them.
create function api.popup_report(_id uuid, _from timestamptz, _to timestamptz, _include text[]
  default '{repeats,own}') returns jsonb
language plpgsql stable security definer set search_path = '' as $$
declare
  asked record;
  max_surfaces constant integer := 100;
  report jsonb;
  scopes integer[];
  surface_count integer;
begin
  select * into asked from app.asked_scope('popup', _id);
  if _from is null or _to is null or not isfinite(_from) or not isfinite(_to) or _from >= _to
    or _to - _from > interval '400 days' then
    raise exception 'The range is empty or too long' using errcode = '22023';
  end if;
  if _include is null or not _include <@ '{repeats,own}' then
    raise exception 'Unknown switch' using errcode = '22023';
  end if;
  with found as materialized (
      select r.day, r.surface, r.action, r.visitors, r.counted + case when 'repeats' = any (_include) then r.repeats
        else 0 end
          + case when 'own' = any (_include) then r.own else 0 end as n
      from app.popup_rows(asked.scope, asked.zone, _from, _to) r),
    events as materialized (select f.* from found f where f.surface is not null and f.n > 0),
    actions as (
      select app.popup_action(w.action) as name, coalesce((select sum(f.n) from found f where f.action = w.action),
        0) as n,
        coalesce((select sum(f.visitors) from found f where f.action = w.action), 0) as people
      from unnest('{s,b,k,e,n,c,m,r,l}'::"char"[]) w (action)),
    days as (
      select e.day::text as day, sum(e.n) filter (where e.action = 's') as shown, sum(e.n)
        filter (where e.action = 'c') as clicked,
        sum(e.n) filter (where e.action = 'm') as emailed
      from events e group by 1),
    parts as materialized (select e.surface, e.action, sum(e.n) as n from events e group by 1, 2),
    surfaces as materialized (select p.surface, coalesce(sum(p.n) filter (where p.action = 's'), 0) as shown
      from parts p group by 1),
    listed as (
      select s.*, t.kind, t.ref, a.actions, app.target_code(t.kind, t.ref) as label
      from (select * from surfaces x order by x.shown desc, x.surface limit max_surfaces) s
        join app.click_scopes t on t.id = s.surface
        join (select p.surface, jsonb_object_agg(app.popup_action(p.action), p.n) as actions from parts p
          group by 1) a on a.surface = s.surface)
  select jsonb_build_object('from', _from, 'to', _to, 'time_zone', asked.zone,
      'actions', (select jsonb_object_agg(a.name, a.n) from actions a), 'people',
        (select jsonb_object_agg(a.name, a.people) from actions a),
      'series', (select jsonb_agg(jsonb_build_object('key',
        to_char(b.starts_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
          'shown', coalesce(d.shown, 0), 'clicked', coalesce(d.clicked, 0), 'emailed', coalesce(d.emailed, 0))
            order by b.starts_at)
        from app.click_buckets('day', asked.zone, _from, _to) b left join days d on d.day = b.value),
      'surfaces', coalesce((select jsonb_agg(jsonb_build_object('kind', l.kind, 'id', l.ref, 'label', l.label,
        'actions', l.actions) order by l.shown desc, l.surface) from listed l), '[]')),
    (select array_agg(s.surface) from surfaces s), (select count(*) from surfaces s)
    into report, scopes, surface_count;
  return report || jsonb_build_object('more_surfaces', greatest(0, surface_count - max_surfaces), 'served',
    case when surface_count <= max_surfaces then app.visits_of(scopes, asked.account, _from, _to, _include) end);
end $$;

create policy visits_read on app.popup_events for select to hoplet_visits using (true);

-- How often the buttons of popups were pressed, or an email given, by day of the zone, since a day.
create function app.popup_clicks_by_day_of_events(_popups integer[], _zone text,
  _since date) returns table (popup integer, day date, clicks bigint)
language sql stable security definer set search_path = '' as $$
  select p.id, r.day, sum(r.counted + r.repeats + r.own)::bigint
  from unnest(_popups) p (id) cross join lateral app.popup_rows(p.id, _zone, app.local_start(_since, _zone),
    now() + interval '1 minute') r
  where r.action in ('c', 'm') and r.surface is not null
  group by 1, 2
$$;

grant execute on function api.popup_report(uuid, timestamptz, timestamptz, text[]) to authenticated, service_role;
grant execute on function app.store_popup_events(text[]) to hoplet_visits;

comment on function api.popup_report(uuid, timestamptz, timestamptz, text[]) is
  'How often a popup was shown, clicked, closed or left, by day, link and page.';
